package stories

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// full is nil if a pipe has no room.
func full(writer *os.File) error {
	fds := []unix.PollFd{{Fd: int32(writer.Fd()), Events: unix.POLLOUT}}
	switch writable, err := unix.Poll(fds, 0); {
	case err != nil:
		return err
	case writable > 0:
		return errors.New("the pipe has room")
	}
	return nil
}

// slowReader is a stream whose reader does nothing yet.
type slowReader struct {
	t              *testing.T
	command        *exec.Cmd
	reader, writer *os.File
	stdout, stderr lockedBuffer
	reading        sync.WaitGroup
}

func (u *user) slowReader(args ...string) *slowReader {
	u.t.Helper()
	s := &slowReader{t: u.t}
	var err error
	if s.reader, s.writer, err = os.Pipe(); err != nil {
		u.t.Fatal(err)
	}
	s.command = stage.programs.Command(u.t.Context(), u.env, "kubectl-informer", args...)
	s.command.Stdout, s.command.Stderr = s.writer, &s.stderr
	if err := s.command.Start(); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		_ = s.command.Process.Kill()
		_ = s.command.Wait() // killed, and so it says
		_ = s.writer.Close()
		s.reading.Wait()
		_ = s.reader.Close()
	})
	return s
}

// read has the reader read all that is written until the test ends.
func (s *slowReader) read() {
	s.reading.Go(func() { _, _ = io.Copy(&s.stdout, s.reader) }) // it ends with the program
}

// lines are those that have been read whole.
func (s *slowReader) lines() []string {
	lines := strings.Split(s.stdout.String(), "\n")
	return lines[:len(lines)-1]
}

// A reader that does not keep up made the writer's memory grow without bound, or
// lost what happened meanwhile. Here the waiting events of one object are merged,
// and nothing is lost that matters: deletions, and the last state of each object.
func TestSlowReaderIsToldTheLastStateOfAll(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	// Together they are more than a pipe holds.
	for _, name := range []string{"changed", "deleted", "same"} {
		user.kubectl("create", "secret", "generic", name, "--from-literal=text="+strings.Repeat("x", 50_000))
	}
	slow := user.slowReader("tail", "secrets", "-o", "json", "--max-pending", "3")
	eventually(t, func() error { return full(slow.writer) })
	attentive := user.tail("secrets", "-o", "name")
	const changes = 20
	for n := range changes {
		user.kubectl("label", "secret", "changed", fmt.Sprintf("turn=%d", n), "--overwrite")
	}
	user.kubectl("delete", "secret", "deleted")
	user.kubectl("create", "secret", "generic", "brief")
	user.kubectl("delete", "secret", "brief")
	user.kubectl("create", "secret", "generic", "last")
	// Who reads at once has been told all: so has been the slow reader's writer.
	attentive.untilTold("^secret/last$")

	slow.read()
	ledger := newLedger()
	eventually(t, func() error {
		return errors.Join(ledger.read(slow.lines()), ledger.differs(user.kubectl("get", "secrets", "-o", "json")))
	})
	eventually(t, func() error {
		if said := slow.stderr.String(); !strings.Contains(said, "waiting events were merged into newer ones of their objects") {
			return fmt.Errorf("it does not say that events were merged, but %q", said)
		}
		return nil
	})
	if len(ledger.told) < 4 || ledger.lines > changes {
		t.Errorf("told %d events of %d objects", ledger.lines, len(ledger.told))
	}
	deleted := 0
	for uid, told := range ledger.told {
		if err := lawful(told); err != nil {
			t.Errorf("%s: %v: %v", uid, err, told)
		}
		if told[len(told)-1].Type == cache.Deleted {
			deleted++
		}
	}
	if deleted == 0 {
		t.Errorf("no deletion was told: %v", ledger.told)
	}
}
