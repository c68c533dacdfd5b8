//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Stops are the signals with which a shell stops the process and lets it go on.
type Stops struct{ stopping, going chan os.Signal }

// NewStops begins to listen for them.
func NewStops() *Stops {
	s := &Stops{make(chan os.Signal, 1), make(chan os.Signal, 1)}
	signal.Notify(s.stopping, syscall.SIGTSTP)
	signal.Notify(s.going, syscall.SIGCONT)
	return s
}

// Close gives them their usual meaning again.
func (s *Stops) Close() {
	signal.Stop(s.stopping)
	signal.Stop(s.going)
}

// Stop receives when the process is to stop, resumed when it goes on although it has
// not been stopped by suspend: somebody else may have used the terminal.
func (s *Stops) Stop() <-chan os.Signal { return s.stopping }

// Resumed is described at Stop.
func (s *Stops) Resumed() <-chan os.Signal { return s.going }

// Suspend stops the process, and all that the shell has started with it, as the
// terminal does for a program that leaves Ctrl-Z to it. It returns when the process
// goes on. Where no shell could let it go on, the system does not stop it.
//
// Go gives a signal that it has been notified of no default action again, so that it is
// not SIGTSTP that stops us, but one that does the same.
func (s *Stops) Suspend() {
	const orphaned = 200 * time.Millisecond
	if err := syscall.Kill(0, syscall.SIGTTIN); err != nil {
		return
	}
	select {
	case <-s.going:
	case <-time.After(orphaned):
	}
}
