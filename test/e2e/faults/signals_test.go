//go:build unix

package faults

import (
	"errors"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

const (
	// heedless is a COMMAND that tells its process id, and then what it is asked.
	heedless = `exec 2>/dev/null; trap "echo asked" INT TERM HUP; echo $$; while :; do sleep 1; done`
	// heedful ends when it is asked to.
	heedful = `echo $$; exec sleep 600`
	// later is when a signal is another wish than the one before it.
	later = 600 * time.Millisecond
)

// newTail is a tail of one ConfigMap with a COMMAND, which runs.
func newTail(t *testing.T, script string) (tail *stream, command int) {
	t.Helper()
	namespace := stage.server.newNamespace(t)
	stage.server.configMaps(t, namespace).create("settings")
	user := stage.server.user(t, cluster.Admin, in(namespace))
	tail = user.tail("configmap/settings", "--grace-period", "1h", "--", "sh", "-c", script)
	return tail, commandOf(tail)
}

// commandOf waits for the process id that a COMMAND tells.
func commandOf(tail *stream) (id int) {
	tail.t.Helper()
	tail.until(func(stdout, _ []string) bool { return len(stdout) > 0 })
	id, err := strconv.Atoi(tail.Lines()[0])
	if err != nil {
		tail.t.Fatal(err)
	}
	tail.t.Cleanup(func() { _ = syscall.Kill(-id, syscall.SIGKILL) }) // fails where it has ended
	return id
}

func (s *stream) signals(all ...syscall.Signal) {
	s.t.Helper()
	for _, signal := range all {
		if err := s.Signal(signal); err != nil {
			s.t.Fatal(err)
		}
	}
}

// endsWith checks that the stream ends in time, and leaves no COMMAND.
func (s *stream) endsWith(code, command int) {
	s.t.Helper()
	result := s.end()
	if result.Code != code {
		s.t.Errorf("got exit code %d, want %d", result.Code, code)
	}
	if result.Stderr != "" {
		s.t.Errorf("says %q", result.Stderr)
	}
	if err := syscall.Kill(command, 0); !errors.Is(err, syscall.ESRCH) {
		s.t.Errorf("the command is left behind: %v", err)
	}
}

// Ctrl-C twice ended the tool, and left its COMMAND running for ever.
func TestSecondSignalKillsTheCommand(t *testing.T) {
	t.Parallel()
	tail, command := newTail(t, heedless)
	tail.signals(syscall.SIGINT)
	tail.until(func(stdout, _ []string) bool { return count(stdout, "asked") > 0 })
	time.Sleep(later)
	tail.signals(syscall.SIGTERM)
	tail.endsWith(130, command)
}

// timeout(1) signals its child, and then the group that the child is in: the
// second signal did not let the first end anything.
func TestSignalsOfOneBurstAreOne(t *testing.T) {
	t.Parallel()
	tail, command := newTail(t, heedful)
	tail.signals(syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM)
	tail.endsWith(143, command)
}

// A terminal that is closed ended the tool by SIGHUP, and not its COMMAND.
func TestClosedTerminalEndsTheCommand(t *testing.T) {
	t.Parallel()
	tail, command := newTail(t, heedful)
	tail.signals(syscall.SIGHUP)
	tail.endsWith(129, command)
}

// What is started by nohup(1) outlives its terminal.
func TestClosedTerminalIsNotHeardUnderNohup(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	cms := stage.server.configMaps(t, namespace)
	cms.create("settings")
	user := stage.server.user(t, cluster.Admin, in(namespace))
	nohup := exec.CommandContext(t.Context(), "sh", "-c", `trap "" HUP; exec "$0" tail configmap/settings -o name`,
		stage.programs.Command(t.Context(), nil, "kubectl-informer").Path)
	nohup.Env = user.env
	started, err := harness.Follow(nohup)
	if err != nil {
		t.Fatal(err)
	}
	tail := &stream{started, t}
	t.Cleanup(func() { _ = tail.Kill() })
	tail.until(func(stdout, _ []string) bool { return len(stdout) == 1 })
	tail.signals(syscall.SIGHUP)
	cms.change("settings")
	tail.until(func(stdout, _ []string) bool { return len(stdout) == 2 })
	tail.endsBy(syscall.SIGTERM)
}
