//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

func TestASignalEndsTheInvocation(t *testing.T) {
	for number, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		if signal.Ignored(number) {
			t.Logf("%v is ignored here", number)
			continue
		}
		code := UntilSignal(func() { t.Error("one signal has killed the commands") }, func(ctx context.Context) int {
			if err := syscall.Kill(os.Getpid(), number); err != nil {
				t.Error(err)
				return 0
			}
			<-ctx.Done()
			var interrupted Interrupted
			if !errors.As(context.Cause(ctx), &interrupted) {
				return 0
			}
			return interrupted.ExitCode()
		})
		if code != want {
			t.Errorf("%v: got exit code %d, want %d", number, code, want)
		}
	}
}
