//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// parentLog, in the environment, has the test binary be a parent that starts a
// program, tells its process id and waits, instead of running tests.
const parentLog = "PROCESS_TEST_PARENT_LOG"

func TestMain(m *testing.M) {
	if log := os.Getenv(parentLog); log != "" {
		beParent(log)
		return
	}
	goleak.VerifyTestMain(m)
}

func beParent(log string) {
	p, err := Start(context.Background(), Spec{Name: "child", Path: "/bin/sleep", Args: []string{"1000"}, Log: log})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(p.PID())
	<-p.Done()
}

func start(t *testing.T, ctx context.Context, script string) *Process {
	t.Helper()
	p, err := Start(ctx, Spec{Name: "script", Path: "/bin/sh", Args: []string{"-c", script}, Log: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestKillLeavesNothing(t *testing.T) {
	p := start(t, t.Context(), "trap '' TERM; while :; do sleep 0.1; done")
	p.Kill()
	if exists(p.PID()) {
		t.Fatal("the program is still there")
	}
	p.Kill() // once more does no harm
}

func TestStopLetsTheProgramFinish(t *testing.T) {
	p := start(t, t.Context(), "trap 'echo in order; exit' TERM; echo up; while :; do sleep 0.01; done")
	waitForLog(t, p, "up")
	p.Stop(t.Context())
	if log := p.LogTail(100); !strings.Contains(log, "in order") {
		t.Fatalf("log is %q: the program was not asked to end", log)
	}
}

func TestStopKillsWhatDoesNotListen(t *testing.T) {
	p := start(t, t.Context(), "trap '' TERM; echo up; while :; do sleep 0.1; done")
	waitForLog(t, p, "up")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Stop(ctx)
	if exists(p.PID()) {
		t.Fatal("the program is still there")
	}
}

func TestProgramEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := start(t, ctx, "sleep 1000")
	cancel()
	<-p.Done()
}

func TestProgramThatCannotStartIsNamed(t *testing.T) {
	_, err := Start(t.Context(), Spec{Name: "ghost", Path: "/does/not/exist", Log: filepath.Join(t.TempDir(), "log")})
	if err == nil || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "ghost") {
		t.Fatalf("got %v", err)
	}
}

func TestLogTailIsTheEnd(t *testing.T) {
	p := start(t, t.Context(), "echo first; echo last")
	<-p.Done()
	if got := p.LogTail(5); got != "last" {
		t.Fatalf("got %q", got)
	}
}

// waitForLog returns when the program has written a word.
func waitForLog(t *testing.T, p *Process, word string) {
	t.Helper()
	for !strings.Contains(p.LogTail(1000), word) {
		select {
		case <-p.Done():
			t.Fatalf("the program ended: %s", p.LogTail(1000))
		case <-t.Context().Done():
			t.Fatal("the test ended first")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
