//go:build unix

package handler

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// shell is a handler whose COMMAND is a shell script, with real processes.
type shell struct {
	*testing.T
	o              Options
	h              *Handler
	stdout, stderr buffer
	mu             sync.Mutex
	givenUp        []string
	stop           context.CancelFunc
	ended          chan error
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu      sync.Mutex
	content bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.String()
}

// script returns a shell that is yet to be started. Its options may be changed.
func script(t *testing.T, text string, args ...string) *shell {
	s := &shell{T: t, ended: make(chan error, 1)}
	s.o = Options{
		Command:     append([]string{"/bin/sh", "-c", text, "sh"}, args...),
		Parallel:    1,
		GracePeriod: time.Minute,
		Processes:   NewProcesses(),
		Stdout:      &s.stdout,
		Stderr:      &s.stderr,
		Encode:      encode,
		GivenUp: func(event cache.Event, code int, err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.givenUp = append(s.givenUp, fmt.Sprintf("%s: %d %v", describe(event), code, err))
		},
	}
	return s
}

// encode is a small version of what the printers make.
func encode(event cache.Event) ([]byte, error) {
	return json.Marshal(map[string]string{"type": string(event.Type), "name": event.Row.Name})
}

func (s *shell) start() {
	s.Helper()
	h, err := New(s.o)
	if err != nil {
		s.Fatal(err)
	}
	s.run(h)
}

// run begins Run of a handler.
func (s *shell) run(h *Handler) {
	s.h = h
	ctx, stop := context.WithCancel(s.Context())
	s.stop = stop
	s.Cleanup(stop)
	go func() { s.ended <- h.Run(ctx) }()
}

// handle runs the script for events, and returns when all are handled.
func (s *shell) handle(lines ...string) {
	s.Helper()
	s.start()
	for _, line := range lines {
		s.h.Add(parse(line))
	}
	s.h.Drain(s.Context())
	if err := <-s.ended; err != nil {
		s.Fatal(err)
	}
}

func (s *shell) expect(what, got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// expectGivenUp checks what was given up, in order.
func (s *shell) expectGivenUp(want ...string) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expect("given up", strings.Join(s.givenUp, "\n"), strings.Join(want, "\n"))
}

// fifo makes a named pipe through which processes tell that they run: a line
// when they are ready, its end when the last one that has it open is gone.
// Reading it waits for that, so that no test depends on time.
type fifo struct {
	path string
	read *os.File
}

func newFIFO(t *testing.T) *fifo {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return &fifo{path: path}
}

// await waits for so many lines and returns all that has come.
func (f *fifo) await(t *testing.T, lines int) string {
	t.Helper()
	if f.read == nil {
		read, err := os.Open(f.path) // waits for a writer
		if err != nil {
			t.Fatal(err)
		}
		f.read = read
		t.Cleanup(func() { _ = read.Close() })
	}
	got, p := "", make([]byte, 1)
	for strings.Count(got, "\n") < lines {
		if _, err := f.read.Read(p); err != nil {
			t.Fatalf("%v after %q", err, got)
		}
		got += string(p)
	}
	return got
}

// end waits until no process has the fifo open, and returns what they wrote.
func (f *fifo) end(t *testing.T) string {
	t.Helper()
	rest, err := io.ReadAll(f.read)
	if err != nil {
		t.Fatal(err)
	}
	return string(rest)
}
