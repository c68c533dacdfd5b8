package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// patience is how long a test waits for what has to come, on a slow machine
// that does much else.
const patience = 60 * time.Second

// Stream is a program that runs while the test goes on.
type Stream struct {
	command        *exec.Cmd
	stdout, stderr transcript
	ended          chan struct{}
}

// Start starts a program of the folder. It is killed when ctx ends, if it has
// not ended before. Wait has to be called.
func (p Programs) Start(ctx context.Context, env []string, name string, args ...string) (*Stream, error) {
	return Follow(p.Command(ctx, env, name, args...))
}

// Follow starts any command as a Stream.
func Follow(command *exec.Cmd) (*Stream, error) { return follow(command, nil) }

// FollowTo is the same with a stdout that the test reads itself.
func FollowTo(command *exec.Cmd, stdout *os.File) (*Stream, error) { return follow(command, stdout) }

func follow(command *exec.Cmd, stdout *os.File) (*Stream, error) {
	s := &Stream{command: command, ended: make(chan struct{})}
	s.stdout.grown, s.stderr.grown = make(chan struct{}), make(chan struct{})
	s.command.Stdout, s.command.Stderr = &s.stdout, &s.stderr
	if stdout != nil {
		s.command.Stdout = stdout
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.ended)
		_ = s.command.Wait() // how it ended is in its ProcessState
	}()
	return s, nil
}

// Until waits until what the program has told so far, in whole lines of stdout
// and of stderr, satisfies the predicate. It is an error, with all that was
// told, when the program ends before, or when it takes more than a minute.
func (s *Stream) Until(enough func(stdout, stderr []string) bool) error {
	limit := time.After(patience)
	for ended := false; ; {
		// In this order: what comes after we have looked closes what we wait for.
		stdout, moreOut := s.stdout.lines()
		stderr, moreErr := s.stderr.lines()
		if enough(stdout, stderr) {
			return nil
		}
		if ended {
			return s.failure("it ended before it told what was waited for")
		}
		select {
		case <-moreOut:
		case <-moreErr:
		case <-s.ended:
			ended = true // once more: it may have told it last of all
		case <-limit:
			return s.failure("it does not tell what is waited for")
		}
	}
}

// Lines returns the whole lines that the program has told on stdout so far.
func (s *Stream) Lines() []string {
	lines, _ := s.stdout.lines()
	return lines
}

// Notices returns the whole lines that the program has told on stderr so far.
func (s *Stream) Notices() []string {
	lines, _ := s.stderr.lines()
	return lines
}

// Notice is a line that the program has written to stderr.
type Notice struct {
	At   time.Time
	Line string
}

// Noticed returns the same lines with the times at which they were whole.
func (s *Stream) Noticed() []Notice {
	s.stderr.mu.Lock()
	at := slices.Clone(s.stderr.at)
	s.stderr.mu.Unlock()
	lines, _ := s.stderr.lines()
	noticed := make([]Notice, len(at))
	for n := range at {
		noticed[n] = Notice{at[n], lines[n]}
	}
	return noticed
}

// Ended is closed when the program has ended.
func (s *Stream) Ended() <-chan struct{} { return s.ended }

// Usage returns what the program has used, once it has ended.
func (s *Stream) Usage() *os.ProcessState { return s.command.ProcessState }

// Signal sends a signal to the program. It is an error if it has ended.
func (s *Stream) Signal(signal os.Signal) error { return s.command.Process.Signal(signal) }

// Wait waits for the program's end. A program that has not ended after a minute
// is killed, and an error.
func (s *Stream) Wait() (Result, error) {
	select {
	case <-s.ended:
		return s.result(), nil
	case <-time.After(patience):
		_ = s.Kill()
		return s.result(), s.failure("it does not end")
	}
}

// Kill ends the program at once, if it runs, and returns when it is gone.
func (s *Stream) Kill() error {
	err := s.command.Process.Kill()
	<-s.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

func (s *Stream) result() Result {
	return Result{s.stdout.String(), s.stderr.String(), s.command.ProcessState.ExitCode()}
}

func (s *Stream) failure(what string) error {
	return fmt.Errorf("%s: %s; stdout:\n%s\nstderr:\n%s",
		strings.Join(s.command.Args, " "), what, s.stdout.String(), s.stderr.String())
}

// transcript keeps what a program writes.
type transcript struct {
	mu    sync.Mutex
	text  bytes.Buffer
	at    []time.Time   // of the end of each line
	grown chan struct{} // closed, and replaced, with every Write
}

// Write never fails.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.grown)
	t.grown = make(chan struct{})
	now := time.Now()
	for range bytes.Count(p, []byte{'\n'}) {
		t.at = append(t.at, now)
	}
	return t.text.Write(p)
}

// lines returns the whole lines so far, and what is closed when there is more.
func (t *transcript) lines() (lines []string, more <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text.String()
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		lines = strings.Split(text[:end], "\n")
	}
	return lines, t.grown
}

// String returns everything so far.
func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
