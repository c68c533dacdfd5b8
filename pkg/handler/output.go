package handler

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// pipeCapacity is the most that a pipe can hold, on Linux for users without
// special rights (/proc/sys/fs/pipe-max-size); elsewhere it is less.
const pipeCapacity = 1 << 20

// outlet is our own stdout or stderr, which one goroutine at a time writes to.
type outlet struct {
	to   io.Writer
	busy chan struct{} // holds one token while a write is under way
}

func newOutlet(to io.Writer) *outlet {
	if to == nil {
		to = io.Discard
	}
	return &outlet{to: to, busy: make(chan struct{}, 1)}
}

// write waits for p to be written or for ctx to end. The reader of our output
// may have stopped reading (a pager): a write that nobody can interrupt is then
// left behind, and p with it, which nobody may change any more.
func (o *outlet) write(ctx context.Context, p []byte) error {
	select {
	case o.busy <- struct{}{}:
	case <-ctx.Done():
		return errNotRead
	}
	written := make(chan error, 1)
	go func() {
		_, err := o.to.Write(p)
		<-o.busy
		written <- err
	}()
	select {
	case err := <-written:
		if err != nil {
			return &brokenOutput{err}
		}
		return nil
	case <-ctx.Done():
		return errNotRead
	}
}

// outletWriter writes to an outlet until its context ends.
type outletWriter struct {
	ctx context.Context
	*outlet
}

func (w outletWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := w.write(w.ctx, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// output passes on what the runs write: as it comes where there is one run at
// a time, else run by run, as each ends or has written more than is kept.
type output struct {
	stdout, stderr *outlet
	stream         bool
	limits         limits
	token          chan struct{} // is full while a run has its turn
}

func newOutput(stdout, stderr io.Writer, stream bool) *output {
	return &output{newOutlet(stdout), newOutlet(stderr), stream, defaultLimits(), make(chan struct{}, 1)}
}

// open makes the pipes for one run, whose output is passed on until ctx ends.
func (o *output) open(ctx context.Context) (*runOutput, error) {
	turn := &turn{ctx: ctx, token: o.token}
	stdout, err := newTap(o.sink(turn, o.stdout))
	if err != nil {
		return nil, err
	}
	stderr, err := newTap(o.sink(turn, o.stderr))
	if err != nil {
		stdout.close()
		return nil, err
	}
	return &runOutput{turn: turn, stdout: stdout, stderr: stderr}, nil
}

func (o *output) sink(turn *turn, to *outlet) sink {
	passed := lines{to: outletWriter{turn.ctx, to}}
	if o.stream {
		return &passed
	}
	return &spool{to: passed, turn: turn, limits: o.limits}
}

// runOutput is stdout and stderr of one run.
type runOutput struct {
	turn           *turn
	stdout, stderr *tap
}

// copy starts to take in what the process writes, now that it has the other
// ends of the pipes.
func (r *runOutput) copy() {
	r.stdout.start()
	r.stderr.start()
}

// finish, once the process has ended, takes in the rest and passes on what has
// not been passed on yet.
func (r *runOutput) finish() error {
	defer r.turn.give()
	// What is left behind may hold both: both are waited for at once.
	r.stdout.expire()
	r.stderr.expire()
	if err := errors.Join(<-r.stdout.copied, <-r.stderr.copied); err != nil {
		return err
	}
	if err := r.turn.take(); err != nil {
		return err
	}
	if err := r.stdout.sink.finish(); err != nil {
		return err
	}
	return r.stderr.sink.finish()
}

// close gives back what the run had, whether it was started or not.
func (r *runOutput) close() {
	r.stdout.close()
	r.stderr.close()
}

// tap takes one stream of a run from a pipe into a sink. (exec would do it,
// but loses what is in the pipe when the sink is slow and WaitDelay over.)
type tap struct {
	read, write *os.File
	sink        sink
	copied      chan error
}

func newTap(s sink) (*tap, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &tap{read: read, write: write, sink: s, copied: make(chan error, 1)}, nil
}

func (t *tap) start() {
	_ = t.write.Close() // the process has it now
	go func() { t.copied <- t.copy() }()
}

// copy takes in all that comes until the end or until the tap expires; the
// error is the sink's.
func (t *tap) copy() error {
	// A failed sink closes the pipe, so that the process hears of it.
	defer t.read.Close()
	if _, err := io.Copy(t.sink, untilExpired{t.read}); err != nil {
		return err
	}
	// The time may have run out because the sink is slow. What the command has
	// written itself is in the pipe, and is there without waiting.
	_ = t.read.SetReadDeadline(time.Now().Add(glance))
	rest, _ := io.ReadAll(io.LimitReader(t.read, pipeCapacity))
	_, err := t.sink.Write(rest)
	return err
}

// expire sets the time after which processes that were left behind are not
// listened to any more.
func (t *tap) expire() {
	if t.read.SetReadDeadline(time.Now().Add(linger)) == nil {
		return
	}
	// Windows has no deadlines for pipes: closing them does it.
	time.AfterFunc(linger, func() { _ = t.read.Close() })
}

func (t *tap) close() {
	_ = t.write.Close()
	_ = t.read.Close()
	t.sink.close()
}

// untilExpired reads a pipe whose deadline, or closing, is its end.
type untilExpired struct{ pipe *os.File }

func (r untilExpired) Read(p []byte) (int, error) {
	n, err := r.pipe.Read(p)
	if err != nil {
		err = io.EOF
	}
	return n, err
}
