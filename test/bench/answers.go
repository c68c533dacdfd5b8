package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"
)

// answers prints how long one answer takes of a query that has synced, question
// by question, as a coprocess asks.
func (b *bench) answers(ctx context.Context, out io.Writer) error {
	command := exec.CommandContext(ctx, b.plugin, "query", "pods", "-A")
	command.Env = b.env
	questions, err := command.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<26)
	for _, line := range []string{
		"--by node=%node% -o name", "--by image=%image% -o name", "--by node=%node% -o json",
		"--by node=%node% --by label=%label% -o name", "--by node=none -o name", "--count-by node -o name",
	} {
		q, missing := question{plugin: line}.of(b.values)
		if missing != "" {
			continue
		}
		question := q.plugin
		median, objects, err := ask(questions, lines, question)
		if err != nil {
			return fmt.Errorf("query: %s: %w", question, err)
		}
		fmt.Fprintf(out, "\nOne answer to `%s`: %s, %d lines\n", question, microseconds(median), objects)
	}
	if err := questions.Close(); err != nil {
		return err
	}
	return command.Wait()
}

// ask asks a question until its answers come as fast as they will, and returns
// the median, and how many lines an answer has.
func ask(questions io.Writer, answers *bufio.Scanner, question string) (median time.Duration, lines int, err error) {
	const asked = 101
	times := make([]time.Duration, asked)
	for n := range times {
		began := time.Now()
		if _, err := fmt.Fprintln(questions, question); err != nil {
			return 0, 0, err
		}
		lines = 0
		for answers.Scan() && answers.Text() != "---" {
			lines++
		}
		if err := answers.Err(); err != nil {
			return 0, 0, err
		}
		times[n] = time.Since(began)
	}
	slices.Sort(times)
	return times[asked/2], lines, nil
}
