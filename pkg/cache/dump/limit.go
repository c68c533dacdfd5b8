package dump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// largest is how much is read of one file or pipe: more than twice what kubectl
// writes of 100 000 pods. What has no end, has one here.
const largest int64 = 4 << 30

// errBinary says that what is read holds no text.
var errBinary = errors.New("it begins with binary data, not with JSON or YAML")

// beginning is how much is looked at to tell text from something else.
const beginning = 512

// bounded reads so many bytes, and then fails where there are more.
type bounded struct {
	from       io.Reader
	left, most int64
}

func newBounded(from io.Reader, most int64) *bounded { return &bounded{from, most, most} }

// Read reads what is within the bound.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left > 0 {
		n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
		b.left -= int64(n)
		return n, err
	}
	var more [1]byte
	n, err := b.from.Read(more[:])
	if n > 0 {
		return 0, fmt.Errorf("it is larger than %d MiB: what comes after that is not read; split it into several files", b.most>>20)
	}
	return 0, err
}

// text is what r reads, or errBinary where that is no text.
func text(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	// What Peek returns with an error is the whole of a short file; the error
	// comes again when it is read.
	begins, _ := buffered.Peek(beginning)
	if bytes.IndexByte(begins, 0) >= 0 {
		return nil, errBinary
	}
	return buffered, nil
}
