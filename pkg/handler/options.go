package handler

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// What the flags are where a user does not set them.
const (
	DefaultParallel    = 1
	DefaultRetries     = 5
	DefaultGracePeriod = 10 * time.Second
)

// Options say what is run, how often and for how long.
type Options struct {
	// Command is the program and its arguments. Nothing is ever added to them.
	Command []string
	// Parallel is how many objects are handled at once; at least 1.
	Parallel int
	// Retries is how often a failed run is repeated: 0 is never, -1 without end.
	Retries int
	// CommandTimeout ends a run that takes longer; 0 lets it take its time.
	CommandTimeout time.Duration
	// GracePeriod is the time from SIGTERM to SIGKILL, and the time that Drain
	// leaves to the runs under way.
	GracePeriod time.Duration
	// Once handles an event of one type at most once for each object.
	Once bool
	// Cooldown is for how long there is no other run for an object after one that
	// succeeded; its newest state is handled then, its deletion at once. 0 is no time.
	Cooldown time.Duration
	// Processes cuts all that short; nil never does.
	Processes *Processes
	// Stdout and Stderr get what the runs write. Both may be written to at the
	// same time, each by one goroutine at a time. Nil discards.
	Stdout, Stderr io.Writer
	// Encode makes what a run reads on its stdin. It may be called from several
	// goroutines at once.
	Encode func(cache.Event) ([]byte, error)
	// Environ is the environment of every run, to which the event's variables
	// are added: KEY=value, as os.Environ returns it, which nil stands for.
	Environ []string
	// GivenUp is called with an event whose last retry failed: the exit code of that
	// run (128 and the number for a signal, 126 and 127 for a program that could
	// not be started, as shells count), and what went wrong in words. It may be
	// called from several goroutines at once, and may be nil.
	GivenUp func(event cache.Event, code int, err error)
	// Done is called with an event that nothing is left to do about: a run for it has
	// succeeded, or there is none to be. Events that were merged into it are done with
	// it. It must not block, nor call the Handler, and may be nil.
	Done func(event cache.Event)
}

// Validate refuses what cannot be meant.
func (o *Options) Validate() error {
	switch {
	case len(o.Command) == 0:
		return errors.New("there is no COMMAND after --")
	case o.Encode == nil:
		return errors.New("there is no encoder for events")
	case o.Parallel < 1:
		return errors.New("--parallel must be at least 1")
	case o.Retries < -1:
		return errors.New("--retries must be -1 (without end), 0 or more")
	case o.CommandTimeout < 0:
		return errors.New("--command-timeout must not be negative")
	case o.Cooldown < 0:
		return errors.New("--cooldown must not be negative")
	case o.GracePeriod < 0:
		return errors.New("--grace-period must not be negative")
	}
	return nil
}

// lookUp finds the program where a shell would find it. The error says in the
// system's words why it cannot be run.
func lookUp(command string) (path string, err error) {
	path, err = exec.LookPath(command)
	if err == nil {
		return path, nil
	}
	var notFound *exec.Error
	if errors.As(err, &notFound) {
		err = notFound.Err
	}
	var notThere *fs.PathError
	if errors.As(err, &notThere) {
		err = notThere.Err
	}
	return "", fmt.Errorf("cannot run %q: %w", command, err)
}
