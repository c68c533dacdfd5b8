package handler

import (
	"errors"
	"fmt"
	"time"
)

// The exit codes that shells have for what could not be started, and that
// timeout(1) has for what took too long.
const (
	codeTimedOut  = 124
	codeCannotRun = 126
	codeNotFound  = 127
)

var (
	// errKilled is why a run was not started.
	errKilled = errors.New("everything ends at once")
	// errTimeIsUp ends the runs that Drain's grace period did not suffice for.
	errTimeIsUp = errors.New("the time was up")
	// errNotRead says that output was left behind, since its reader did not read.
	errNotRead = errors.New("its output was not read")
)

// failure is a run that did not end well.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// overtime is why a run was ended that took longer than this.
type overtime time.Duration

func (o overtime) Error() string {
	return fmt.Sprintf("it did not end within %v (--command-timeout)", time.Duration(o))
}

// brokenOutput says that our own stdout or stderr cannot be written, which
// ends everything.
type brokenOutput struct{ err error }

func (b *brokenOutput) Error() string { return b.err.Error() }
func (b *brokenOutput) Unwrap() error { return b.err }
