package handler

import (
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// In a container we may be process 1, which inherits what a command leaves
// behind. Nobody else waits for those processes: the end of a run would always
// take the whole grace period.
func TestProcessesThatWeInheritDoNotCountAsAliveForEver(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
	alive := newFIFO(t)
	s := script(t, `exec 3>"$1"; sleep 60 & trap 'exit 0' TERM; echo $$ >&3; wait`, alive.path)
	s.start()
	s.h.Add(parse("ADDED a 1"))
	id, err := strconv.Atoi(strings.TrimSpace(alive.await(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	s.stop()
	<-s.ended
	alive.end(t)
	if err := syscall.Kill(-id, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the group is still there: %v", err)
	}
}

// In our session it would be a background job of our terminal, which is stopped
// when it reads from it.
func TestACommandHasASessionAndGroupOfItsOwn(t *testing.T) {
	ready := newFIFO(t)
	s := script(t, `exec 3>"$1"; echo $$ >&3; read -r _ <"$2"`, ready.path, newFIFO(t).path)
	s.start()
	s.h.Add(parse("ADDED a 1"))
	id, err := strconv.Atoi(strings.TrimSpace(ready.await(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	session, err := unix.Getsid(id)
	if group, groupErr := unix.Getpgid(id); session != id || group != id || errors.Join(err, groupErr) != nil {
		t.Errorf("process %d is of session %d and group %d: %v", id, session, group, errors.Join(err, groupErr))
	}
	s.stop()
	<-s.ended
	ready.end(t)
}
