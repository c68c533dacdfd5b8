package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// waiting feeds a tally from a stream until the tally is met.
type waiting struct {
	question    *question
	queue       *informer.Queue
	connections *connections
	tally       *match.Tally
	// expected are those of the Targets that must have their objects.
	expected []cache.Target
	// once asks when every Target has synced, and never again.
	once bool
}

// until returns when the tally is met, or why it will not be.
func (w *waiting) until(ctx context.Context) error {
	// Whether an object belongs is not known: nor is, then, whether the wait is over.
	var exceeded error
	filters := w.question.filters(ctx, func(err error) { exceeded = cmp.Or(exceeded, err) })
	for _, target := range w.expected {
		w.tally.Expect(target)
	}
	for {
		event, ok, err := nextOrElapsed(ctx, w.queue, filters, w.tally.Next())
		switch {
		case err != nil:
			return err
		case !ok:
			return ctx.Err() // by which the informers have ended
		case event.Type == cache.Ended:
			// A Target that cannot be read leaves the question open for ever.
			return event.Err
		case event.Row == nil && event.Type != cache.Reconsider && event.Type != cache.Elapsed:
			w.connections.see(event)
		default:
			events := w.question.selects(event, filters)
			if exceeded != nil {
				return exceeded
			}
			if event.Type == cache.Elapsed {
				if err := w.tally.Pass(ctx); err != nil {
					return err
				}
			} else if len(events) == 0 {
				continue
			}
			for _, event := range events {
				if err := w.count(ctx, event); err != nil {
					return err
				}
			}
		}
		if !w.connections.settled() {
			continue
		}
		if w.tally.Met() {
			return nil
		}
		if lost := w.tally.Lost(); lost != nil {
			return fmt.Errorf("%s %q was deleted while waiting for the condition", w.resourceOf(event.Target), lost.Name)
		}
		if w.once {
			return &timedOut{errNotMet, w.tally.Summary()}
		}
	}
}

// progress says how far the wait has got.
func (w *waiting) progress() string {
	return cmp.Or(incomplete(w.connections.unsynced()), w.tally.Summary())
}

// incomplete says of which types the list is not complete; empty is of none.
func incomplete(targets []cache.Target) string {
	var types []string
	for _, target := range targets {
		if resource := target.Resource.GroupResource().String(); !slices.Contains(types, resource) {
			types = append(types, resource)
		}
	}
	if len(types) == 0 {
		return ""
	}
	return fmt.Sprintf("the list of %s is not complete", strings.Join(types, ", "))
}

func (w *waiting) count(ctx context.Context, event cache.Event) error {
	if event.Type == cache.Deleted {
		w.tally.Delete(event.Row)
		return nil
	}
	err := w.tally.Upsert(ctx, event.Row, event.Old)
	if err != nil && errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	return err
}

func (w *waiting) resourceOf(t cache.Target) string { return t.Resource.GroupResource().String() }
