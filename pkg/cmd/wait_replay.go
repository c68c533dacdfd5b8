package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
)

// errRecordOver is that a record has no more events.
var errRecordOver = errors.New("the record is over")

// replayed says when the condition was met in a record.
func (o *waitOptions) replayed(ctx context.Context, q *question.Question, tally *match.Tally) error {
	w, err := o.ofRecord(ctx, q, tally)
	if err != nil {
		return err
	}
	defer q.WarnMisses()
	defer q.ReportStats()
	defer w.connections.Close()
	switch err := w.until(ctx); {
	case err == nil:
		return o.printMetAt(w)
	case ctx.Err() != nil:
		return err
	default:
		return w.unmet(err)
	}
}

// ofRecord is the wait for what a record has.
func (o *waitOptions) ofRecord(ctx context.Context, q *question.Question, tally *match.Tally) (*waiting, error) {
	if err := errors.Join(q.Resolved.Unresolved...); err != nil {
		return nil, err
	}
	if err := cmp.Or(coverage(q), o.refusesAny(q.Targets())); err != nil {
		return nil, err
	}
	played, err := newReplay(ctx, q, o.needs)
	if err != nil {
		return nil, err
	}
	if o.timeout > 0 {
		played.deadline = played.Record.Begins().Add(o.timeout)
	}
	expected, err := q.Expected(ctx)
	if err != nil {
		return nil, err
	}
	w := &waiting{
		question: q, queue: informer.NewQueue(informer.DefaultMaxPending), connections: question.NewConnections(o.streams.Console, false, q.Targets()),
		expected: played.placed(expected), replay: played, tally: tally, once: o.timeout == 0,
	}
	q.Attach(w.queue, w.connections)
	return w, nil
}

// coverage says why a record cannot say when something was so.
func coverage(q *question.Question) error {
	record := q.Connection.Replayed().Record
	switch {
	case record.Begins().IsZero() && record.Timed():
		return errors.New("the record has no events: it cannot say when the condition was met")
	case !record.Timed():
		return errors.New("the record does not have the times of its events, so that it cannot say when the condition was met: record with --record FILE, or with -o json --timestamps")
	}
	for _, target := range q.Targets() {
		if !record.Covers(target) {
			return fmt.Errorf("%s is not in the record: it has only the types that tail was asked for",
				target.Resource.GroupResource())
		}
	}
	return nil
}

// placed are Targets with the namespaces of the objects that they name: without -n those
// in which the record has one.
func (r *replay) placed(targets []cache.Target) (placed []cache.Target) {
	for _, target := range targets {
		namespaces := []string{target.Namespace}
		if target.Name != "" && target.Namespaced && target.Namespace == "" {
			if has := r.Record.NamespacesOf(target); len(has) > 0 {
				namespaces = has
			}
		}
		for _, target.Namespace = range namespaces {
			placed = append(placed, target)
		}
	}
	return placed
}

// replayed returns the next event of the record.
func (w *waiting) replayed(ctx context.Context) (event cache.Event, ok bool, err error) {
	event, ok, err = w.replay.next(ctx, w.filters, w.tally.Next())
	if !ok && err == nil {
		err = errRecordOver
	}
	return event, ok, err
}

// unmet says when in the record a wait has ended, and why.
func (w *waiting) unmet(err error) error {
	switch {
	case errors.Is(err, errRecordOver):
		return fmt.Errorf("%w by the end of the record, at %s: %s", process.ErrNotMet, stamp(later(w.replay.Now, w.replay.Record.Ends())), w.progress())
	case errors.Is(err, process.ErrTimedOut):
		err = process.NewTimedOut(process.ErrTimedOut, w.progress())
	}
	return fmt.Errorf("at %s: %w", stamp(w.replay.Now), err)
}

// printMetAt prints the objects that meet the condition, and when they did.
func (o *waitOptions) printMetAt(w *waiting) error {
	at := stamp(w.replay.Now)
	printer, met := o.printer.dated(at), inOrder(w.question.Subjects, w.tally.Meeting())
	if len(met) == 0 || !printer.saysWhen() {
		o.streams.Console.Say("%s at %s", metWords, at)
	}
	if w.answers == 1 {
		o.streams.Console.Say("it was met already when the record began")
	}
	return printMet(o.streams, printer, met)
}

// stamp is a time of a record, as it has it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
