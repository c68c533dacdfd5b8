// Command testcluster starts a small real control plane with sample workloads
// on this machine, for demos and for looking around.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
)

const usage = `usage: testcluster up [--size small|demo] [--kubeconfig FILE] [--state DIR [--detach]]
       testcluster down --state DIR

up    starts a cluster, loads sample workloads, prints the path of a kubeconfig
      and runs until SIGINT or SIGTERM. The kubeconfig has a context for each
      user: admin, viewer, dev, one, lister, nobody.
down  ends the cluster that was started with the same --state.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil:
		return
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(os.Stderr, usage)
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	os.Exit(1)
}

// options are the flags of up and down.
type options struct {
	size       workloads.Size
	kubeconfig string // where to write it; empty: in the cluster's own folder
	state      string // the folder by which down finds the cluster; may be empty
	detach     bool
}

func run(ctx context.Context, args []string, out, messages io.Writer) error {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	o, err := parse(args)
	if err != nil {
		return err
	}
	switch {
	case command == "up" && o.detach:
		return detach(ctx, o, out, messages)
	case command == "up":
		return up(ctx, o, out, messages)
	case command == "down" && o.state != "":
		return down(ctx, o.state, messages)
	default:
		return flag.ErrHelp
	}
}

func parse(args []string) (options, error) {
	var o options
	var size string
	flags := flag.NewFlagSet("testcluster", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&size, "size", string(workloads.Small), "")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "")
	flags.StringVar(&o.state, "state", "", "")
	flags.BoolVar(&o.detach, "detach", false, "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || (o.detach && o.state == "") {
		return o, flag.ErrHelp
	}
	var err error
	o.size, err = workloads.ParseSize(size)
	return o, err
}
