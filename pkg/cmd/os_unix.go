//go:build unix

package cmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// readerGone is closed when the reader at the other end of a pipe, socket or
// terminal has gone, which a stream that has nothing to write would not find out.
// It works until ctx ends, for files of the operating system only.
func readerGone(ctx context.Context, out any) <-chan struct{} {
	gone := make(chan struct{})
	file, ok := out.(*os.File)
	if !ok {
		return gone
	}
	go func() {
		ticker := time.NewTicker(pollEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			if hasNoReader(file) {
				close(gone)
				return
			}
		}
	}()
	return gone
}

// hasNoReader asks the system, which has two words for it: pipes say POLLERR on
// Linux and POLLHUP elsewhere, sockets and terminals say POLLHUP. Both are always
// reported, so no other event need be asked for. A socket whose peer has merely
// stopped writing says neither.
func hasNoReader(file *os.File) bool {
	connection, err := file.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	err = connection.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return err == nil && gone
}

// writableByOthers is the permission that lets anybody write.
const writableByOthers fs.FileMode = 0o002

// ownedAlone says why what is at path is not the user's own.
func ownedAlone(path string, info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (uid %d)", path, owner.Uid)
	case info.Mode()&writableByOthers != 0:
		return fmt.Errorf("%s can be written by everybody", path)
	}
	return nil
}
