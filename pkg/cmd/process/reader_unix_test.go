//go:build unix

package process

import (
	"context"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// outlets are ways to be read: each returns our end and the reader's.
var outlets = map[string]func(t *testing.T) (ours, readers *os.File){
	"pipe": func(t *testing.T) (ours, readers *os.File) {
		readers, ours, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return ours, readers
	},
	"socketpair": func(t *testing.T) (ours, readers *os.File) {
		ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		return os.NewFile(uintptr(ends[0]), "ours"), os.NewFile(uintptr(ends[1]), "reader's")
	},
}

func TestReaderThatLeavesIsNoticedWhileNothingIsWritten(t *testing.T) {
	for name, outlet := range outlets {
		t.Run(name, func(t *testing.T) {
			ours, readers := outlet(t)
			defer ours.Close()
			if hasNoReader(ours) {
				t.Error("its reader is taken for gone while it is there")
			}
			if err := readers.Close(); err != nil {
				t.Fatal(err)
			}
			ended := false
			err := WriteOutput(t.Context(), stdout{file: ours, Writer: ours}, func(ctx context.Context) error {
				<-ctx.Done()
				ended = true
				return ctx.Err()
			})
			if !ended {
				t.Error("what writes goes on")
			}
			if code := Finish(t.Context(), consoleOn(nil), Asked{}, err); code != ExitBrokenPipe {
				t.Errorf("got %v, exit code %d", err, code)
			}
		})
	}
}

// A peer that only stops writing, as `nc -N` does, still reads.
func TestPeerThatStopsWritingIsNotGone(t *testing.T) {
	ours, readers := outlets["socketpair"](t)
	defer ours.Close()
	defer readers.Close()
	if err := unix.Shutdown(int(readers.Fd()), unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	if hasNoReader(ours) {
		t.Error("it is taken for gone")
	}
}

func TestFileAlwaysHasAReader(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if hasNoReader(file) {
		t.Error("it is taken for gone")
	}
}
