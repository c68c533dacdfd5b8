// Command kubectl-informer is the kubectl plugin `kubectl informer`.
package main

import (
	"os"

	// Every authentication plugin that kubectl has.
	_ "k8s.io/client-go/plugin/pkg/client/auth"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
)

func main() { os.Exit(cmd.Run(os.Args)) }
