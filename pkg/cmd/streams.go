package cmd

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Streams are where a command reads and writes: Out is data, ErrOut is talk.
type Streams struct {
	genericiooptions.IOStreams
	// OutIsTerminal says that Out is read by a person's terminal.
	OutIsTerminal bool
	// ErrIsTerminal says the same of ErrOut.
	ErrIsTerminal bool
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
