package dump

import (
	"bytes"
	"errors"
	"io"
	"sort"
)

// pushback is a reader to which can be given back what was read too much.
type pushback struct {
	held []byte
	from io.Reader
}

// Read reads what was given back first.
func (b *pushback) Read(p []byte) (int, error) {
	if len(b.held) == 0 {
		return b.from.Read(p)
	}
	n := copy(p, b.held)
	b.held = b.held[n:]
	return n, nil
}

// giveBack puts bytes before those that have not been read.
func (b *pushback) giveBack(p []byte) { b.held = append(p, b.held...) }

// skipTo skips to the next line that begins with the given byte, or to the end.
// inLine says that the first line has begun already. It returns how many bytes
// it has skipped.
func (b *pushback) skipTo(begin byte, inLine bool) (int64, error) {
	var skipped int64
	for {
		if len(b.held) == 0 {
			chunk := make([]byte, 32<<10)
			n, err := b.from.Read(chunk)
			if err != nil && n == 0 {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				return skipped, err
			}
			b.held = chunk[:n]
			continue
		}
		if !inLine && b.held[0] == begin {
			return skipped, nil
		}
		n := bytes.IndexByte(b.held, '\n') + 1
		if inLine = n == 0; inLine {
			n = len(b.held)
		}
		skipped += int64(n)
		b.held = b.held[n:]
	}
}

// lineIndex is a writer that knows in which line an offset of what was written
// to it is. It forgets the lines that have been passed.
type lineIndex struct {
	// line is the number of the first line that has not been passed, which begins
	// at start.
	line  int
	start int64
	// written is how much has been written, next where lines after start begin.
	written int64
	next    []int64
}

// Write notes where lines begin. It never fails.
func (l *lineIndex) Write(p []byte) (int, error) {
	for i, b := range p {
		if b == '\n' {
			l.next = append(l.next, l.written+int64(i)+1)
		}
	}
	l.written += int64(len(p))
	return len(p), nil
}

// at returns the number of the line of an offset that has not been passed.
func (l *lineIndex) at(offset int64) int {
	return l.line + sort.Search(len(l.next), func(i int) bool { return l.next[i] > offset })
}

// pass forgets the lines before that of the offset, and says whether that line
// begins with it.
func (l *lineIndex) pass(offset int64) bool {
	n := l.at(offset) - l.line
	if n > 0 {
		l.line, l.start = l.line+n, l.next[n-1]
		l.next = l.next[n:]
	}
	return l.start == offset
}
