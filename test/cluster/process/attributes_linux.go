package process

import "syscall"

// attributes puts the child in a group of its own, so that Ctrl-C in a terminal
// reaches only us and we end things in order, and has the kernel kill it when
// its parent dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
