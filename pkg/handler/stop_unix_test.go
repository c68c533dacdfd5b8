//go:build unix

package handler

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// family is a script with a child and a grandchild in the background, all of
// which hold the fifo $1 open and wait for ever (for a line from it, as it
// comes from nobody: a shell that starts other programs to wait could lose the
// signal between). $2 is what each does on SIGTERM.
const family = `
	mkfifo "$1.never" && exec 3>"$1" 4<>"$1.never"
	wait_for_ever() { trap "$1" TERM; echo "$2" >&3; while :; do read -r _ <&4; done; }
	( ( wait_for_ever "$2" grandchild ) & wait_for_ever "$2" child ) &
	wait_for_ever "$2" command
`

// watchexec/watchexec#716: Ctrl-C ends the watcher, and the command's children go on.
func TestAStopEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	alive := newFIFO(t)
	s := script(t, family, alive.path, "echo goodbye >&3; exit 0")
	s.start()
	s.h.Add(parse("ADDED a 1"))
	alive.await(t, 3)
	s.stop()
	if err := <-s.ended; err != nil {
		t.Errorf("Run returned %v", err)
	}
	if said := alive.end(t); strings.Count(said, "goodbye") != 3 {
		t.Errorf("asked to end, they said %q", said)
	}
	s.expectGivenUp()
}

func TestAStopKillsWhatDoesNotHeedIt(t *testing.T) {
	t.Parallel()
	alive := newFIFO(t)
	s := script(t, family, alive.path, "echo no >&3")
	s.o.GracePeriod = time.Second
	s.start()
	s.h.Add(parse("ADDED a 1"))
	alive.await(t, 3)
	s.stop()
	<-s.ended
	if said := alive.end(t); !strings.Contains(said, "no\n") {
		t.Errorf("they were not asked first: %q", said)
	}
}

func TestAStopKillsChildrenThatOutliveTheCommand(t *testing.T) {
	alive := newFIFO(t)
	s := script(t, `exec 3>"$1"; (trap '' TERM; echo child >&3; while :; do sleep 60; done) & trap 'exit 0' TERM; echo command >&3; wait`, alive.path)
	s.o.GracePeriod = 200 * time.Millisecond
	s.start()
	s.h.Add(parse("ADDED a 1"))
	alive.await(t, 2)
	s.stop()
	<-s.ended
	alive.end(t)
}

func TestAStoppedProcessHearsOfTheEnd(t *testing.T) {
	alive := newFIFO(t)
	s := script(t, `exec 3>"$1"; trap 'echo goodbye >&3; exit 0' TERM; echo ready >&3; kill -STOP $$`, alive.path)
	s.start()
	s.h.Add(parse("ADDED a 1"))
	alive.await(t, 1)
	s.stop()
	<-s.ended
	s.expect("said", alive.end(t), "goodbye\n")
}

func TestACommandThatTakesTooLongIsEndedWithItsChildrenAndIsAFailure(t *testing.T) {
	for name, test := range map[string]struct{ onTerm, code string }{
		"dies of the signal":     {"trap - TERM; kill -TERM $$", "143"},
		"calls it a success":     {"exit 0", "124"},
		"has a code of its own":  {"exit 9", "9"},
		"does not heed a signal": {"", "137"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alive := newFIFO(t)
			s := script(t, family, alive.path, test.onTerm)
			s.o.CommandTimeout, s.o.GracePeriod = 3*time.Second, time.Second
			s.start()
			s.h.Add(parse("ADDED a 1"))
			alive.await(t, 1)
			alive.end(t)
			s.h.Drain(t.Context())
			s.expectGivenUp("ADDED a 1: " + test.code + " it did not end within 3s (--command-timeout)")
		})
	}
}

func TestTheLastWordsOfAnEndedCommandAreShown(t *testing.T) {
	t.Parallel()
	alive := newFIFO(t)
	s := script(t, `exec 3>"$1"; sleep 60 & trap 'echo last words; exit 0' TERM; echo ready >&3; wait`, alive.path)
	s.o.Parallel = 2
	s.start()
	s.h.Add(parse("ADDED a 1"))
	alive.await(t, 1)
	s.stop()
	<-s.ended
	s.expect("stdout", s.stdout.String(), "last words\n")
}

// helm/helm-classic#387: the reader of our output is gone, the watcher lives on.
func TestWhenNobodyReadsOurOutputAnyMoreAllRunsEnd(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 2} {
		read, write := io.Pipe()
		_ = read.CloseWithError(syscall.EPIPE)
		alive := newFIFO(t)
		s := script(t, `test $INFORMER_NAME = talks && { echo hello; exit 0; }; exec 3>"$1"; echo ready >&3; sleep 60`, alive.path)
		s.o.Parallel, s.o.Stdout = parallel, write
		s.start()
		if parallel > 1 {
			s.h.Add(parse("ADDED silent 1"))
			alive.await(t, 1)
		}
		s.h.Add(parse("ADDED talks 1"))
		if err := <-s.ended; err != syscall.EPIPE {
			t.Errorf("Run returned %v", err)
		}
		if parallel > 1 {
			alive.end(t)
		}
		s.expectGivenUp()
	}
}

func TestAnEndDoesNotWaitForAReaderThatStoppedReading(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 2} {
		read, write := io.Pipe() // nobody reads
		alive := newFIFO(t)
		s := script(t, `echo hello; exec 3>"$1"; echo ready >&3; exec sleep 60`, alive.path)
		s.o.Parallel, s.o.Stdout = parallel, write
		s.start()
		s.h.Add(parse("ADDED a 1"))
		alive.await(t, 1)
		s.stop()
		if err := <-s.ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
		_ = read.Close()
	}
}

// A pager reads a page and waits. What the command wrote is still there when
// it goes on, however long that takes, and the run is no failure.
func TestASlowReaderLosesNothing(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	done := newFIFO(t)
	s := script(t, `yes 2>/dev/null | head -c 60000; exec 3>"$1"; echo written >&3`, done.path)
	s.o.Stdout = write
	got := make(chan int, 1)
	go func() {
		first, _ := io.ReadFull(read, make([]byte, 100))
		done.await(t, 1)
		done.end(t)
		time.Sleep(linger + linger/2)
		rest, _ := io.Copy(io.Discard, read)
		got <- first + int(rest)
	}()
	s.handle("ADDED a 1")
	_ = write.Close()
	if n := <-got; n != 60_000 {
		t.Errorf("%d bytes arrived, want %d", n, 60_000)
	}
	s.expectGivenUp()
}

// lineChannel passes each write on.
type lineChannel chan<- string

func (c lineChannel) Write(p []byte) (int, error) {
	c <- string(p)
	return len(p), nil
}

// killGroup ends the processes of the group whose id is in a file.
func killGroup(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(-id, syscall.SIGKILL)
}
