package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// answers prints how long one answer takes of a query that has synced, question
// by question, as a coprocess asks.
func (b *bench) answers(ctx context.Context, out io.Writer) error {
	ctx, end := b.within(ctx)
	defer end()
	args := []string{b.plugin, "query", "pods", "-A"}
	command := b.command(ctx, args)
	var stderr strings.Builder
	command.Stderr = &stderr
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
	err = b.answer(out, questions, lines)
	if err != nil {
		end()
	}
	_ = questions.Close()
	return failed(ctx, args, cmp.Or(err, command.Wait()), stderr.String())
}

// answer prints how long each answer takes.
func (b *bench) answer(out, questions io.Writer, answers *bufio.Scanner) error {
	for _, line := range []string{
		"--by node=%node% -o name", "--by image=%image% -o name", "--by node=%node% -o json",
		"--by node=%node% --by label=%label% -o name", "--by node=none -o name", "--count-by node -o name",
	} {
		q, missing := question{plugin: line}.of(b.values)
		if missing != "" {
			continue
		}
		median, objects, err := ask(questions, answers, q.plugin)
		if err != nil {
			return fmt.Errorf("%s: %w", q.plugin, err)
		}
		fmt.Fprintf(out, "\nOne answer to `%s`: %s, %d lines\n", q.plugin, microseconds(median), objects)
	}
	return nil
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
		if lines, err = length(answers); err != nil {
			return 0, 0, err
		}
		times[n] = time.Since(began)
	}
	slices.Sort(times)
	return times[asked/2], lines, nil
}

// length is how many lines the next answer has.
func length(answers *bufio.Scanner) (lines int, err error) {
	for answers.Scan() {
		if answers.Text() == "---" {
			return lines, nil
		}
		lines++
	}
	return 0, cmp.Or(answers.Err(), errors.New("the query ended within an answer"))
}
