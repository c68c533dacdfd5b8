package cmd

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// A signal ends the informers, too, and with them the queue: which of both a
// stream sees first must not decide the exit code.
func TestAnEndByASignalIsTakenForSuccess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := &tailOptions{print: printers.NewFlags()}
	printer, err := o.print.NewEventPrinter(nil, printers.EventOptions{})
	if err != nil {
		t.Fatal(err)
	}
	everything, err := match.DefaultCostLimit.Compile(match.ObjectAndOld)
	if err != nil {
		t.Fatal(err)
	}
	q := withDependencies(&question.Question{ResourceOptions: &question.ResourceOptions{Connection: &question.Connection{}, Where: everything}})
	s := &stream{tailOptions: o, question: q, queue: informer.NewQueue(0), costs: &question.CostReport{}}
	s.queue.Close()
	if err := s.run(ctx, s.printTo(printer)); err != nil {
		t.Errorf("all Targets have ended by themselves: got %v", err)
	}
	cancel()
	if err := s.run(ctx, s.printTo(printer)); !errors.Is(err, context.Canceled) {
		t.Errorf("after a signal: got %v", err)
	}
}

func TestOnlyWhatATargetStartsWithIsSorted(t *testing.T) {
	flags := printers.NewFlags()
	flags.SortBy = []string{"-.metadata.name"}
	sorter, err := flags.Sorter()
	if err != nil {
		t.Fatal(err)
	}
	order := newInitialOrder(sorter)
	var told []string
	send := func(kind cache.EventType, name string, initial bool) {
		event := cache.Event{Type: kind, Target: somePods, Initial: initial}
		if name != "" {
			event.Row = &cache.Row{}
			event.Row.Name = name
		}
		events, err := order.arrange(event)
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range events {
			line := string(event.Type)
			if event.Row != nil {
				line += " " + event.Row.Name
			}
			told = append(told, line)
		}
	}
	send(cache.Added, "a", true)
	send(cache.Added, "c", true)
	send(cache.Added, "b", true)
	if len(told) != 0 {
		t.Errorf("told too early: %q", told)
	}
	send(cache.Synced, "", false)
	send(cache.Added, "d", false)
	send(cache.Deleted, "a", false)
	want := "ADDED c, ADDED b, ADDED a, SYNCED, ADDED d, DELETED a"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
