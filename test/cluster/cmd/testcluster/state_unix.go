//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A state folder belongs to one running cluster: its file pid holds the process
// id and is locked for as long as the process lives. So a pid that was left
// behind, and may be another program's by now, is never taken for a cluster's.

// errRunning says that the state folder belongs to a cluster that runs.
var errRunning = errors.New("a cluster is running already")

type heldState struct{ pid *os.File }

// hold takes the state folder for this process.
func hold(dir string) (*heldState, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	pid, err := os.OpenFile(pidIn(dir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(pid); err != nil {
		return nil, errors.Join(err, pid.Close())
	}
	if err := pid.Truncate(0); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(pid, os.Getpid())
	return &heldState{pid: pid}, err
}

// release removes the pid file; the lock goes with this process.
func (h *heldState) release() { _ = os.Remove(h.pid.Name()) }

func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errRunning
	}
	return err
}

// running returns the process id of the cluster that has the state folder, and
// 0 where none has it.
func running(dir string) (int, error) {
	file, err := os.Open(pidIn(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if err := lock(file); !errors.Is(err, errRunning) {
		return 0, err
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(content)))
}

// detach starts `testcluster up` in a session of its own and returns when the
// cluster is ready. Where one is running already, that one is used.
func detach(ctx context.Context, o options, out, messages io.Writer) error {
	if pid, err := running(o.state); err != nil || pid != 0 {
		fmt.Fprintln(messages, errRunning)
		printExport(out, kubeconfigIn(o.state))
		return err
	}
	child, log, err := background(o)
	if err != nil {
		return err
	}
	defer log.Close()
	ready, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	fmt.Fprintf(messages, "starting a control plane with the %s workloads; its log is %s\n", o.size, log.Name())
	// Ctrl-C reaches this process only: the child has left the terminal.
	defer context.AfterFunc(ctx, func() { _ = child.Process.Signal(syscall.SIGTERM) })()
	var path string
	if _, err := fmt.Fscanln(ready, &path); err != nil {
		_ = child.Wait() // it says no more than its log
		return fmt.Errorf("the cluster did not start, see %s", log.Name())
	}
	printExport(out, path)
	return nil
}

// background is the command that runs the cluster; stderr goes to its log.
func background(o options) (*exec.Cmd, *os.File, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(o.state, 0o755); err != nil {
		return nil, nil, err
	}
	log, err := os.Create(filepath.Join(o.state, "log"))
	if err != nil {
		return nil, nil, err
	}
	child := exec.Command(self, "up", "--size", string(o.size), "--kubeconfig", o.kubeconfig, "--state", o.state)
	child.Stderr = log
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return child, log, nil
}

func printExport(out io.Writer, kubeconfig string) {
	if full, err := filepath.Abs(kubeconfig); err == nil {
		kubeconfig = full
	}
	fmt.Fprintf(out, "export KUBECONFIG=%s\n", kubeconfig)
}

// down ends the cluster that has the state folder, and returns when it is gone.
func down(ctx context.Context, dir string, messages io.Writer) error {
	pid, err := running(dir)
	if err != nil {
		return err
	}
	if pid == 0 {
		fmt.Fprintln(messages, "no cluster is running")
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		if pid, err := running(dir); err != nil || pid == 0 {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the cluster (process %d) does not end: %w", pid, ctx.Err())
		}
	}
}

func pidIn(dir string) string { return filepath.Join(dir, "pid") }
