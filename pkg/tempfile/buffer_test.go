package tempfile

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestABufferKeepsWhatIsWrittenInWhateverPieces(t *testing.T) {
	for _, pieces := range [][]string{nil, {""}, {"a"}, {"abcd"}, {"abcde"}, {"abc", "d", "e", "", "f"}, {strings.Repeat("x", 100), "y"}} {
		dir := t.TempDir()
		t.Setenv("TMPDIR", dir)
		b := &Buffer{Memory: 4}
		for _, piece := range pieces {
			if n, err := b.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("%q: %d, %v", piece, n, err)
			}
		}
		var got bytes.Buffer
		if _, err := b.WriteTo(&got); err != nil || got.String() != strings.Join(pieces, "") {
			t.Errorf("%q: got %q, %v", pieces, got.String(), err)
		}
		if inFile := b.file != nil; inFile != (got.Len() > 4) {
			t.Errorf("%q: a file was made: %v", pieces, inFile)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%q: left behind %v, %v", pieces, left, err)
		}
	}
}

func TestOutputThatCannotBeKeptIsAnError(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	b := &Buffer{Memory: 4}
	_, err := b.Write([]byte("abcde"))
	if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "the output could not be kept in a temporary file: ") {
		t.Errorf("got %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// goneReader is a reader that has gone.
type goneReader struct{}

func (goneReader) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestTheWritersErrorIsItsOwn(t *testing.T) {
	for _, text := range []string{"abc", "abcdef"} {
		b := &Buffer{Memory: 4}
		if _, err := b.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.WriteTo(goneReader{}); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("%q: got %v", text, err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}
