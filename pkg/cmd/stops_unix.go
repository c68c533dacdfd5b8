//go:build unix

package cmd

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stops are the signals with which a shell stops the process and lets it go on.
type stops struct{ stopping, going chan os.Signal }

func newStops() *stops {
	s := &stops{make(chan os.Signal, 1), make(chan os.Signal, 1)}
	signal.Notify(s.stopping, syscall.SIGTSTP)
	signal.Notify(s.going, syscall.SIGCONT)
	return s
}

func (s *stops) close() {
	signal.Stop(s.stopping)
	signal.Stop(s.going)
}

// stop receives when the process is to stop, resumed when it goes on although it has
// not been stopped by suspend: somebody else may have used the terminal.
func (s *stops) stop() <-chan os.Signal    { return s.stopping }
func (s *stops) resumed() <-chan os.Signal { return s.going }

// suspend stops the process, and all that the shell has started with it, as the
// terminal does for a program that leaves Ctrl-Z to it. It returns when the process
// goes on. Where no shell could let it go on, the system does not stop it.
//
// Go gives a signal that it has been notified of no default action again, so that it is
// not SIGTSTP that stops us, but one that does the same.
func (s *stops) suspend() {
	const orphaned = 200 * time.Millisecond
	if err := syscall.Kill(0, syscall.SIGTTIN); err != nil {
		return
	}
	select {
	case <-s.going:
	case <-time.After(orphaned):
	}
}
