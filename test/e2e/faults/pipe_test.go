//go:build unix

package faults

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// piped is the plugin with its stdout in a pipe that the test reads.
type piped struct {
	t       *testing.T
	command *exec.Cmd
	stderr  bytes.Buffer
	// writer is open until the reader is in use: its state is the pipe's.
	reader, writer *os.File
	ended          chan struct{}
}

func (u *user) pipe(args ...string) *piped {
	u.t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		u.t.Fatal(err)
	}
	p := &piped{t: u.t, reader: reader, writer: writer, ended: make(chan struct{})}
	p.command = stage.programs.Command(u.t.Context(), u.env, "kubectl-informer", args...)
	p.command.Stdin = strings.NewReader("-o json\n") // the question of a query
	p.command.Stdout, p.command.Stderr = writer, &p.stderr
	if err := p.command.Start(); err != nil {
		u.t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // how it ended is in its ProcessState
	}()
	u.t.Cleanup(func() {
		_ = p.command.Process.Kill() // fails where it has ended
		<-p.ended
		_ = reader.Close() // these fail where the test has closed them
		_ = writer.Close()
	})
	return p
}

// head reads so many lines, and goes.
func (p *piped) head(lines int) {
	p.t.Helper()
	if err := p.writer.Close(); err != nil {
		p.t.Fatal(err)
	}
	reader := bufio.NewReader(p.reader)
	for range lines {
		if _, err := reader.ReadString('\n'); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := p.reader.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// untilStuck waits until the pipe is full, so that its writer waits.
func (p *piped) untilStuck() {
	p.t.Helper()
	eventually(p.t, func() error {
		fds := []unix.PollFd{{Fd: int32(p.writer.Fd()), Events: unix.POLLOUT}}
		writable, err := unix.Poll(fds, 0)
		if err == nil && writable > 0 {
			err = errors.New("the pipe has room")
		}
		return err
	})
}

func (p *piped) end() {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatal("it does not end")
	}
	checkSilence(p.t, harness.Result{Stderr: p.stderr.String()})
}

// endedByItsPipe checks for the end that shells know of a writer without a reader.
func (p *piped) endedByItsPipe() {
	p.t.Helper()
	p.end()
	state := p.command.ProcessState
	status, ok := state.Sys().(syscall.WaitStatus)
	if state.ExitCode() != 128+int(syscall.SIGPIPE) && !(ok && status.Signaled() && status.Signal() == syscall.SIGPIPE) {
		p.t.Errorf("ended with %v", state)
	}
	if p.stderr.Len() > 0 {
		p.t.Errorf("says %q", p.stderr.String())
	}
}

// helm/helm-classic#387: `| head` made noise, or left a watcher behind that had
// nobody to talk to.
func TestWriterEndsWithItsReader(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	cms := stage.server.configMaps(t, namespace)
	for n := range 5 { // more than a pipe holds
		cms.createWith(fmt.Sprintf("large-%d", n), "text", strings.Repeat("x", 50_000))
	}
	user := stage.server.user(t, cluster.Admin, in(namespace))
	for _, args := range [][]string{
		{"list", "configmaps", "-o", "json"},
		{"list", "configmaps", "-o", "jsonl"},
		{"tail", "configmaps", "-o", "json"},
		{"query", "configmaps"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			busy := user.during(t).pipe(args...)
			busy.head(1)
			busy.endedByItsPipe()
		})
	}
	t.Run("an idle tail", func(t *testing.T) {
		idle := user.during(t).pipe("tail", "configmaps", "-o", "name")
		idle.head(5) // all that there is
		idle.endedByItsPipe()
	})
}

// A reader that has stopped reading kept the writer from hearing a signal.
func TestSignalEndsWhatNobodyReads(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	cms := stage.server.configMaps(t, namespace)
	for n := range 5 {
		cms.createWith(fmt.Sprintf("large-%d", n), "text", strings.Repeat("x", 50_000))
	}
	user := stage.server.user(t, cluster.Admin, in(namespace))
	for _, args := range [][]string{
		{"tail", "configmaps", "-o", "json"}, {"list", "configmaps", "-o", "json"}, {"query", "configmaps"},
	} {
		stuck := user.pipe(args...)
		stuck.untilStuck()
		sent := time.Now()
		if err := stuck.command.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		stuck.end()
		if took := time.Since(sent); took > signalled {
			t.Errorf("%v: took %v to end", args, took)
		}
		if code := stuck.command.ProcessState.ExitCode(); code != 130 {
			t.Errorf("%v: got exit code %d, want 130", args, code)
		}
	}
}
