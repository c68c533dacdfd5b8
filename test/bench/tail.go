package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
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

// stream is the same stream of all pods, of both tools.
type stream struct {
	format          string
	kubectl, plugin []string
	// pod is in each line that begins a pod, once.
	pod [][]byte
}

// streamsOf are the formats in which a stream is measured.
func streamsOf() []stream {
	following := []string{"get", "pods", "-A", "-w", "--output-watch-events"}
	tail := []string{"tail", "pods", "-A"}
	// kubectl lays its JSON out, and has a space behind the colon.
	document := [][]byte{[]byte(`"kind":"Pod"`), []byte(`"kind": "Pod"`)}
	name := [][]byte{[]byte("app-")}
	return []stream{
		{format: "json", kubectl: append(following, "-o", "json"), plugin: append(tail, "-o", "json"), pod: document},
		{format: "table", kubectl: following, plugin: tail, pod: name},
		{format: "name", kubectl: append(following, "-o", "name"), plugin: append(tail, "-o", "name"), pod: name},
	}
}

// streamed is what a stream costs.
type streamed struct {
	first   cost // until all pods have been printed
	changed cost // for the changes
}

// streams prints what following all pods costs, and each event.
func (b *bench) streams(ctx context.Context, out io.Writer, config *rest.Config, s size) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var events []string
	for n, st := range streamsOf() {
		theirs, ours, err := b.stream(ctx, st, client, s, n*2*b.runs)
		if err != nil {
			return err
		}
		title := func(what string) string {
			return fmt.Sprintf("tail, %s, %s: %s, %s", st.format, what,
				code("kubectl "+strings.Join(st.kubectl, " ")), code("kubectl informer "+strings.Join(st.plugin, " ")))
		}
		row(out, title(fmt.Sprintf("the first %d", s.pods)), theirs.first, ours.first)
		row(out, title(fmt.Sprintf("%d changes", changes)), theirs.changed, ours.changed)
		events = append(events, fmt.Sprintf("%s %s", st.format, compared(
			microseconds(theirs.changed.cpu/changes), microseconds(ours.changed.cpu/changes),
			theirs.changed.cpu.Seconds(), ours.changed.cpu.Seconds())))
	}
	fmt.Fprintf(out, "\nCPU of an event, kubectl's and ours: %s\n", strings.Join(events, "; "))
	return nil
}

// stream follows one stream with both tools in turns, and returns the medians.
func (b *bench) stream(ctx context.Context, st stream, client kubernetes.Interface, s size, run int) (theirs, ours streamed, err error) {
	var all [2][]streamed
	for range b.runs {
		for n, command := range []*exec.Cmd{
			exec.CommandContext(ctx, b.kubectl, st.kubectl...), exec.CommandContext(ctx, b.plugin, st.plugin...),
		} {
			told, err := b.follow(ctx, command, st.pod, client, s, run)
			if err != nil {
				return theirs, ours, fmt.Errorf("%s: %w", command, err)
			}
			all[n] = append(all[n], told)
			run++
		}
	}
	return medians(all[0]), medians(all[1]), nil
}

func medians(all []streamed) streamed {
	var first, changed []cost
	for _, told := range all {
		first, changed = append(first, told.first), append(changed, told.changed)
	}
	return streamed{first: median(first), changed: median(changed)}
}

// firstLines prints when the first line of a stream comes, beside how long the list
// takes that has to be read before.
func (b *bench) firstLines(ctx context.Context, out io.Writer, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	st := streamsOf()[0]
	var theirs, ours, raw []cost
	for range b.runs {
		for _, tool := range []struct {
			command *exec.Cmd
			costs   *[]cost
		}{
			{exec.CommandContext(ctx, b.kubectl, st.kubectl...), &theirs},
			{exec.CommandContext(ctx, b.plugin, st.plugin...), &ours},
		} {
			took, err := b.firstLine(tool.command)
			if err != nil {
				return fmt.Errorf("%s: %w", tool.command, err)
			}
			*tool.costs = append(*tool.costs, cost{wall: took})
		}
		took, err := transfer(ctx, client)
		if err != nil {
			return err
		}
		raw = append(raw, cost{wall: took})
	}
	first, read := median(ours).wall, median(raw).wall
	fmt.Fprintf(out, "\nFirst line of %s: after %s, of kubectl's after %s; the same list in protobuf, read and thrown away: %s (ours takes %.1f times as long)\n",
		code("kubectl informer "+strings.Join(st.plugin, " ")), seconds(first), seconds(median(theirs).wall), seconds(read), first.Seconds()/read.Seconds())
	return nil
}

// firstLine is how long a stream takes to its first line. Then it is ended.
func (b *bench) firstLine(command *exec.Cmd) (time.Duration, error) {
	command.Env = b.env
	stdout, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		return 0, err
	}
	_, err = bufio.NewReader(stdout).ReadString('\n')
	took := time.Since(began)
	_ = command.Process.Kill()
	_ = command.Wait() // killed
	return took, err
}

// follow runs a stream until all pods have been printed, changes some, waits
// until that has been printed too, and ends it.
func (b *bench) follow(ctx context.Context, command *exec.Cmd, pod [][]byte, client kubernetes.Interface, s size, run int) (streamed, error) {
	command.Env = b.env
	stdout, err := command.StdoutPipe()
	if err != nil {
		return streamed{}, err
	}
	began, before := time.Now(), b.outside()
	if err := command.Start(); err != nil {
		return streamed{}, err
	}
	printed := counter{pod: pod}
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
	spent := func() cost {
		c := b.outside().minus(before)
		c.cpu, c.rss, c.wall = tool.cpu(), tool.peak(), time.Since(began)
		return c
	}
	told := streamed{first: spent()}
	if err := change(ctx, client, s, run); err != nil {
		return streamed{}, err
	}
	if err := printed.wait(ctx, s.pods+changes); err != nil {
		return streamed{}, err
	}
	told.changed = spent().minus(told.first)
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

// counter counts the pods that a stream prints.
type counter struct {
	pod  [][]byte
	pods atomic.Int64
}

func (c *counter) read(stdout io.Reader) error {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		c.count(lines.Bytes())
	}
	return lines.Err()
}

// count counts one pod in a line at most.
func (c *counter) count(line []byte) {
	if slices.ContainsFunc(c.pod, func(mark []byte) bool { return bytes.Contains(line, mark) }) {
		c.pods.Add(1)
	}
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
