package faultproxy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// eventFilter is the body of a watch without some of its events. It has no goroutine:
// each Read passes on what has come.
type eventFilter struct {
	io.Closer
	drops func(event []byte) bool
	next  func() ([]byte, error) // one whole event, with what frames it
	rest  []byte                 // of the event that is being read
	err   error                  // that ended the stream, told after rest
}

func without(drops func(event []byte) bool, response *http.Response) io.ReadCloser {
	reader := bufio.NewReader(response.Body)
	next := func() ([]byte, error) { return reader.ReadBytes('\n') }
	if strings.Contains(response.Header.Get("Content-Type"), "protobuf") {
		next = func() ([]byte, error) { return lengthDelimited(reader) }
	}
	return &eventFilter{Closer: response.Body, drops: drops, next: next}
}

// lengthDelimited reads one frame of a protobuf watch: its length in four
// bytes, the highest first, then the event.
func lengthDelimited(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, len(length)+int(binary.BigEndian.Uint32(length[:])))
	copy(frame, length[:])
	_, err := io.ReadFull(r, frame[len(length):])
	return frame, err
}

func (f *eventFilter) Read(buf []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		var event []byte
		if event, f.err = f.next(); !f.drops(event) {
			f.rest = event
		}
	}
	n := copy(buf, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// closesInitialEvents looks at the bytes: strings are the same in JSON and in
// protobuf.
func closesInitialEvents(event []byte) bool {
	return bytes.Contains(event, []byte(watch.Bookmark)) &&
		bytes.Contains(event, []byte(metav1.InitialEventsAnnotationKey))
}
