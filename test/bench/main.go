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
	"time"

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

// options say what is measured, and where.
type options struct {
	size
	// only chooses questions by their names.
	only string
	// grow are numbers of pods to which the cluster grows.
	grow []int
	// hold keeps the cluster, and what replays events, instead of asking anything.
	hold bool
	// live measures the live view, and nothing else.
	live bool
	// standIn is how many pods a stand-in for the API server has, which is then asked.
	standIn int
	// replay measures what an event costs, for so long, and nothing else; 0 is not.
	replay time.Duration
	// timeout is how long one run of one tool may take.
	timeout time.Duration
	// kubeconfig is of a cluster that is there, and is only read from.
	kubeconfig string
}

func measure() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	flag.IntVar(&o.pods, "pods", 2000, "how many pods")
	flag.IntVar(&o.widgets, "widgets", 1000, "how many custom resources of 4 KB")
	flag.IntVar(&o.nodes, "nodes", 200, "how many nodes the pods are on")
	flag.IntVar(&o.namespaces, "namespaces", 50, "how many namespaces they are in")
	flag.IntVar(&o.runs, "runs", 3, "how often each question is asked of each tool")
	flag.StringVar(&o.only, "only", "", "measure only the rows whose name contains this: \"tail\" or \"first line\", and as the table names them")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Minute, "how long one run of one command may take, and one row of the events of tail")
	grow := flag.String("grow", "", "then ask only the plugin, as there are this many pods, and then that many: 50000,100000")
	flag.BoolVar(&o.live, "live", false, "measure the live view, beside tail, and nothing else; needs tmux")
	flag.IntVar(&o.standIn, "stand-in", 0, "ask only for whole objects, and only the plugin, of a stand-in that has this many pods like those of the cluster in memory")
	flag.DurationVar(&o.replay, "events", 0, "measure what an event costs that comes alone, a thousand a second for so long, and nothing else")
	flag.BoolVar(&o.hold, "hold", false, "ask nothing: fill the cluster, print its KUBECONFIG, and keep it until interrupted, to profile by hand; with -events and -live, one that replays them")
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "measure on the cluster of this file's current context, without a change to it; -pods, -widgets, -nodes, -namespaces, -grow and -hold have no meaning there")
	flag.Parse()
	var err error
	if o.grow, err = numbers(*grow); err != nil {
		return fmt.Errorf("-grow: %w", err)
	}
	dir, err := os.MkdirTemp("", "informer-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.kubeconfig != "" {
		return onGiven(ctx, o, dir)
	}
	if o.standIn > 0 && !o.hold {
		return onStandIn(ctx, o, dir)
	}
	return onOwn(ctx, o, dir)
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

// onGiven measures what can be measured without a change.
func onGiven(ctx context.Context, o options, dir string) error {
	b, config, err := given(ctx, o.kubeconfig, dir, o.runs)
	if err != nil {
		return err
	}
	defer b.close()
	b.timeout = o.timeout
	if b.values, err = valuesOf(ctx, config); err != nil {
		return err
	}
	fmt.Printf("a given cluster, only read from; medians of %d run(s): kubectl, ours, our share\n\n", o.runs)
	if err := b.table(ctx, os.Stdout, o.only); err != nil {
		return err
	}
	if err := b.firstLines(ctx, os.Stdout, config, o.only); err != nil {
		return err
	}
	if o.only != "" {
		return nil
	}
	if err := b.answers(ctx, os.Stdout); err != nil {
		return err
	}
	fmt.Println("\nLeft out, since they change objects or need to know how many there are: the events of tail, and growth. What the API server uses is not known.")
	return nil
}

// onOwn measures on a cluster that is made for it.
func onOwn(ctx context.Context, o options, dir string) (err error) {
	c, err := cluster.Start(ctx, cluster.Options{APIServerOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	b, err := own(ctx, c, dir, o.size)
	if err != nil {
		return err
	}
	defer b.close()
	b.timeout = o.timeout
	if o.live {
		return b.live(ctx, os.Stdout, c, o.hold)
	}
	config, err := adminConfig(c)
	if err != nil {
		return err
	}
	if err := fill(ctx, c, config, o.size); err != nil {
		return err
	}
	if o.standIn > 0 {
		if err := b.standIn(ctx, c, config, o); err != nil {
			return err
		}
	}
	if o.replay > 0 {
		return b.events(ctx, os.Stdout, c, config, o)
	}
	if o.hold {
		return held(ctx, b.env[len(b.env)-2], b.env[len(b.env)-1])
	}
	if err := b.table(ctx, os.Stdout, o.only); err != nil {
		return err
	}
	if err := b.streams(ctx, os.Stdout, config, o.size, o.only); err != nil {
		return err
	}
	if err := b.firstLines(ctx, os.Stdout, config, o.only); err != nil {
		return err
	}
	if o.only == "" {
		if err := b.answers(ctx, os.Stdout); err != nil {
			return err
		}
	}
	return b.growth(ctx, os.Stdout, config, o.size, o.grow)
}

// held keeps the cluster until it is interrupted, and prints how to reach it.
func held(ctx context.Context, environment ...string) error {
	fmt.Println("export", strings.Join(environment, " "))
	<-ctx.Done()
	return nil
}

// build builds the plugin.
func build(ctx context.Context, dir string, runs int) (*bench, error) {
	plugin := filepath.Join(dir, "kubectl-informer")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", plugin,
		"github.com/kubectl-informer/kubectl-informer/cmd/kubectl-informer")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the plugin: %w\n%s", err, out)
	}
	kubectl, err := cluster.BinaryPath("kubectl")
	return &bench{kubectl: kubectl, plugin: plugin, runs: runs}, err
}

// own measures on a cluster of ours, and taps the wire to its API server.
func own(ctx context.Context, c *cluster.Cluster, dir string, s size) (*bench, error) {
	b, err := build(ctx, dir, s.runs)
	if err != nil {
		return nil, err
	}
	b.values = ownValues(s)
	server, err := apiServer()
	if err != nil {
		return nil, err
	}
	b.server = &server
	if b.wire, err = tap(ctx, c.URL()); err != nil {
		return nil, err
	}
	kubeconfig, err := c.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Server: b.wire.url()})
	b.env = append(os.Environ(), "HOME="+dir, "KUBECONFIG="+kubeconfig, "PATH="+b.path())
	return b, err
}
