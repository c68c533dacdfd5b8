package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// The exit codes that users are promised, besides 0 and 128 + a signal.
const (
	ExitError          = 1
	exitNothingMatched = 3
	exitFailed         = 4
	exitTimeout        = 124
	ExitBrokenPipe     = 128 + int(syscall.SIGPIPE)
)

// What ends a command, or a part of it, and is compared with errors.Is.
var (
	// ErrNothingMatched ends `list --exit-status` when there is nothing to show.
	ErrNothingMatched = errors.New("nothing matched")
	// ErrDone ends a stream that has reported all that was asked for.
	ErrDone = errors.New("done")
	// ErrTimeUp is the cause with which --timeout ends a stream.
	ErrTimeUp = errors.New("the time is up")
	// ErrNotListed is the answer of a stream whose time was up too early.
	ErrNotListed = errors.New("timed out before all objects were listed")
	// ErrTimedOut is the cause with which --timeout ends a wait.
	ErrTimedOut = errors.New("timed out waiting for the condition")
	// ErrNotMet is the answer of a wait that asks once.
	ErrNotMet = errors.New("condition not met")
	// ErrStalled is the cause with which a server that says nothing more ends the
	// questions for its types.
	ErrStalled = errors.New("timed out waiting for the server to say which resource types it has")
	// ErrLongLine is why a line of query's stdin is not even parsed.
	ErrLongLine = errors.New("the line is longer than 1 MiB")
)

// timedOut says that something was not there in time, and how far it got.
type timedOut struct {
	// words are one of the errors above.
	words   error
	summary string
}

// NewTimedOut is the error for one of the sentinels above, with how far it got.
func NewTimedOut(words error, summary string) error { return &timedOut{words, summary} }

// Error is kubectl's words and ours.
func (e *timedOut) Error() string { return fmt.Sprintf("%v: %s", e.words, e.summary) }
func (e *timedOut) Unwrap() error { return e.words }

// outputError is an error of our own stdout or stderr. What else a write can
// fail at, such as a connection, is none.
type outputError struct{ err error }

// ErrReaderGone is that nobody reads our output any more.
var ErrReaderGone error = &outputError{syscall.EPIPE}

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// isReaderGone says whether an error is that nobody reads our output any more.
func isReaderGone(err error) bool {
	var output *outputError
	return errors.As(err, &output) && errors.Is(output, syscall.EPIPE)
}

// Interrupted is the cause with which a signal ends a command.
type Interrupted struct{ Signal os.Signal }

// Error names the signal.
func (i Interrupted) Error() string { return fmt.Sprintf("ended by signal: %v", i.Signal) }

// ExitCode is 128 and the signal's number, as shells have it.
func (i Interrupted) ExitCode() int {
	if number, ok := i.Signal.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return ExitError
}

// Finish puts what went wrong into words on stderr, each message once, and
// returns the exit code. It is the only place that knows either.
func Finish(ctx context.Context, console *Console, by Asked, err error) int {
	var interrupted Interrupted
	switch {
	case err == nil:
		return 0
	case errors.As(context.Cause(ctx), &interrupted), errors.As(err, &interrupted):
		return interrupted.ExitCode()
	case isReaderGone(err):
		return ExitBrokenPipe
	case errors.Is(err, ErrNothingMatched):
		return exitNothingMatched
	}
	code := ExitError
	for _, one := range Flatten(err) {
		var failure *cache.SyncError
		if errors.As(one, new(*timedOut)) || errors.As(one, &failure) && failure.TimedOut {
			code = exitTimeout
		}
		if errors.As(one, new(*match.FailedError)) {
			code = exitFailed
		}
		console.SayOnce(preface(one, by))
		console.SayOnce(Words(one))
		console.SayOnce(Hint(one, by))
	}
	return code
}

// alreadyReported is an error whose words were printed when it happened; it only
// counts for the exit code.
type alreadyReported struct{ err error }

// Reported marks an error as one whose words have been printed; nil stays nil.
func Reported(err error) error {
	if err == nil {
		return nil
	}
	return alreadyReported{err}
}

// IsReported says whether an error's words have been printed.
func IsReported(err error) bool { return errors.As(err, new(alreadyReported)) }

func (a alreadyReported) Error() string { return a.err.Error() }
func (a alreadyReported) Unwrap() error { return a.err }
