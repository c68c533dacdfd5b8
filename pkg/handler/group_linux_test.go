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
	s.h.Offer(parse("ADDED a 1"))
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
