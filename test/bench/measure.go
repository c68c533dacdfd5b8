package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// bench runs questions.
type bench struct {
	kubectl, plugin string
	env             []string
	runs            int
	// timeout is how long one run of one tool may take.
	timeout time.Duration
	// values are what the questions ask for.
	values values
	// wire and server are nil where they cannot be measured.
	wire   *wire
	server *process
}

// path has the kubectl that is measured come first.
func (b *bench) path() string {
	return filepath.Dir(b.kubectl) + string(os.PathListSeparator) + os.Getenv("PATH")
}

func (b *bench) close() {
	if b.wire != nil {
		b.wire.close()
	}
}

// outside is what has been used so far outside the tools: CPU of the server, bytes
// that it has sent.
func (b *bench) outside() (c cost) {
	if b.server != nil {
		c.server = b.server.cpu()
	}
	if b.wire != nil {
		c.received = b.wire.received.Load()
	}
	return c
}

// cost is what one answer costs the machine that asks, and the API server.
type cost struct {
	cpu, wall, server time.Duration
	rss, received     int64 // bytes
}

// table asks every question and prints a row for each.
func (b *bench) table(ctx context.Context, out io.Writer, only string) error {
	heading(out, "question", "CPU", "peak RSS", "wall", "received", "server CPU")
	var left []string
	for _, q := range named(only) {
		q, missing := q.of(b.values)
		if missing != "" {
			left = append(left, fmt.Sprintf("%s (no %s)", q.name, missing))
			continue
		}
		theirs, ours, err := b.ask(ctx, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		row(out, q.title(), theirs, ours)
	}
	if len(left) > 0 {
		fmt.Fprintf(out, "\nLeft out, since the cluster has nothing to ask for: %s.\n", strings.Join(left, ", "))
	}
	return nil
}

// ask asks both tools in turns and returns the medians.
func (b *bench) ask(ctx context.Context, q question) (theirs, ours cost, err error) {
	var all [2][]cost
	for range b.runs {
		for n, args := range [][]string{{"sh", "-c", q.kubectl}, append([]string{b.plugin}, strings.Fields(q.plugin)...)} {
			c, err := b.run(ctx, args, q.stdin)
			if err != nil {
				return theirs, ours, err
			}
			all[n] = append(all[n], c)
		}
	}
	return median(all[0]).times(max(q.times, 1)), median(all[1]), nil
}

// run runs a command, and what it runs, to its end.
func (b *bench) run(ctx context.Context, args []string, stdin string) (cost, error) {
	ctx, end := b.within(ctx)
	defer end()
	command := b.command(ctx, args)
	var stderr strings.Builder
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), io.Discard, &stderr
	began, before := time.Now(), b.outside()
	if err := command.Run(); err != nil {
		return cost{}, failed(ctx, args, err, stderr.String())
	}
	c := b.outside().minus(before)
	c.wall = time.Since(began)
	c.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.rss = usage.Maxrss << 10 // Linux counts in kilobytes
	}
	return c, nil
}

// minus is what has been used since.
func (c cost) minus(before cost) cost {
	c.cpu -= before.cpu
	c.wall -= before.wall
	c.server -= before.server
	c.received -= before.received
	return c
}

// times is what so many answers cost; the memory is that of one.
func (c cost) times(n int) cost {
	c.cpu *= time.Duration(n)
	c.wall *= time.Duration(n)
	c.server *= time.Duration(n)
	c.received *= int64(n)
	return c
}

// median takes each figure's own.
func median(costs []cost) cost {
	middle := func(of func(cost) int64) int64 {
		var values []int64
		for _, c := range costs {
			values = append(values, of(c))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return cost{
		cpu:      time.Duration(middle(func(c cost) int64 { return int64(c.cpu) })),
		wall:     time.Duration(middle(func(c cost) int64 { return int64(c.wall) })),
		server:   time.Duration(middle(func(c cost) int64 { return int64(c.server) })),
		rss:      middle(func(c cost) int64 { return c.rss }),
		received: middle(func(c cost) int64 { return c.received }),
	}
}
