package process

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// UntilSignal runs an invocation until the process is sent signals: SIGINT, SIGTERM and
// SIGHUP end its context with the cause Interrupted. Who sends another one later does not
// want to wait for a clean end: kill is called, and the code is returned though the
// invocation goes on. A third does not wait for kill.
func UntilSignal(kill func(), run func(context.Context) int) int {
	signals := make(chan os.Signal, 8)
	defer signal.Stop(signals)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup(1) means it
		signal.Notify(signals, syscall.SIGHUP)
	}
	return untilSignalled(signals, kill, run)
}

// untilSignalled is given what the second signal does besides.
func untilSignalled(signals <-chan os.Signal, kill func(), run func(context.Context) int) (code int) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	ended, killed := make(chan int, 1), make(chan struct{})
	go func() { ended <- run(ctx) }()

	var first Interrupted
	var last time.Time
	for wishes := 0; ; {
		select {
		case code := <-ended:
			return code
		case <-killed:
			return first.ExitCode()
		case sent := <-signals:
			if wishes > 0 && time.Since(last) < burst {
				continue
			}
			last = time.Now()
			switch wishes++; wishes {
			case 1:
				first.Signal = sent
				cancel(first)
			case 2:
				go func() {
					kill()
					close(killed)
				}()
			default:
				return first.ExitCode() // what cannot be killed is not waited for
			}
		}
	}
}
