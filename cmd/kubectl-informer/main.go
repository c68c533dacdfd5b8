// Command kubectl-informer is the kubectl plugin `kubectl informer`.
package main

import (
	"context"
	"os"

	// Every authentication plugin that kubectl has.
	_ "k8s.io/client-go/plugin/pkg/client/auth"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
	"github.com/kubectl-informer/kubectl-informer/pkg/cores"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	go cores.Limit(ctx)
	code := cmd.Run(os.Args)
	cancel()
	os.Exit(code)
}
