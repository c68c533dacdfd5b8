// Command controlplane builds the programs of the test control plane, unless
// they are there already, and prints the folder that holds them.
// `make controlplane` runs it, and `make controlplane-previous` with -previous.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/binaries"
)

func main() {
	previous := flag.Bool("previous", false, "build Kubernetes' programs of the older release")
	flag.Parse()
	release := binaries.Present
	if *previous {
		release = binaries.Previous
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	dir, err := release.Build(ctx, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(dir)
}
