package cmd

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestWhatIsSaidOnStderrIsSafeForATerminal(t *testing.T) {
	var stderr strings.Builder
	streams := Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &strings.Builder{}, ErrOut: &stderr}}
	code := Main(t.Context(), []string{"kubectl-informer", "list", "pods", "--where", "'no\u202e\x1b[2J\u200bsuch'"}, streams)
	if code != exitError || !strings.Contains(stderr.String(), `no\u202e^[[2J\u200bsuch`) {
		t.Errorf("exit %d: %q", code, stderr.String())
	}
	stderr.Reset()
	// What a COMMAND writes is its own.
	if _, err := streams.owned().console.foreign().Write([]byte(eraseLine)); err != nil || stderr.String() != eraseLine {
		t.Errorf("%q, %v", stderr.String(), err)
	}
}

func TestAReaderThatDoesNotReadDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		reader, out := io.Pipe()
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		err := writeOutput(ctx, out, func(context.Context) error {
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

func TestAnEndLosesWhatIsBeingWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		written := errors.New("written")
		err := writeOutput(ctx, io.Discard, func(context.Context) error {
			cancel()
			time.Sleep(drainTime / 2)
			return written
		})
		if !errors.Is(err, written) {
			t.Errorf("got %v", err)
		}
	})
}
