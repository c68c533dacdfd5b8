package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// changes is how many pods are changed while a stream is measured.
const changes = 2000

// streamed is what a stream costs.
type streamed struct {
	first   cost          // until all pods have been printed
	line    time.Duration // until anything has been printed
	changed cost          // for the changes
}

// streams prints what following all pods costs, as JSON.
func (b *bench) streams(ctx context.Context, out io.Writer, config *rest.Config, s size) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var all [2][]streamed
	for run := range b.runs {
		for n, command := range []*exec.Cmd{
			exec.CommandContext(ctx, b.kubectl, "get", "pods", "-A", "-w", "--output-watch-events", "-o", "json"),
			exec.CommandContext(ctx, b.plugin, "tail", "pods", "-A", "-o", "json"),
		} {
			told, err := b.follow(ctx, command, client, s, run*2+n)
			if err != nil {
				return fmt.Errorf("%s: %w", command, err)
			}
			all[n] = append(all[n], told)
		}
	}
	of := func(n int, part func(streamed) cost) cost {
		var costs []cost
		for _, told := range all[n] {
			costs = append(costs, part(told))
		}
		return median(costs)
	}
	first, changed := func(t streamed) cost { return t.first }, func(t streamed) cost { return t.changed }
	row(out, fmt.Sprintf("`tail pods -A -o json`, the first %d", s.pods), of(0, first), of(1, first))
	row(out, fmt.Sprintf("`tail pods -A -o json`, %d changes", changes), of(0, changed), of(1, changed))
	line := func(t streamed) cost { return cost{wall: t.line} }
	raw, err := transfer(ctx, client)
	if err != nil {
		return err
	}
	ours := of(1, line).wall
	fmt.Fprintf(out, "\nFirst line of the stream: kubectl after %s, ours after %s; the same list in protobuf, read and thrown away: %s (ours takes %.1f times as long)\n",
		seconds(of(0, line).wall), seconds(ours), seconds(raw), ours.Seconds()/raw.Seconds())
	return nil
}

// follow runs a stream until all pods have been printed, changes some, waits
// until that has been printed too, and ends it.
func (b *bench) follow(ctx context.Context, command *exec.Cmd, client kubernetes.Interface, s size, run int) (streamed, error) {
	command.Env = b.env
	stdout, err := command.StdoutPipe()
	if err != nil {
		return streamed{}, err
	}
	began, server, received := time.Now(), b.server.cpu(), b.wire.received.Load()
	if err := command.Start(); err != nil {
		return streamed{}, err
	}
	printed := counter{began: began}
	read := make(chan error, 1)
	go func() { read <- printed.read(stdout) }()
	defer func() {
		_ = command.Process.Kill()
		<-read
		_ = command.Wait() // killed
	}()
	if err := printed.wait(ctx, s.pods); err != nil {
		return streamed{}, err
	}
	tool := process(command.Process.Pid)
	told := streamed{line: time.Duration(printed.first.Load())}
	told.first = cost{cpu: tool.cpu(), rss: tool.peak(), wall: time.Since(began), server: b.server.cpu() - server, received: b.wire.received.Load() - received}
	began, server, received = time.Now(), b.server.cpu(), b.wire.received.Load()
	if err := change(ctx, client, s, run); err != nil {
		return streamed{}, err
	}
	if err := printed.wait(ctx, s.pods+changes); err != nil {
		return streamed{}, err
	}
	told.changed = cost{cpu: tool.cpu() - told.first.cpu, rss: tool.peak(), wall: time.Since(began), server: b.server.cpu() - server, received: b.wire.received.Load() - received}
	return told, nil
}

// change gives some pods another label.
func change(ctx context.Context, client kubernetes.Interface, s size, run int) error {
	patch := []byte(`{"metadata":{"labels":{"run":"` + strconv.Itoa(run) + `"}}}`)
	return each(ctx, 0, changes, func(ctx context.Context, n int) error {
		n %= s.pods
		_, err := client.CoreV1().Pods(namespace(n%s.namespaces)).Patch(ctx, podName(n), types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// counter counts the pods of a stream of JSON.
type counter struct {
	began time.Time
	first atomic.Int64 // nanoseconds until the first byte
	pods  atomic.Int64
}

func (c *counter) read(stdout io.Reader) error {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		c.first.CompareAndSwap(0, int64(time.Since(c.began)))
		// kubectl lays its JSON out, and has a space behind the colon.
		for _, kind := range []string{`"kind":"Pod"`, `"kind": "Pod"`} {
			c.pods.Add(int64(bytes.Count(lines.Bytes(), []byte(kind))))
		}
	}
	return lines.Err()
}

// wait waits until so many pods have been printed.
func (c *counter) wait(ctx context.Context, n int) error {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	deadline := time.After(5 * time.Minute)
	for c.pods.Load() < int64(n) {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline:
			return fmt.Errorf("%d of %d pods printed after five minutes", c.pods.Load(), n)
		}
	}
	return nil
}

// transfer is how long it takes to read all pods in protobuf, as one list, and
// to throw them away.
func transfer(ctx context.Context, client kubernetes.Interface) (time.Duration, error) {
	began := time.Now()
	list, err := client.CoreV1().RESTClient().Get().Resource("pods").SetHeader("Accept", runtime.ContentTypeProtobuf).Stream(ctx)
	if err != nil {
		return 0, err
	}
	defer list.Close()
	_, err = io.Copy(io.Discard, list)
	return time.Since(began), err
}
