package cmd

import (
	"context"
	"io"
	"syscall"
	"time"
)

// drainTime is how long a command that is to end waits for a reader that is stuck.
const drainTime = 500 * time.Millisecond

// unlessStuck runs write, which writes to out. A reader that is stuck cannot
// hold up the end: the write that waits for it when ctx ends is left behind, and
// ends with the process. A reader that has gone is an outputError, also while
// nothing is written.
func unlessStuck(ctx context.Context, out io.Writer, write func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- write(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-readerGone(ctx, underlying(out)):
		return &outputError{syscall.EPIPE}
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(drainTime):
		return ctx.Err()
	}
}
