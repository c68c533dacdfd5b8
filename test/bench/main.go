// Command bench measures what a question costs, asked of kubectl and of the
// plugin in turns, on the same data of one API server, in one run. It prints
// medians, and our share of kubectl's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// size is how much there is to be asked about, and how often it is asked.
type size struct {
	pods, widgets, nodes, namespaces, runs int
}

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func measure() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var s size
	flag.IntVar(&s.pods, "pods", 2000, "how many pods")
	flag.IntVar(&s.widgets, "widgets", 1000, "how many custom resources of 4 KB")
	flag.IntVar(&s.nodes, "nodes", 200, "how many nodes the pods are on")
	flag.IntVar(&s.namespaces, "namespaces", 50, "how many namespaces they are in")
	flag.IntVar(&s.runs, "runs", 3, "how often each question is asked of each tool")
	only := flag.String("only", "", "ask only the questions whose name contains this")
	flag.Parse()
	return run(ctx, s, *only)
}

func run(ctx context.Context, s size, only string) (err error) {
	dir, err := os.MkdirTemp("", "informer-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	plugin := filepath.Join(dir, "kubectl-informer")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", plugin,
		"github.com/kubectl-informer/kubectl-informer/cmd/kubectl-informer")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the plugin: %w\n%s", err, out)
	}
	kubectl, err := cluster.BinaryPath("kubectl")
	if err != nil {
		return err
	}
	c, err := cluster.Start(ctx, cluster.Options{APIServerOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	if err := fill(ctx, c, s); err != nil {
		return err
	}
	kubeconfig, err := c.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{})
	if err != nil {
		return err
	}
	b := &bench{kubectl: kubectl, plugin: plugin, env: append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+dir), runs: s.runs}
	return b.table(ctx, os.Stdout, only)
}
