package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/podchurn"
)

// churned is how many pods there are, and how many of them change in a second, for how
// long.
const (
	churned     = 10_000
	changesEach = 1000
	churnTime   = 20 * time.Second
)

// live prints what it costs to have many pods on the screen while many of them change,
// with tail and with the live view. They are no real ones: an API server on the same
// machine would not leave them the time.
func (b *bench) live(ctx context.Context, out io.Writer, c *cluster.Cluster, hold bool) error {
	proxy, err := c.HTTPProxy(ctx)
	if err != nil {
		return err
	}
	pods := podchurn.NewLargePods(churned)
	proxy.Answer(faultproxy.List("pods"), faultproxy.Always, http.HandlerFunc(pods.List))
	proxy.Answer(faultproxy.Watch("pods"), faultproxy.Always, pods.Watch(changesEach))
	kubeconfig, err := c.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Server: proxy.URL()})
	if err != nil {
		return err
	}
	if hold {
		return held(ctx, "KUBECONFIG="+kubeconfig)
	}
	fmt.Fprintf(out, "%d pods in a terminal, up to %d changes a second for %v; CPU as of %d a second:\n\n", churned, changesEach, churnTime, changesEach)
	for _, args := range []string{"tail pods -A", "list pods -A --live", "list pods -A --live --sort-by=.metadata.labels.shard"} {
		w, err := b.watch(ctx, append(b.env, "KUBECONFIG="+kubeconfig), args, pods.Changes)
		if err != nil {
			return fmt.Errorf("%s: %w", args, err)
		}
		fmt.Fprintf(out, "| `%s` | %.1f %% of a core (there were %.0f changes a second) |", args,
			100*w.cpu.Seconds()/float64(w.changes)*changesEach, float64(w.changes)/w.wall.Seconds())
		if len(w.keys) > 0 {
			fmt.Fprintf(out, " %d keys answered after %v at the median, %v at most |",
				len(w.keys), w.keys[len(w.keys)/2].Round(time.Millisecond), slices.Max(w.keys).Round(time.Millisecond))
		}
		fmt.Fprintln(out)
	}
	return nil
}

// watched is what it costs to watch pods that change.
type watched struct {
	cost
	changes int64
	keys    []time.Duration // until a key was answered
}

// watch runs the plugin in a terminal of tmux, and measures it when it has been watching
// for some time.
func (b *bench) watch(ctx context.Context, env []string, args string, changes func() int64) (w watched, err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return w, err
	}
	defer os.RemoveAll(dir)
	t := &tmux{socket: filepath.Join(dir, "s"), env: env}
	defer func() { _, _ = t.run(context.WithoutCancel(ctx), "kill-server") }()
	if _, err := t.run(ctx, "-u", "-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", "exec "+b.plugin+" "+args); err != nil {
		return w, err
	}
	shown, err := t.run(ctx, "display-message", "-p", "#{pane_pid}")
	if err != nil {
		return w, err
	}
	number, err := strconv.Atoi(strings.TrimSpace(shown))
	if err != nil {
		return w, err
	}
	tool := process(number)
	if err := t.until(ctx, "CrashLoopBackOff", "values"); err != nil {
		return w, err
	}
	select {
	case <-time.After(warming):
	case <-ctx.Done():
		return w, context.Cause(ctx)
	}
	began, cpu, before := time.Now(), tool.cpu(), changes()
	for time.Since(began) < churnTime {
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return w, context.Cause(ctx)
		}
		if strings.Contains(args, "--live") {
			took, err := t.answer(ctx)
			if err != nil {
				return w, err
			}
			w.keys = append(w.keys, took)
		}
	}
	w.cost, w.changes = cost{cpu: tool.cpu() - cpu, wall: time.Since(began)}, changes()-before
	slices.Sort(w.keys)
	return w, nil
}

// until waits until one of the words is on the screen.
func (t *tmux) until(ctx context.Context, words ...string) error {
	for ctx.Err() == nil {
		text, err := t.run(ctx, "capture-pane", "-p")
		if err != nil {
			return err
		}
		for _, word := range words {
			if strings.Contains(text, word) {
				return nil
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	return context.Cause(ctx)
}

// tmux plays a terminal.
type tmux struct {
	socket string
	env    []string
	helps  bool
}

func (t *tmux) run(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "tmux", append([]string{"-S", t.socket}, args...)...)
	command.Env = slices.Concat(t.env, []string{"LC_ALL=C.UTF-8", "TERM=xterm-256color"})
	out, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), err
}

// answer opens the page of keys, or closes it, and returns after how long it is there,
// or is not.
func (t *tmux) answer(ctx context.Context) (time.Duration, error) {
	key, want := "?", !t.helps
	if t.helps {
		key = "Escape"
	}
	began := time.Now()
	if _, err := t.run(ctx, "send-keys", key); err != nil {
		return 0, err
	}
	for time.Since(began) < 2*time.Second {
		text, err := t.run(ctx, "capture-pane", "-p")
		if err != nil {
			return 0, err
		}
		if strings.Contains(text, "fg returns") == want {
			t.helps = want
			break
		}
	}
	return time.Since(began), nil
}
