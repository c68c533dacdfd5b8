package dump

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// sections reads a stream up to the next line that divides documents: first of
// all next has to be called, and again when Read has returned io.EOF.
type sections struct {
	in *bufio.Reader
	// lines is how many lines have been taken from in, the last one perhaps in part.
	lines int
	// inLine says that the next bytes of in belong to the line before.
	inLine bool
	// held is what has been taken from in, and not been read yet.
	held []byte
	// done is true at the end of a section, err is set at the end of the stream.
	done bool
	err  error
}

func newSections(r io.Reader) *sections {
	return &sections{in: bufio.NewReaderSize(r, 64<<10)}
}

// next begins the next section, and says whether there is one. The second result
// is the number of its first line.
func (s *sections) next() (line int, more bool) {
	line = s.lines + 1
	if len(s.held) > 0 {
		line = s.lines
	}
	s.done = false
	return line, s.err == nil || len(s.held) > 0
}

// Read reads from the present section. A line that divides is no part of it,
// unless the next document begins on it.
func (s *sections) Read(p []byte) (int, error) {
	for len(s.held) == 0 || s.done {
		if s.done {
			return 0, io.EOF
		}
		if s.err != nil {
			return 0, s.err
		}
		s.take()
	}
	n := copy(p, s.held)
	s.held = s.held[n:]
	return n, nil
}

// take takes a line, or a part of a long one.
func (s *sections) take() {
	chunk, err := s.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		s.err = err
	}
	first := !s.inLine
	s.inLine = !bytes.HasSuffix(chunk, []byte("\n"))
	if first && len(chunk) > 0 {
		s.lines++
	}
	s.held = chunk
	if !first {
		return
	}
	if marker, content := isMarker(chunk); marker {
		s.done = true
		s.held = nil
		if content {
			s.held = slices.Clone(chunk)
		}
	}
}

// isMarker says whether a line divides documents: "---" begins one, "..." ends
// one. The second result says that the document begins on the line itself.
func isMarker(line []byte) (marker, content bool) {
	begins := bytes.HasPrefix(line, []byte("---"))
	if !begins && !bytes.HasPrefix(line, []byte("...")) {
		return false, false
	}
	rest := line[len("---"):]
	if len(rest) > 0 && bytes.IndexByte([]byte(" \t\r\n"), rest[0]) < 0 {
		return false, false
	}
	rest = bytes.TrimSpace(rest)
	return true, begins && len(rest) > 0 && rest[0] != '#'
}

// isJSON says whether a section holds JSON: YAML can begin with a brace as well,
// but then (KYAML) its keys have no quotes.
func isJSON(section *bufio.Reader) bool {
	// What Peek returns with an error is the whole of a short section.
	beginning, _ := section.Peek(section.Size())
	beginning = bytes.TrimLeft(beginning, " \t\r\n")
	if len(beginning) == 0 || beginning[0] != '{' && beginning[0] != '[' {
		return false
	}
	beginning = bytes.TrimLeft(beginning, " \t\r\n[{")
	return len(beginning) == 0 || bytes.IndexByte([]byte(`"}]`), beginning[0]) >= 0
}
