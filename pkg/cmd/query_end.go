package cmd

import (
	"bytes"
	"io"
)

// endLine is the line that ends an answer, endByte the byte that does with --null.
const (
	endLine = "---\n"
	endByte = "\x00"
)

// answerWriter passes on an answer, and knows what has to come after it.
type answerWriter struct {
	to io.Writer
	// null says that a NUL ends the answer: there is none in it.
	null bool
	last byte
}

// Write passes on p. With null, a NUL that data holds is written as JSON does.
func (w *answerWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	w.last = p[len(p)-1]
	text := p
	if w.null {
		text = bytes.ReplaceAll(p, []byte(endByte), []byte(`\u0000`))
	}
	if _, err := w.to.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// end is what ends the answer.
func (w *answerWriter) end() string {
	switch {
	case w.null:
		return endByte
	case w.last != '\n':
		return "\n" + endLine
	}
	return endLine
}
