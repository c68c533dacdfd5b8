// Package process runs the programs of the control plane as children that
// never outlive whoever started them.
package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Process is one running program. Its methods may be called at any time, also
// after it has ended.
type Process struct {
	name string
	log  string
	cmd  *exec.Cmd
	done chan struct{}
}

// Spec says what to run.
type Spec struct {
	// Name is what errors call the program.
	Name string
	Path string
	Args []string
	// Dir is the working directory.
	Dir string
	// Log is the file that stdout and stderr are appended to.
	Log string
}

// Start runs a program until it ends by itself, ctx is done or Kill or Stop is
// called. On Linux it also ends when this process does, in whatever way.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, spec.Path, spec.Args...)
	cmd.Dir = spec.Dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = attributes()
	p := &Process{name: spec.Name, log: spec.Log, cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go p.run(log, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", spec.Name, err)
	}
	return p, nil
}

// run owns one thread for the life of the program: Linux sends the signal that
// is due at the parent's death when the thread dies that started the child.
func (p *Process) run(log *os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	defer log.Close()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		// How it ended is of no interest: whoever did not end it reads the log.
		_ = p.cmd.Wait()
	}
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Name returns the name that errors use.
func (p *Process) Name() string { return p.name }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill ends the program at once and returns when it is gone.
func (p *Process) Kill() {
	// The only possible error says that it has ended already.
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Stop asks the program to end, as an init system does, and returns when it is
// gone. When ctx is done first, it is killed.
func (p *Process) Stop(ctx context.Context) {
	// Where there is no SIGTERM (Windows) this fails and Kill does it.
	if p.cmd.Process.Signal(syscall.SIGTERM) == nil {
		select {
		case <-p.done:
		case <-ctx.Done():
		}
	}
	p.Kill()
}

// LogTail returns the last bytes that the program wrote, at most limit of them.
func (p *Process) LogTail(limit int) string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(content[len(content)-min(limit, len(content)):]))
}
