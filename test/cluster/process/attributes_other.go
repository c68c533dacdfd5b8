//go:build !linux

package process

import "syscall"

// attributes leaves the child in our process group: where the kernel does not
// tie it to its parent, Ctrl-C and a kill of the group have to reach it.
func attributes() *syscall.SysProcAttr { return nil }
