package process

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestAReaderThatDoesNotReadDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		reader, out := io.Pipe()
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		err := WriteOutput(ctx, out, func(context.Context) error {
			_, err := io.WriteString(out, "nobody reads this")
			return err
		})
		if !errors.Is(err, context.Canceled) || time.Since(began) != time.Second+drainTime {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		if err := reader.Close(); err != nil { // ends the write that was left behind
			t.Fatal(err)
		}
	})
}

func TestAnEndKeepsWhatIsBeingWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		written := errors.New("written")
		err := WriteOutput(ctx, io.Discard, func(context.Context) error {
			cancel()
			time.Sleep(drainTime / 2)
			return written
		})
		if !errors.Is(err, written) {
			t.Errorf("got %v", err)
		}
	})
}
