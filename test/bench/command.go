package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// errEnded is that a tool has ended by itself, before what it was asked for had come.
var errEnded = errors.New("it ended too early")

// within bounds one run of one tool.
func (b *bench) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, b.timeout, fmt.Errorf("not done after %v", b.timeout))
}

// command is a run of a tool that ends with its context, and so does what it has started.
func (b *bench) command(ctx context.Context, args []string) *exec.Cmd {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Env = b.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	return c
}

// reading runs a tool while its output is read, and then ends it.
func (b *bench) reading(ctx context.Context, args []string, read func(context.Context, process, io.Reader) error) error {
	ctx, end := b.within(ctx)
	defer end()
	command := b.command(ctx, args)
	var stderr strings.Builder
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	err = read(ctx, process(command.Process.Pid), stdout)
	if !errors.Is(err, errEnded) {
		end()
	}
	_ = command.Wait() // mostly killed
	if errors.Is(err, errEnded) {
		err = fmt.Errorf("%w (%s)", err, command.ProcessState)
	}
	return failed(ctx, args, err, stderr.String())
}

// failed is the error of a run, with what was asked, and what the tool wrote about it.
func failed(ctx context.Context, args []string, err error, stderr string) error {
	if err == nil {
		return nil
	}
	// Of a tool that was ended since its time was over, the error is only that it was.
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		err = fmt.Errorf("%w\n%s", err, stderr)
	}
	return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
}
