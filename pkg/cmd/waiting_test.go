package cmd

import (
	"context"
	"errors"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// The end of the time ends the informers, too, and with them the queue: which of
// both a wait sees first must not decide whether the condition is met.
func TestTheEndOfTheTimeIsTakenForTheConditionMet(t *testing.T) {
	o := newAsk(newConnection(nil))
	everything, err := match.Compile(match.ObjectOnly)
	if err != nil {
		t.Fatal(err)
	}
	condition, err := match.ParseFor([]string{"create"}, false)
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{
		question: &question{ask: o, where: everything},
		queue:    informer.NewQueue(0),
		tally:    match.NewTally(condition, match.All()),
	}
	w.queue.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.until(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
