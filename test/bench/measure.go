package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// bench runs questions.
type bench struct {
	kubectl, plugin string
	env             []string
	runs            int
}

// cost is what one answer costs the machine that asks, and the API server.
type cost struct {
	cpu, wall, server time.Duration
	rss               int64 // bytes
}

// table asks every question and prints a row for each.
func (b *bench) table(ctx context.Context, out io.Writer, only string) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "question\tkubectl CPU\tours\tratio\tkubectl RSS\tours\tratio\tkubectl wall\tours\tratio\tserver CPU\tours\tratio\t")
	for _, q := range named(only) {
		theirs, ours, err := b.ask(ctx, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", q.name,
			seconds(theirs.cpu), seconds(ours.cpu), ratio(theirs.cpu.Seconds(), ours.cpu.Seconds()),
			megabytes(theirs.rss), megabytes(ours.rss), ratio(float64(theirs.rss), float64(ours.rss)),
			seconds(theirs.wall), seconds(ours.wall), ratio(theirs.wall.Seconds(), ours.wall.Seconds()),
			seconds(theirs.server), seconds(ours.server), ratio(theirs.server.Seconds(), ours.server.Seconds()))
	}
	return w.Flush()
}

// ask asks both tools in turns and returns the medians.
func (b *bench) ask(ctx context.Context, q question) (theirs, ours cost, err error) {
	var all [2][]cost
	for range b.runs {
		for n, command := range [][]string{{b.kubectl, q.kubectl}, {b.plugin, q.plugin, q.stdin}} {
			stdin := strings.Join(command[2:], "")
			c, err := b.run(ctx, stdin, command[0], strings.Fields(command[1]))
			if err != nil {
				return theirs, ours, err
			}
			all[n] = append(all[n], c)
		}
	}
	return median(all[0]), median(all[1]), nil
}

func (b *bench) run(ctx context.Context, stdin, program string, args []string) (cost, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Stdin = strings.NewReader(stdin)
	command.Env = b.env
	var stderr strings.Builder
	command.Stdout, command.Stderr = io.Discard, &stderr
	began, server := time.Now(), serverCPU()
	if err := command.Run(); err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, stderr.String())
	}
	c := cost{wall: time.Since(began), server: serverCPU() - server, cpu: command.ProcessState.UserTime() + command.ProcessState.SystemTime()}
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.rss = usage.Maxrss << 10 // Linux counts in kilobytes
	}
	return c, nil
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
		cpu:    time.Duration(middle(func(c cost) int64 { return int64(c.cpu) })),
		wall:   time.Duration(middle(func(c cost) int64 { return int64(c.wall) })),
		server: time.Duration(middle(func(c cost) int64 { return int64(c.server) })),
		rss:    middle(func(c cost) int64 { return c.rss }),
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", bytes>>20) }

// ratio is how many times less ours is, or how many times more.
func ratio(theirs, ours float64) string {
	switch {
	case theirs <= 0 || ours <= 0:
		return "-"
	case ours <= theirs:
		return fmt.Sprintf("1/%.1f", theirs/ours)
	default:
		return fmt.Sprintf("%.1f", ours/theirs)
	}
}
