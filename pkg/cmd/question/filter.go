package question

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// Rows returns what --by and --where leave of the n-th subject's cache, in order.
func (q *Question) Rows(ctx context.Context, n int, i *informer.Informer) ([]*cache.Row, error) {
	if q.Subjects[n].By.FollowsOwners() {
		if err := q.FollowOwners(ctx, i); err != nil {
			return nil, err
		}
	}
	rows := i.Rows(q.Subjects[n].By)
	if q.Where.Empty() {
		return rows, nil
	}
	kept := make([]*cache.Row, 0, len(rows))
	for _, row := range rows {
		matches, _, err := q.Where.Eval(ctx, q.Asked, row, nil)
		if err != nil {
			return nil, err
		}
		if matches {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// WarnMisses warns, once, for how many objects --where had no answer.
func (q *Question) WarnMisses() { WarnMisses(q.Streams.Console, q.Where) }

// WarnMisses warns for how many objects an expression had no answer.
func WarnMisses(console *process.Console, where *match.Where) {
	if missed := Missed(where); missed != "" {
		console.Warn(missed)
	}
}

// Missed says for how many objects an expression had no answer; nothing if it had one for all.
func Missed(where *match.Where) string {
	switch count, first := where.Misses(); count {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("--where has no answer for %s", first)
	default:
		return fmt.Sprintf("--where had no answer %d times; the first: %s", count, first)
	}
}

// Narrowed says whether the caches hold more than is asked for.
func (q *Question) Narrowed() bool {
	return !q.Query.Empty() || !q.uses.Empty() || !q.Where.Empty()
}

// SelectsAny says whether --by selects any object.
func (q *Question) SelectsAny(group *informer.Group) bool {
	for n, i := range group.Informers() {
		if len(i.Rows(q.Subjects[n].By)) > 0 {
			return true
		}
	}
	return false
}

// Filters are what --by and --where make of each Target's stream; nil where
// neither is given. An expression about the old state too is about changes, not
// about which objects belong: see selectsChange.
//
// exceeded is called with each object that an expression costs too much for.
func (q *Question) Filters(ctx context.Context, exceeded func(error)) map[cache.Target]*informer.Filter {
	selects := !q.Where.Empty() && !q.Where.ReadsOld()
	if q.Query.Empty() && q.uses.Empty() && !selects {
		return nil
	}
	filters := map[cache.Target]*informer.Filter{}
	for _, subject := range q.Subjects {
		belongs := q.matching(ctx, subject)
		filter := informer.NewFilter(func(row *cache.Row, at time.Time) (bool, time.Time) {
			is := belongs(row)
			if !is || !selects {
				return is, time.Time{}
			}
			return q.holds(ctx, at, row, nil, exceeded)
		}).By(q.Connection.Now)
		if subject.By.FollowsOwners() || len(subject.Users) > 0 {
			filter.Remembering()
		}
		filters[subject.Target] = filter
	}
	return filters
}

// SelectsChange says whether an expression about the old state holds for an
// event. Before an add there was none; a deletion and a resync change nothing.
func (q *Question) SelectsChange(ctx context.Context, event cache.Event, exceeded func(error)) bool {
	if !q.Where.ReadsOld() || event.Row == nil {
		return true
	}
	old := event.Old
	if event.Type == cache.Deleted || event.Type == cache.Resync {
		old = event.Row
	}
	holds, _ := q.holds(ctx, q.Connection.Now(), event.Row, old, exceeded)
	return holds
}

// holds says whether --where holds for an object of a stream, and when that may
// change by time alone. Where the context has ended, so has the stream.
func (q *Question) holds(ctx context.Context, at time.Time, row, old *cache.Row, exceeded func(error)) (bool, time.Time) {
	holds, next, err := q.Where.Eval(ctx, at, row, old)
	if err != nil && ctx.Err() == nil {
		exceeded(err)
	}
	return holds, next
}

// elapsed looks again at the objects of a stream whose moment has come.
func (q *Question) elapsed(filters map[cache.Target]*informer.Filter) (changes []cache.Event) {
	for _, subject := range q.Subjects {
		if filter := filters[subject.Target]; filter != nil {
			changes = append(changes, filter.Pass()...)
		}
	}
	return changes
}

// NextOrElapsed returns the next event of a queue, or cache.Elapsed at the moment
// when the first of the filters, or something else, has to look at objects again.
func NextOrElapsed(ctx context.Context, queue *informer.Queue, filters map[cache.Target]*informer.Filter, other time.Time) (event cache.Event, ok bool, err error) {
	moment := Earlier(Earliest(filters), other)
	if moment.IsZero() {
		return queue.Next(ctx)
	}
	until, cancel := context.WithDeadline(ctx, moment)
	defer cancel()
	if until.Err() == nil {
		event, ok, err = queue.Next(until)
	}
	if until.Err() != nil && ctx.Err() == nil && !ok {
		return cache.Event{Type: cache.Elapsed, Time: time.Now()}, true, nil
	}
	return event, ok, err
}

// Earliest is when the first of the filters has to look at objects again; zero is never.
func Earliest(filters map[cache.Target]*informer.Filter) (moment time.Time) {
	for _, filter := range filters {
		moment = Earlier(moment, filter.Next())
	}
	return moment
}

// Earlier is the earlier of two moments, of which zero is never.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// CostReport reports the objects of a stream for which --where cost too much.
type CostReport struct {
	Console *process.Console
	times   atomic.Int64
}

// Exceeded reports the first. The stream goes on without it, and without each
// further one.
func (r *CostReport) Exceeded(err error) {
	if r.times.Add(1) == 1 {
		r.Console.Say("%s", process.Words(err))
	}
}

// Err reports at the end how often it was so.
func (r *CostReport) Err() error {
	times := r.times.Load()
	if times == 0 {
		return nil
	}
	if times > 1 {
		r.Console.Warn(fmt.Sprintf("--where cost too much %d times; what it was asked of then is not in the output", times))
	}
	return errors.New("--where cost too much")
}

// AddCostLimitFlag adds the flag that bounds CEL expressions.
func AddCostLimitFlag(flags *pflag.FlagSet, limit *match.CostLimit, value match.CostLimit) {
	flags.Uint64Var((*uint64)(limit), match.CostLimitFlag, uint64(value),
		"How much a CEL expression (--where, --for=cel) may cost for one object, in the API server's units: its own limit is 1000000. An object that costs more is an error, since whether the expression holds for it is not known. 0 is no limit.")
}
