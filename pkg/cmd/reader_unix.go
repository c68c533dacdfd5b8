//go:build unix

package cmd

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pollEvery is how often an idle stream looks whether it still has a reader.
const pollEvery = 500 * time.Millisecond

// readerGone is closed when the reader at the other end of a pipe or socket has
// gone, which a stream that has nothing to write would not find out. It works
// until ctx ends, for files of the operating system only.
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
			// POLLERR is always reported, so no other event need be asked for.
			fds := []unix.PollFd{{Fd: int32(file.Fd())}}
			if n, err := unix.Poll(fds, 0); err == nil && n > 0 && fds[0].Revents&unix.POLLERR != 0 {
				close(gone)
				return
			}
		}
	}()
	return gone
}
