package process

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
)

// Streams are where a command reads and writes: Out is data, ErrOut is talk.
type Streams struct {
	genericiooptions.IOStreams
	// OutIsTerminal says that Out is read by a person's terminal.
	OutIsTerminal bool
	// ErrIsTerminal says the same of ErrOut, and that a line of it can be erased.
	ErrIsTerminal bool
	// Console owns ErrOut; see owned.
	Console *Console
	// Processes are the COMMANDs, which a second signal kills; nil where none does.
	Processes *handler.Processes
}

// Print hands print a writer to Out that escapes text for a terminal.
func (s Streams) Print(print func(*bufio.Writer) error) error {
	return display.Print(s.Out, s.OutIsTerminal, print)
}

// Quiet are streams to out alone: what is typed at a prompt must not be disturbed.
func Quiet(out io.Writer) Streams {
	return Streams{IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: out, ErrOut: io.Discard}}
}

// OSStreams are the process's own streams.
func OSStreams() Streams {
	return Streams{
		IOStreams:     genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		OutIsTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrIsTerminal: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
	}
}

// Owned returns the streams as commands get them: with a console that ErrOut is,
// and that Out goes through where both are on a terminal, which is then most
// likely the same. Errors of either writer are outputErrors.
func (s Streams) Owned() Streams {
	s.Console = NewConsole(s)
	out := stdout{file: s.Out, Writer: ourOutput{s.Out}}
	if s.OutIsTerminal && s.ErrIsTerminal {
		out.Writer = throughConsole{s.Console, s.Out}
	}
	s.Out, s.ErrOut = out, s.Console
	return s
}

// stdout is a writer of data, and what it writes to in the end.
type stdout struct {
	io.Writer
	file io.Writer
}

// Underlying is what a writer of data writes to in the end: for whoever asks the
// system about it.
func Underlying(out io.Writer) io.Writer {
	if ours, ok := out.(stdout); ok {
		return ours.file
	}
	return out
}

// WriteOutput runs write, which writes to out. A reader that does not read cannot
// hold up the end: the write that waits for it when ctx ends is left behind, and
// ends with the process. A reader that has gone is an outputError, also while
// nothing is written; write has ended by then.
func WriteOutput(ctx context.Context, out io.Writer, write func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- write(ctx) }()
	var gone error
	select {
	case err := <-ended:
		return err
	case <-readerGone(ctx, Underlying(out)):
		gone = ErrReaderGone
		cancel()
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return cmp.Or(gone, err)
	case <-time.After(drainTime):
		return cmp.Or(gone, ctx.Err())
	}
}
