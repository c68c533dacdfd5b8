package harness

import (
	"os"
	"os/signal"
	"syscall"
)

// hearSignals keeps the dispositions of whoever started the tests from the
// programs that the tests start. nohup(1), and a shell for what it runs in the
// background, have signals ignored; children inherit that, and a program that is
// not to hear SIGHUP is not what the tests are about. A signal that is caught is
// not inherited as ignored. Catching it here, and doing nothing, changes nothing
// for the tests themselves. It may be called any number of times.
func hearSignals() {
	for _, ignored := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(ignored) {
			signal.Notify(make(chan os.Signal, 1), ignored)
		}
	}
}
