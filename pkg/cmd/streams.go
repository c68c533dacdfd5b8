package cmd

import (
	"bufio"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// Streams are where a command reads and writes: Out is data, ErrOut is talk.
type Streams struct {
	genericiooptions.IOStreams
	// OutIsTerminal says that Out is read by a person's terminal.
	OutIsTerminal bool
	// ErrIsTerminal says the same of ErrOut.
	ErrIsTerminal bool
	// rawErr is ErrOut before it was escaped.
	rawErr io.Writer
}

// escaped are the streams of a command: what it says on ErrOut may quote anything
// that a cluster holds, and is escaped wherever it goes.
func (s Streams) escaped() Streams {
	s.rawErr, s.ErrOut = s.ErrOut, display.Messages(s.ErrOut)
	return s
}

// raw is stderr for what is not said by us, or drives the terminal on purpose.
func (s Streams) raw() io.Writer {
	if s.rawErr != nil {
		return s.rawErr
	}
	return s.ErrOut
}

// print hands print a writer to Out that escapes text for a terminal.
func (s Streams) print(print func(*bufio.Writer) error) error {
	return display.Print(s.Out, s.OutIsTerminal, print)
}

// OSStreams are the process's own streams.
func OSStreams() Streams {
	return Streams{
		IOStreams: genericiooptions.IOStreams{
			In:     os.Stdin,
			Out:    os.Stdout,
			ErrOut: &lockedWriter{to: os.Stderr},
		},
		OutIsTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrIsTerminal: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
	}
}

// lockedWriter lets notices come from many goroutines without mixing lines.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
