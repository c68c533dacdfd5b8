package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// changes is how many pods are changed while a stream is measured, if there are so many.
const changes = 2000

// stream is the same stream of all pods, of both tools.
type stream struct {
	format          string
	kubectl, plugin []string
	// mark is what the text of each of our pods has once. kubectl prints each page of its
	// list as one line of JSON, so that lines cannot be counted instead.
	mark string
}

func (st stream) name() string { return "tail, " + st.format }

// streamsOf are the formats in which a stream is measured.
func streamsOf() []stream {
	following := []string{"get", "pods", "-A", "-w", "--output-watch-events"}
	tail := []string{"tail", "pods", "-A"}
	return []stream{
		{format: "json", kubectl: append(following, "-o", "json"), plugin: append(tail, "-o", "json"), mark: `"generateName":"app-`},
		{format: "table", kubectl: following, plugin: tail, mark: " app-"},
		{format: "name", kubectl: append(following, "-o", "name"), plugin: append(tail, "-o", "name"), mark: "pod/app-"},
	}
}

// streamed is what a stream costs.
type streamed struct {
	first   cost // until all pods have been printed
	changed cost // for the changes
}

// streams prints what following all pods costs, and each event.
func (b *bench) streams(ctx context.Context, out io.Writer, config *rest.Config, s size, only string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	changes := min(changes, s.pods)
	var events []string
	for n, st := range streamsOf() {
		if !chosen(st.name(), only) {
			continue
		}
		theirs, ours, err := b.stream(ctx, st, client, s, n*2*b.runs)
		if err != nil {
			return err
		}
		title := func(what string) string {
			return fmt.Sprintf("%s, %s: %s, %s", st.name(), what,
				code("kubectl "+strings.Join(st.kubectl, " ")), code("kubectl informer "+strings.Join(st.plugin, " ")))
		}
		row(out, title(fmt.Sprintf("the first %d", s.pods)), theirs.first, ours.first)
		row(out, title(fmt.Sprintf("%d changes", changes)), theirs.changed, ours.changed)
		each := time.Duration(changes)
		events = append(events, fmt.Sprintf("%s %s", st.format, compared(
			microseconds(theirs.changed.cpu/each), microseconds(ours.changed.cpu/each),
			theirs.changed.cpu.Seconds(), ours.changed.cpu.Seconds())))
	}
	if len(events) > 0 {
		fmt.Fprintf(out, "\nCPU of an event, kubectl's and ours: %s\n", strings.Join(events, "; "))
	}
	return nil
}

// stream follows one stream with both tools in turns, and returns the medians.
func (b *bench) stream(ctx context.Context, st stream, client kubernetes.Interface, s size, run int) (theirs, ours streamed, err error) {
	var all [2][]streamed
	for range b.runs {
		for n, tool := range [][]string{slices.Concat([]string{b.kubectl}, st.kubectl), slices.Concat([]string{b.plugin}, st.plugin)} {
			label := strconv.Itoa(run)
			told, err := b.follow(ctx, tool, st.mark, s.pods, min(changes, s.pods), func(ctx context.Context, printed *counter) error {
				return change(ctx, client, s, label, printed)
			})
			if err != nil {
				return theirs, ours, err
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
func (b *bench) firstLines(ctx context.Context, out io.Writer, config *rest.Config, only string) error {
	if !chosen("tail, first line", only) {
		return nil
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	st := streamsOf()[0]
	var theirs, ours, raw []cost
	for range b.runs {
		for _, tool := range []struct {
			args  []string
			costs *[]cost
		}{
			{slices.Concat([]string{b.kubectl}, st.kubectl), &theirs},
			{slices.Concat([]string{b.plugin}, st.plugin), &ours},
		} {
			c, err := b.firstLine(ctx, tool.args)
			if err != nil {
				return err
			}
			*tool.costs = append(*tool.costs, c)
		}
		c, err := b.transfer(ctx, client)
		if err != nil {
			return fmt.Errorf("reading all pods in protobuf: %w", err)
		}
		raw = append(raw, c)
	}
	first, read := median(ours), median(raw)
	fmt.Fprintf(out, "\nFirst line of %s: after %s, of kubectl's after %s; the same list in protobuf, read and thrown away: %s (ours takes %.1f times as long)\n",
		code("kubectl informer "+strings.Join(st.plugin, " ")), seconds(first.wall), seconds(median(theirs).wall), seconds(read.wall), first.wall.Seconds()/read.wall.Seconds())
	if b.server != nil {
		fmt.Fprintf(out, "\nUntil then the API server has used %s of CPU, for kubectl %s, for the list alone %s (for ours %.1f times as much)\n",
			seconds(first.server), seconds(median(theirs).server), seconds(read.server), first.server.Seconds()/read.server.Seconds())
	}
	return nil
}

// firstLine is how long a stream takes to its first line, and what the server uses
// meanwhile. Then it is ended.
func (b *bench) firstLine(ctx context.Context, args []string) (c cost, err error) {
	began, before := time.Now(), b.outside()
	err = b.reading(ctx, args, func(_ context.Context, _ process, stdout io.Reader) error {
		_, err := bufio.NewReader(stdout).ReadString('\n')
		c = b.outside().minus(before)
		c.wall = time.Since(began)
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("printed no line: %w", errEnded)
		}
		return err
	})
	return c, err
}

// follow runs a stream until so many pods have been printed, has some changed, waits
// until that has been printed too, and ends it.
func (b *bench) follow(ctx context.Context, args []string, mark string, pods, changed int, change func(context.Context, *counter) error) (told streamed, err error) {
	began, before := time.Now(), b.outside()
	err = b.reading(ctx, args, func(ctx context.Context, tool process, stdout io.Reader) error {
		printed := counting(stdout, mark)
		spent := func() cost {
			c := b.outside().minus(before)
			c.cpu, c.rss, c.wall = tool.cpu(), tool.peak(), time.Since(began)
			return c
		}
		if err := printed.wait(ctx, pods); err != nil {
			return err
		}
		told.first = spent()
		if err := change(ctx, printed); err != nil {
			return fmt.Errorf("changing pods meanwhile: %w", err)
		}
		if err := printed.wait(ctx, pods+changed); err != nil {
			return err
		}
		told.changed = spent().minus(told.first)
		return nil
	})
	return told, err
}

// ahead is how many changes may not have been printed yet. A server ends a watch that is
// not read as fast as it fills, and kubectl with it.
const ahead = 100

// change gives the first pods another label, each once: the same again would be no change.
func change(ctx context.Context, client kubernetes.Interface, s size, label string, printed *counter) error {
	patch := []byte(`{"metadata":{"labels":{"run":"` + label + `"}}}`)
	return each(ctx, 0, min(changes, s.pods), func(ctx context.Context, n int) error {
		if err := printed.wait(ctx, s.pods+n-ahead); err != nil {
			return err
		}
		_, err := client.CoreV1().Pods(namespace(n%s.namespaces)).Patch(ctx, podName(n), types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// transfer is what it takes to read all pods in protobuf, as one list, and to throw
// them away.
func (b *bench) transfer(ctx context.Context, client kubernetes.Interface) (c cost, err error) {
	ctx, end := b.within(ctx)
	defer end()
	began, before := time.Now(), b.outside()
	list, err := client.CoreV1().RESTClient().Get().Resource("pods").SetHeader("Accept", runtime.ContentTypeProtobuf).Stream(ctx)
	if err != nil {
		return c, err
	}
	defer list.Close()
	_, err = io.Copy(io.Discard, list)
	c = b.outside().minus(before)
	c.wall = time.Since(began)
	return c, err
}
