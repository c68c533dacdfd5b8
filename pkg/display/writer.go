package display

import (
	"bufio"
	"io"
	"slices"
	"unicode/utf8"
)

// buffered is how many bytes Print gathers before they are written.
const buffered = 64 << 10

// layout are the controls that lay out lines, which are ours in whatever is
// printed as a whole.
const layout = "\n\t"

// Print hands print a writer that gathers bytes for w, and escapes them where w
// is a terminal. An error of w outranks what print makes of it: printers rewrite
// or swallow it.
func Print(w io.Writer, terminal bool, print func(*bufio.Writer) error) error {
	var escaping *Writer
	if terminal {
		escaping = NewWriter(w)
		w = escaping
	}
	out := bufio.NewWriterSize(w, buffered)
	printed := print(out)
	if err := out.Flush(); err != nil {
		return err
	}
	if escaping != nil {
		if err := escaping.Flush(); err != nil {
			return err
		}
	}
	return printed
}

// Writer escapes what is written to it, but for newlines and tabs. Text is
// escaped before it is coloured: what adds escape sequences of our own belongs
// between a Writer and the terminal.
type Writer struct {
	to io.Writer
	// partial is the beginning of a UTF-8 sequence whose end has not come yet.
	partial []byte
	// last is the last character written.
	last rune
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write passes p on. A UTF-8 sequence that p ends within waits for the rest.
// An error of the underlying writer is returned as it is.
func (w *Writer) Write(p []byte) (int, error) {
	data := p
	if len(w.partial) > 0 {
		data = slices.Concat(w.partial, p)
	}
	whole := len(data) - unfinished(data)
	w.partial = slices.Clone(data[whole:])
	if err := w.pass(data[:whole]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush shows the beginning of a sequence whose end never came.
func (w *Writer) Flush() error {
	rest := w.partial
	w.partial = nil
	return w.pass(rest)
}

func (w *Writer) pass(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	escaped, last := appendEscaped(make([]byte, 0, len(data)), data, layout, w.last, spelling)
	w.last = last
	_, err := w.to.Write(escaped)
	return err
}

// unfinished counts the bytes at the end of data that begin a UTF-8 sequence
// without ending it.
func unfinished(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		tail := data[len(data)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Messages returns a writer to w of whole messages, a Write each, from any
// number of goroutines if w allows that. It escapes as a Writer does, and keeps
// nothing back.
func Messages(w io.Writer) io.Writer { return messages{w} }

type messages struct{ to io.Writer }

func (m messages) Write(p []byte) (int, error) {
	if _, err := m.to.Write(Escape(p, layout)); err != nil {
		return 0, err
	}
	return len(p), nil
}
