package printers

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// SafeWriter lets no control character through that could drive a terminal.
// See Safe.
type SafeWriter struct {
	to io.Writer
	// partial is the beginning of a UTF-8 sequence whose end has not come yet.
	partial []byte
}

// Safe returns a writer that shows control characters instead of sending them:
// C0 except newline and tab, DEL, C1, and bytes that are not UTF-8 (a terminal
// may take them for C1). ESC becomes ^[ and CR becomes \r, as in kubectl's
// tables; the others become \u and four digits, which JSON reads as before.
//
// Text is made safe before it is coloured: a writer that adds escape sequences
// of our own belongs between this one and the terminal.
func Safe(w io.Writer) *SafeWriter { return &SafeWriter{to: w} }

// Write passes p on. A UTF-8 sequence that p ends within waits for the rest.
// An error of the underlying writer is returned as it is.
func (w *SafeWriter) Write(p []byte) (int, error) {
	data := p
	if len(w.partial) > 0 {
		data = slices.Concat(w.partial, p)
	}
	whole := len(data) - unfinished(data)
	w.partial = slices.Clone(data[whole:])
	if whole == 0 {
		return len(p), nil
	}
	if _, err := w.to.Write(makeSafe(data[:whole], "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush shows the beginning of a sequence whose end never came.
func (w *SafeWriter) Flush() error {
	if len(w.partial) == 0 {
		return nil
	}
	rest := makeSafe(w.partial, "")
	w.partial = nil
	_, err := w.to.Write(rest)
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

// makeSafe returns text with its control characters shown, those in keep
// excepted. It returns text itself, not a copy, where there are none.
func makeSafe[T string | []byte](text T, keep string) T {
	if isSafe(text, keep) {
		return text
	}
	safe := make([]byte, 0, len(text)+16)
	for rest := []byte(text); len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			safe = fmt.Appendf(safe, `\x%02x`, rest[0])
		case isControl(r) && !strings.ContainsRune(keep, r):
			safe = append(safe, shown(r)...)
		default:
			safe = append(safe, rest[:size]...)
		}
		rest = rest[size:]
	}
	return T(safe)
}

func isSafe[T string | []byte](text T, keep string) bool {
	for i := range len(text) {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			return isSafeUnicode(string(text[i:]), keep)
		case isControl(rune(b)) && strings.IndexByte(keep, b) < 0:
			return false
		}
	}
	return true
}

func isSafeUnicode(text, keep string) bool {
	for _, r := range text {
		if r == utf8.RuneError || isControl(r) && !strings.ContainsRune(keep, r) {
			return false
		}
	}
	return true
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r <= 0x9f }

func shown(r rune) string {
	switch r {
	case '\x1b':
		return "^["
	case '\r':
		return `\r`
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	}
	return fmt.Sprintf(`\u%04x`, r)
}
