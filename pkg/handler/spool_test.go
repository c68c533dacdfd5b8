package handler

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/tempfile"
)

// small are limits that few bytes reach.
var small = limits{memory: 10, file: 30, fileless: 20}

// newSpool makes a spool of its own turn, which another run has if busy.
func newSpool(t *testing.T, ctx context.Context, to io.Writer, busy bool) (s *spool, token chan struct{}) {
	t.Helper()
	token = make(chan struct{}, 1)
	if busy {
		token <- struct{}{}
	}
	s = &spool{to: lines{to: to}, turn: &turn{ctx: ctx, token: token}, limits: small}
	t.Cleanup(s.close)
	return s, token
}

// temporary sets the folder for temporary files.
func temporary(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // Windows
}

func TestOutputLargerThanMemoryGoesThroughAFileThatIsRemoved(t *testing.T) {
	dir := t.TempDir()
	temporary(t, dir)
	var got bytes.Buffer
	s, _ := newSpool(t, t.Context(), &got, true)
	want := ""
	for n := range 8 {
		piece := strings.Repeat(string(rune('a'+n)), 5)
		want += piece
		if _, err := s.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if s.memory.Len() != small.memory || s.inFile != small.file {
		t.Errorf("%d bytes are in memory, %d in the file", s.memory.Len(), s.inFile)
	}
	if got.Len() > 0 {
		t.Errorf("%q came out before its turn", got.String())
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
	s.close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// `tail -- yes` with --parallel and a slow reader: two gigabytes in two seconds.
func TestAFloodOfOutputFillsTheDisk(t *testing.T) {
	temporary(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	var got bytes.Buffer
	s, _ := newSpool(t, ctx, &got, true)
	cancel() // what would wait for its turn says so
	flood := bytes.Repeat([]byte("y\n"), 1000)
	n, err := s.Write(flood)
	if !errors.Is(err, errNotRead) {
		t.Errorf("it does not wait: %v", err)
	}
	if n != small.file || s.memory.Len()+s.inFile != n || got.Len() > 0 {
		t.Errorf("%d bytes were taken, %d are in memory, %d in the file, %d came out", n, s.memory.Len(), s.inFile, got.Len())
	}
}

func TestAFloodGoesOnWhenItsTurnHasCome(t *testing.T) {
	temporary(t, t.TempDir())
	read, write := io.Pipe()
	s, token := newSpool(t, t.Context(), write, true)
	flood := strings.Repeat("yes\n", 1000)
	written := make(chan error, 1)
	go func() {
		_, err := io.Copy(s, inPieces{strings.NewReader(flood)})
		written <- err
	}()
	<-token // the other run has ended
	got := make([]byte, len(flood))
	if _, err := io.ReadFull(read, got); err != nil || string(got) != flood {
		t.Errorf("%v; what came out is another flood", err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if s.file != nil || s.memory.Len() > 0 {
		t.Errorf("the file is kept, or %d bytes in memory", s.memory.Len())
	}
	if len(token) == 0 {
		t.Error("the turn was given back before the end of the run")
	}
}

// inPieces reads what is no whole line.
type inPieces struct{ from io.Reader }

func (r inPieces) Read(p []byte) (int, error) { return r.from.Read(p[:min(len(p), 7)]) }

// The command got SIGPIPE, exit code 141, and its output was lost.
func TestWithoutAFolderForTemporaryFilesNoOutputIsLost(t *testing.T) {
	temporary(t, "/nonexistent")
	var got bytes.Buffer
	s, token := newSpool(t, t.Context(), &got, true)
	text := "0123456789abcdefghij"
	for n := range len(text) / 5 {
		if _, err := s.Write([]byte(text[5*n : 5*n+5])); err != nil {
			t.Fatal(err)
		}
	}
	if s.memory.Len() != small.fileless || got.Len() > 0 {
		t.Errorf("%d bytes are in memory, %d came out", s.memory.Len(), got.Len())
	}
	<-token
	if _, err := s.Write([]byte("klm\nno")); err != nil {
		t.Fatal(err)
	}
	if err := s.finish(); err != nil || got.String() != text+"klm\nno" {
		t.Errorf("got %q, %v", got.String(), err)
	}
}

func TestOnAFullDiskNoOutputIsLost(t *testing.T) {
	var got bytes.Buffer
	s, _ := newSpool(t, t.Context(), &got, false)
	path := filepath.Join(t.TempDir(), "full")
	if err := os.WriteFile(path, []byte("abcde"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path) // it can be read and takes nothing more
	if err != nil {
		t.Fatal(err)
	}
	s.memory.WriteString("0123456789")
	s.file, s.inFile = &tempfile.File{File: file}, 5
	for _, piece := range []string{"fghij\n", "k"} {
		if _, err := s.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.finish(); err != nil || got.String() != "0123456789abcdefghij\nk" {
		t.Errorf("got %q, %v", got.String(), err)
	}
}
