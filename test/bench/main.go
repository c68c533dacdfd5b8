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
	"strconv"
	"strings"
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
	grow := flag.String("grow", "", "then ask only the plugin, as there are this many pods, and then that many: 50000,100000")
	hold := flag.Bool("hold", false, "ask nothing: fill the cluster, print its KUBECONFIG, and keep it until interrupted, to profile by hand")
	flag.Parse()
	sizes, err := numbers(*grow)
	if err != nil {
		return fmt.Errorf("-grow: %w", err)
	}
	return run(ctx, s, *only, sizes, *hold)
}

func numbers(list string) ([]int, error) {
	var all []int
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func run(ctx context.Context, s size, only string, sizes []int, hold bool) (err error) {
	dir, err := os.MkdirTemp("", "informer-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := cluster.Start(ctx, cluster.Options{APIServerOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	b, err := prepare(ctx, c, dir, s.runs)
	if err != nil {
		return err
	}
	defer b.wire.close()
	config, err := adminConfig(c)
	if err != nil {
		return err
	}
	if err := fill(ctx, c, config, s); err != nil {
		return err
	}
	if hold {
		fmt.Println("export", b.env[len(b.env)-2], b.env[len(b.env)-1])
		<-ctx.Done()
		return nil
	}
	if err := b.table(ctx, os.Stdout, only); err != nil {
		return err
	}
	if only == "" {
		if err := b.streams(ctx, os.Stdout, config, s); err != nil {
			return err
		}
		if err := b.answers(ctx, os.Stdout); err != nil {
			return err
		}
	}
	return b.growth(ctx, os.Stdout, config, s, sizes)
}

// prepare builds the plugin, and taps the wire to the API server.
func prepare(ctx context.Context, c *cluster.Cluster, dir string, runs int) (*bench, error) {
	plugin := filepath.Join(dir, "kubectl-informer")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", plugin,
		"github.com/kubectl-informer/kubectl-informer/cmd/kubectl-informer")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the plugin: %w\n%s", err, out)
	}
	kubectl, err := cluster.BinaryPath("kubectl")
	if err != nil {
		return nil, err
	}
	server, err := apiServer()
	if err != nil {
		return nil, err
	}
	tapped, err := tap(ctx, c.URL())
	if err != nil {
		return nil, err
	}
	kubeconfig, err := c.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Server: tapped.url()})
	if err != nil {
		return nil, err
	}
	env := append(os.Environ(), "HOME="+dir, "KUBECONFIG="+kubeconfig, "PATH="+filepath.Dir(kubectl)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return &bench{kubectl: kubectl, plugin: plugin, env: env, runs: runs, wire: tapped, server: server}, nil
}
