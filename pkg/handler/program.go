package handler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

const (
	// linger is how long we wait, after the command has ended, for processes it
	// left behind that still hold its stdin, stdout or stderr.
	linger = time.Second
	// glance is how often we look whether all of a group has ended.
	glance = 20 * time.Millisecond
)

// program is COMMAND, and what all its runs have in common.
type program struct {
	path      string
	args      []string
	environ   []string
	encode    func(cache.Event) ([]byte, error)
	timeout   time.Duration
	grace     time.Duration
	processes *Processes
	output    *output
}

func newProgram(path string, o Options) *program {
	environ := o.Environ
	if environ == nil {
		environ = os.Environ()
	}
	return &program{
		path:      path,
		args:      o.Command,
		environ:   withoutOurs(environ),
		encode:    o.Encode,
		timeout:   o.CommandTimeout,
		grace:     o.GracePeriod,
		processes: o.Processes,
		output:    newOutput(o.Stdout, o.Stderr, o.Parallel == 1),
	}
}

// run runs the program for one event and returns when its process has ended
// and its output is written: nil for exit code 0, a *failure for another end,
// a *brokenOutput when our own stdout or stderr cannot be written. The end of
// ctx ends the process group in the same way as the time-out does.
func (p *program) run(ctx context.Context, event cache.Event) error {
	object, err := p.encode(event)
	if err != nil {
		return &failure{codeCannotRun, fmt.Errorf("the event cannot be encoded: %w", err)}
	}
	if !bytes.HasSuffix(object, []byte("\n")) {
		object = append(object, '\n') // or a shell's `read` takes the line for an unfinished one
	}
	writing, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	out, err := p.output.open(writing)
	if err != nil {
		return &failure{codeCannotRun, err}
	}
	defer out.close()

	cmd := p.command(event, object)
	cmd.Stdout, cmd.Stderr = out.stdout.write, out.stderr.write
	if !p.processes.begin() {
		return &failure{codeCannotRun, errKilled}
	}
	if err := cmd.Start(); err != nil {
		p.processes.end()
		return cannotStart(err)
	}
	out.copy()
	err = p.supervise(ctx, cmd)
	p.processes.end()
	// From here on only the reader of our own output can keep us waiting, and
	// not for long once we are asked to end.
	defer context.AfterFunc(ctx, func() { time.AfterFunc(linger, abandon) })()
	if outErr := out.finish(); outErr != nil {
		return outputFailure(err, outErr)
	}
	return err
}

// command makes the process for one event. Our stdin is not its stdin, the
// object is. Nothing of the object is in its arguments.
func (p *program) command(event cache.Event, object []byte) *exec.Cmd {
	return &exec.Cmd{
		Path: p.path,
		Args: p.args,
		Env:  slices.Concat(p.environ, variables(event)),
		// A command that does not read it all is free to do so: exec ignores the
		// broken pipe, and WaitDelay ends the writing.
		Stdin:       bytes.NewReader(object),
		WaitDelay:   linger,
		SysProcAttr: inOwnGroup(),
	}
}

// supervise waits for the command to end, or makes it end.
func (p *program) supervise(ctx context.Context, cmd *exec.Cmd) error {
	group := groupOf(cmd.Process)
	defer group.release()
	if p.timeout > 0 {
		limit, cancel := context.WithTimeoutCause(ctx, p.timeout, overtime(p.timeout))
		defer cancel()
		ctx = limit
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the process state says how it ended
	}()
	select {
	case <-ended:
		return result(cmd.ProcessState)
	case <-ctx.Done():
	}
	group.end(ended, p.grace, p.processes.killed.Done())
	code, cause := exitCode(cmd.ProcessState), context.Cause(ctx)
	if code == 0 && errors.As(cause, new(overtime)) {
		code = codeTimedOut
	}
	return &failure{code, cause}
}

// end asks all of a group to end and kills what has not ended after the grace
// period, or when killed is closed. It returns when the command itself, which
// ended reports, has been waited for. A process that has put itself into
// another group is not ours any more.
func (g group) end(ended <-chan struct{}, grace time.Duration, killed <-chan struct{}) {
	g.terminate()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	look := time.NewTicker(glance)
	defer look.Stop()
	for commandEnded := ended; commandEnded != nil || g.alive(); {
		select {
		case <-commandEnded:
			commandEnded = nil
			continue
		case <-look.C:
			continue
		case <-timer.C:
		case <-killed:
		}
		g.kill()
		<-ended
		return
	}
}

// result says how a process ended by itself.
func result(state *os.ProcessState) error {
	if state == nil {
		return &failure{codeCannotRun, errors.New("the system does not say how it ended")}
	}
	if state.Success() {
		return nil
	}
	return &failure{exitCode(state), errors.New(state.String())}
}

// exitCode is 128 and the number of the signal for a process that was killed
// by one, as shells count.
func exitCode(state *os.ProcessState) int {
	if state == nil {
		return codeCannotRun
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// cannotStart is a program that was there when we looked it up, but does not start.
func cannotStart(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &failure{codeNotFound, err}
	}
	return &failure{codeCannotRun, err}
}

// outputFailure makes one error of how the command ended and of why its output
// could not be passed on.
func outputFailure(run, output error) error {
	if errors.As(output, new(*brokenOutput)) {
		return output
	}
	code := codeCannotRun
	if ended := (*failure)(nil); errors.As(run, &ended) {
		code = ended.code // of SIGPIPE, mostly
	}
	return &failure{code, output}
}
