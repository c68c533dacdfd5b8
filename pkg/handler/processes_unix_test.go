//go:build unix

package handler

import (
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// A second Ctrl-C ended the tool and left its commands, which have groups of
// their own, running for ever.
func TestKillLeavesNoCommandRunning(t *testing.T) {
	for name, asked := range map[string]bool{"while they are asked to end": true, "before they are asked": false} {
		t.Run(name, func(t *testing.T) {
			alive := newFIFO(t)
			s := script(t, family, alive.path, "echo no >&3")
			s.o.GracePeriod = time.Hour
			s.start()
			s.h.Add(parse("ADDED a 1"))
			alive.await(t, 3)
			if asked {
				s.stop()
				alive.await(t, 3) // they do not heed it
			}
			s.o.Processes.Kill()
			alive.end(t)
			if err := <-s.ended; err != nil {
				t.Errorf("Run returned %v", err)
			}
			s.expectGivenUp()
		})
	}
}

// A command that was killed and not waited for is a zombie when we end, and a
// burden for whoever inherits it.
func TestKillWaitsForWhatItKilled(t *testing.T) {
	alive := newFIFO(t)
	s := script(t, `trap '' TERM; exec 3>"$1"; echo $$ >&3; while :; do sleep 60; done`, alive.path)
	s.start()
	s.h.Add(parse("ADDED a 1"))
	id, err := strconv.Atoi(strings.TrimSpace(alive.await(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	s.o.Processes.Kill()
	if err := syscall.Kill(id, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the command is still there: %v", err)
	}
	alive.end(t)
	<-s.ended
}

// A reader of stderr that is stuck keeps Run, but not Kill.
func TestKillWaitsForCommandsAlone(t *testing.T) {
	s := script(t, `exit 7`)
	stuck, telling := make(chan struct{}), make(chan struct{})
	s.o.Retries, s.o.GivenUp = 0, func(cache.Event, int, error) {
		close(telling)
		<-stuck
	}
	s.start()
	s.h.Add(parse("ADDED a 1"))
	<-telling
	s.o.Processes.Kill()
	close(stuck)
	<-s.ended
}

func TestAfterKillNoCommandIsStarted(t *testing.T) {
	s := script(t, `echo started`)
	s.o.Processes.Kill()
	p := newProgram("/bin/sh", s.o)
	if err := p.run(t.Context(), parse("ADDED a 1")); !errors.Is(err, errKilled) {
		t.Errorf("got %v", err)
	}
	s.expect("stdout", s.stdout.String(), "")
}
