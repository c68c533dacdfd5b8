package handler

import (
	"bytes"
	"io"
	"slices"
)

// sink is where one stream of one run goes.
type sink interface {
	io.Writer
	// finish passes on what has not been passed on yet.
	finish() error
	// close gives back what the sink holds, finished or not.
	close()
}

// maxLine is the length in bytes from which a line is passed on before its end.
const maxLine = 64 << 10

// lines passes output on as it comes, in whole lines, so that a notice of ours
// never lands in the middle of one.
type lines struct {
	to   io.Writer
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	end := bytes.LastIndexAny(p, "\n\r") + 1
	if end == 0 && len(l.rest)+len(p) > maxLine {
		end = len(p)
	}
	if end > 0 {
		whole := slices.Concat(l.rest, p[:end])
		// An abandoned write may still read them, so they are not used again.
		l.rest = nil
		if _, err := l.to.Write(whole); err != nil {
			return 0, err
		}
	}
	l.rest = append(l.rest, p[end:]...)
	return len(p), nil
}

func (l *lines) finish() error {
	_, err := l.to.Write(l.rest)
	return err
}

func (l *lines) close() {}
