// Command kubectl-informer is the kubectl plugin `kubectl informer`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	// Every authentication plugin that kubectl has.
	_ "k8s.io/client-go/plugin/pkg/client/auth"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		cancel(cmd.Interrupted{Signal: first})
		// Whoever asks twice does not want to wait for a clean end.
		second := <-signals
		os.Exit(cmd.Interrupted{Signal: second}.ExitCode())
	}()
	os.Exit(cmd.Main(ctx, os.Args, cmd.OSStreams()))
}
