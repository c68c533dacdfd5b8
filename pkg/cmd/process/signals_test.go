package process

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// signalled is an invocation that takes a minute to end after its context, while
// killing its commands takes as long as said. It is sent signals at moments.
type signalled struct {
	kill time.Duration
	at   map[time.Duration]syscall.Signal
}

// expect checks for an exit code, when it comes, and how often was killed.
func (s signalled) expect(t *testing.T, code int, after time.Duration, kills int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 8)
		for moment, sent := range s.at {
			time.AfterFunc(moment, func() { signals <- sent })
		}
		began, ended := time.Now(), make(chan struct{})
		var killed atomic.Int64
		got := untilSignalled(signals, func() {
			killed.Add(1)
			time.Sleep(s.kill)
		}, func(ctx context.Context) int {
			defer close(ended)
			<-ctx.Done()
			time.Sleep(time.Minute)
			var interrupted Interrupted
			if !errors.As(context.Cause(ctx), &interrupted) {
				return 1
			}
			return interrupted.ExitCode()
		})
		if took := time.Since(began); got != code || took != after || killed.Load() != int64(kills) {
			t.Errorf("got exit code %d after %v, killed %d times; want %d after %v, %d times", got, took, killed.Load(), code, after, kills)
		}
		<-ended
		time.Sleep(s.kill)
	})
}

func TestABurstOfSignalsIsOneWish(t *testing.T) {
	signalled{at: map[time.Duration]syscall.Signal{
		time.Second:                            syscall.SIGTERM,
		time.Second + time.Millisecond:         syscall.SIGINT,
		time.Second + burst - time.Millisecond: syscall.SIGHUP,
	}}.expect(t, 143, time.Second+time.Minute, 0)
}

func TestASecondSignalKillsTheCommands(t *testing.T) {
	signalled{kill: time.Second, at: map[time.Duration]syscall.Signal{
		time.Second:         syscall.SIGINT,
		time.Second + burst: syscall.SIGTERM,
		time.Second + burst + 10*time.Millisecond:      syscall.SIGTERM,
		time.Second + burst + burst - time.Millisecond: syscall.SIGTERM,
	}}.expect(t, 130, time.Second+burst+time.Second, 1)
}

func TestAThirdSignalWaitsForNoCommandThatCannotBeKilled(t *testing.T) {
	signalled{kill: time.Hour, at: map[time.Duration]syscall.Signal{
		time.Second:      syscall.SIGHUP,
		10 * time.Second: syscall.SIGTERM,
		20 * time.Second: syscall.SIGTERM,
	}}.expect(t, 129, 20*time.Second, 1)
}

func TestAnInvocationThatEndsByItselfKeepsItsExitCode(t *testing.T) {
	if code := untilSignalled(nil, nil, func(context.Context) int { return 3 }); code != 3 {
		t.Errorf("got exit code %d", code)
	}
}
