//go:build unix

package process

import (
	"context"
	"os"
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
