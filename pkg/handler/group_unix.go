//go:build unix

package handler

import (
	"os"
	"syscall"
)

// group is the process group of one run: the command and all that it started,
// unless that has made a group of its own.
type group struct{ id int }

// inOwnGroup makes a command the first process of a new group, so that it can
// be ended with its children, and Ctrl-C in a terminal reaches it through us alone.
// The group is the first of a session of its own, which has no terminal: in ours
// it would be a background job, and stopped for ever, silently, when it reads from
// /dev/tty. So it is the same for a command as in a CronJob or a service: to open
// /dev/tty fails at once, and the command says so.
func inOwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func groupOf(command *os.Process) group { return group{command.Pid} }

// terminate asks every process to end. One that somebody has stopped has to be
// continued to hear of it.
func (g group) terminate() {
	// The only possible errors say that there is nobody left to hear it.
	_ = syscall.Kill(-g.id, syscall.SIGTERM)
	_ = syscall.Kill(-g.id, syscall.SIGCONT)
}

func (g group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// alive says whether any process of the group is left, once the command itself
// has been waited for. In a container we may be process 1: what the command
// leaves behind is then ours to wait for, and counts as alive until we do.
func (g group) alive() bool {
	for {
		if pid, err := syscall.Wait4(-g.id, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			break
		}
	}
	return syscall.Kill(-g.id, 0) == nil
}

func (g group) release() {}
