package cmd

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// The end of the time ends the informers, too, and with them the queue: which of
// both a wait sees first must not decide whether the condition is met.
func TestTheEndOfTheTimeIsTakenForTheConditionMet(t *testing.T) {
	everything, err := match.Compile(match.ObjectOnly)
	if err != nil {
		t.Fatal(err)
	}
	condition, err := match.ParseFor([]string{"create"}, false)
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{
		question: withDependencies(&question{resourceOptions: &resourceOptions{where: everything}}),
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

// A type that may be listed and not watched leaves the question open for ever.
func TestAWaitEndsWithTheServersWordsWhenATargetEnds(t *testing.T) {
	everything, err := match.Compile(match.ObjectOnly)
	if err != nil {
		t.Fatal(err)
	}
	condition, err := match.ParseFor([]string{"create"}, false)
	if err != nil {
		t.Fatal(err)
	}
	fine, refused := target("pods"), target("configmaps")
	w := &waiting{
		question:    withDependencies(&question{resourceOptions: &resourceOptions{where: everything}}),
		queue:       informer.NewQueue(0),
		connections: newConnections(nil, false, []cache.Target{fine, refused}),
		tally:       match.NewTally(condition, match.All()),
	}
	w.queue.Push(cache.Event{Type: cache.Synced, Target: fine})
	w.queue.Push(cache.Event{Type: cache.Synced, Target: refused})
	w.queue.Push(cache.Event{Type: cache.Ended, Target: refused, Err: &cache.SyncError{Target: refused, Op: cache.OpWatch, Err: forbidden()}})
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.until(limited); !apierrors.IsForbidden(err) {
		t.Errorf("got %v", err)
	}
}
