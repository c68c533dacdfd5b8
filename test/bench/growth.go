package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// growth prints what questions cost the plugin as the pods grow in number.
func (b *bench) growth(ctx context.Context, out io.Writer, config *rest.Config, s size, sizes []int) error {
	if len(sizes) == 0 {
		return nil
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	heading(out, "pods", "question", "CPU", "CPU for 1 000", "peak RSS", "wall", "received")
	for _, pods := range append([]int{s.pods}, sizes...) {
		from := s.pods
		s.pods = max(s.pods, pods)
		if err := fillPods(ctx, client, s, from); err != nil {
			return err
		}
		for _, question := range grownQuestions() {
			if err := b.grown(ctx, out, question, s.pods); err != nil {
				return err
			}
		}
	}
	return b.answers(ctx, out)
}

// grownQuestions are asked as the pods grow in number. The query syncs, and answers
// one question.
func grownQuestions() []question {
	return []question{
		{plugin: "list pods -A"}, {plugin: "list pods -A -o name"}, {plugin: "list pods -A -o json"}, {plugin: "list pods -A -o yaml"},
		{plugin: "query pods -A", stdin: "--by node=node-1 -o name\n"},
		{plugin: "list pods -A --by node=node-1 -o name"}, {plugin: "list pods -A --count-by image"},
	}
}

func (b *bench) grown(ctx context.Context, out io.Writer, q question, pods int) error {
	var costs []cost
	for range b.runs {
		c, err := b.run(ctx, append([]string{b.plugin}, strings.Fields(q.plugin)...), q.stdin)
		if err != nil {
			return err
		}
		costs = append(costs, c)
	}
	c := median(costs)
	question := q.plugin
	if q.stdin != "" {
		question += ": " + strings.TrimSpace(q.stdin)
	}
	line(out, fmt.Sprint(pods), "`"+question+"`", seconds(c.cpu),
		fmt.Sprintf("%.1f ms", c.cpu.Seconds()*1e6/float64(pods)), megabytes(c.rss), seconds(c.wall), megabytes(c.received))
	return nil
}
