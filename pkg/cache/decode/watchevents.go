package decode

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// JSONFramer finds the events in a stream of JSON. It takes what apimachinery's
// framer takes, in a fraction of the time: that one decodes what it skips.
type JSONFramer struct{ runtime.Framer }

// NewFrameReader returns a reader whose every Read is one JSON value, or a part
// of it and io.ErrShortBuffer.
func (JSONFramer) NewFrameReader(stream io.ReadCloser) io.ReadCloser {
	connection := &failingReader{ReadCloser: stream}
	return &jsonFrames{connection: connection, decoder: jsontext.NewDecoder(connection,
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

type jsonFrames struct {
	connection *failingReader
	decoder    *jsontext.Decoder
	// rest is what did not fit into the last buffer.
	rest []byte
}

func (f *jsonFrames) Read(buffer []byte) (int, error) {
	if len(f.rest) == 0 {
		value, err := f.decoder.ReadValue()
		if err != nil {
			return 0, f.cause(err)
		}
		f.rest = value
	}
	n := copy(buffer, f.rest)
	if f.rest = f.rest[n:]; len(f.rest) > 0 {
		return n, io.ErrShortBuffer
	}
	return n, nil
}

// cause is the connection's own error, which client-go distinguishes from others, if
// that is why there is no value.
func (f *jsonFrames) cause(err error) error {
	switch {
	case f.connection.err != nil && !errors.Is(f.connection.err, io.EOF):
		return f.connection.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close closes the stream.
func (f *jsonFrames) Close() error { return f.connection.Close() }

// failingReader remembers why it ended.
type failingReader struct {
	io.ReadCloser
	err error
}

func (r *failingReader) Read(buffer []byte) (n int, err error) {
	n, err = r.ReadCloser.Read(buffer)
	r.err = err
	return n, err
}

// EventSerializer reads a watch event, and leaves its object as text; the rest
// of a Serializer is the embedded one's.
type EventSerializer struct{ runtime.Serializer }

// Decode reads data into a *metav1.WatchEvent.
func (s EventSerializer) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	event, ok := into.(*metav1.WatchEvent)
	if !ok {
		return s.Serializer.Decode(data, defaults, into)
	}
	*event = metav1.WatchEvent{}
	if err := unmarshal(data, event); err != nil {
		return nil, nil, fmt.Errorf("the server sent a watch event that cannot be read: %w", err)
	}
	return event, nil, nil
}
