package tempfile

import (
	"bytes"
	"fmt"
	"io"
)

// Buffer keeps all that is written to it.
type Buffer struct {
	// Memory is how many bytes are kept in memory. All are kept in a file once
	// there are more.
	Memory int

	memory bytes.Buffer
	file   *File
}

// Write keeps p. An error means that there is no room for it, in a file either.
func (b *Buffer) Write(p []byte) (int, error) {
	if b.file == nil {
		if b.memory.Len()+len(p) <= b.Memory {
			return b.memory.Write(p)
		}
		if err := b.spill(); err != nil {
			return 0, unkept(err)
		}
	}
	n, err := b.file.Write(p)
	return n, unkept(err)
}

// spill moves what is in memory to a file.
func (b *Buffer) spill() (err error) {
	if b.file, err = New(); err != nil {
		return err
	}
	_, err = b.memory.WriteTo(b.file)
	b.memory = bytes.Buffer{}
	return err
}

// WriteTo passes on all that was written, once; an error is mostly w's own.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	if b.file == nil {
		return b.memory.WriteTo(w)
	}
	if _, err := b.file.Seek(0, io.SeekStart); err != nil {
		return 0, unkept(err)
	}
	return io.Copy(w, b.file.File)
}

// Close gives back the room that was taken.
func (b *Buffer) Close() error {
	b.memory = bytes.Buffer{}
	if b.file == nil {
		return nil
	}
	file := b.file
	b.file = nil
	return file.Close()
}

func unkept(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the output could not be kept in a temporary file: %w", err)
}
