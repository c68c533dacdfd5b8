package cmd

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"

	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// rows returns what --by and --where leave of the n-th subject's cache, in order.
func (q *question) rows(ctx context.Context, n int, i *informer.Informer) ([]*cache.Row, error) {
	if q.subjects[n].by.FollowsOwners() {
		if err := q.followOwners(ctx, i); err != nil {
			return nil, err
		}
	}
	rows := i.Rows(q.subjects[n].by)
	if q.where.Empty() {
		return rows, nil
	}
	kept := make([]*cache.Row, 0, len(rows))
	for _, row := range rows {
		matches, _, err := q.where.Eval(ctx, q.asked, row, nil)
		if err != nil {
			return nil, err
		}
		if matches {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// warnMisses warns, once, for how many objects --where had no answer.
func (q *question) warnMisses() { warnMisses(q.streams.Console, q.where) }

func warnMisses(console *process.Console, where *match.Where) {
	if missed := missed(where); missed != "" {
		console.Warn(missed)
	}
}

// missed says for how many objects an expression had no answer; nothing if it had one for all.
func missed(where *match.Where) string {
	switch count, first := where.Misses(); count {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("--where has no answer for %s", first)
	default:
		return fmt.Sprintf("--where had no answer %d times; the first: %s", count, first)
	}
}

// narrowed says whether the caches hold more than is asked for.
func (q *question) narrowed() bool {
	return !q.query.Empty() || !q.uses.empty() || !q.where.Empty()
}

// filters are what --by and --where make of each Target's stream; nil where
// neither is given. An expression about the old state too is about changes, not
// about which objects belong: see selectsChange.
//
// exceeded is called with each object that an expression costs too much for.
func (q *question) filters(ctx context.Context, exceeded func(error)) map[cache.Target]*informer.Filter {
	selects := !q.where.Empty() && !q.where.ReadsOld()
	if q.query.Empty() && q.uses.empty() && !selects {
		return nil
	}
	filters := map[cache.Target]*informer.Filter{}
	for _, subject := range q.subjects {
		belongs := q.matching(ctx, subject)
		filter := informer.NewFilter(func(row *cache.Row, at time.Time) (bool, time.Time) {
			is := belongs(row)
			if !is || !selects {
				return is, time.Time{}
			}
			return q.holds(ctx, at, row, nil, exceeded)
		}).By(q.connection.now)
		if subject.by.FollowsOwners() || len(subject.users) > 0 {
			filter.Remembering()
		}
		filters[subject.target] = filter
	}
	return filters
}

// selectsChange says whether an expression about the old state holds for an
// event. Before an add there was none; a deletion and a resync change nothing.
func (q *question) selectsChange(ctx context.Context, event cache.Event, exceeded func(error)) bool {
	if !q.where.ReadsOld() || event.Row == nil {
		return true
	}
	old := event.Old
	if event.Type == cache.Deleted || event.Type == cache.Resync {
		old = event.Row
	}
	holds, _ := q.holds(ctx, q.connection.now(), event.Row, old, exceeded)
	return holds
}

// holds says whether --where holds for an object of a stream, and when that may
// change by time alone. Where the context has ended, so has the stream.
func (q *question) holds(ctx context.Context, at time.Time, row, old *cache.Row, exceeded func(error)) (bool, time.Time) {
	holds, next, err := q.where.Eval(ctx, at, row, old)
	if err != nil && ctx.Err() == nil {
		exceeded(err)
	}
	return holds, next
}

// elapsed looks again at the objects of a stream whose moment has come.
func (q *question) elapsed(filters map[cache.Target]*informer.Filter) (changes []cache.Event) {
	for _, subject := range q.subjects {
		if filter := filters[subject.target]; filter != nil {
			changes = append(changes, filter.Pass()...)
		}
	}
	return changes
}

// nextOrElapsed returns the next event of a queue, or cache.Elapsed at the moment
// when the first of the filters, or something else, has to look at objects again.
func nextOrElapsed(ctx context.Context, queue *informer.Queue, filters map[cache.Target]*informer.Filter, other time.Time) (event cache.Event, ok bool, err error) {
	moment := earliest(filters)
	if moment.IsZero() || !other.IsZero() && other.Before(moment) {
		moment = other
	}
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

// earliest is when the first of the filters has to look at objects again; zero is never.
func earliest(filters map[cache.Target]*informer.Filter) (moment time.Time) {
	for _, filter := range filters {
		if next := filter.Next(); moment.IsZero() || !next.IsZero() && next.Before(moment) {
			moment = next
		}
	}
	return moment
}

// costReport reports the objects of a stream for which --where cost too much.
type costReport struct {
	console *process.Console
	times   atomic.Int64
}

// exceeded reports the first. The stream goes on without it, and without each
// further one.
func (r *costReport) exceeded(err error) {
	if r.times.Add(1) == 1 {
		r.console.Say("%s", process.Words(err))
	}
}

// err reports at the end how often it was so.
func (r *costReport) err() error {
	times := r.times.Load()
	if times == 0 {
		return nil
	}
	if times > 1 {
		r.console.Warn(fmt.Sprintf("--where cost too much %d times; what it was asked of then is not in the output", times))
	}
	return errors.New("--where cost too much")
}

// addCostLimitFlag adds the flag that bounds CEL expressions.
func addCostLimitFlag(flags *pflag.FlagSet, limit *match.CostLimit, value match.CostLimit) {
	flags.Uint64Var((*uint64)(limit), match.CostLimitFlag, uint64(value),
		"How much a CEL expression (--where, --for=cel) may cost for one object, in the API server's units: its own limit is 1000000. An object that costs more is an error, since whether the expression holds for it is not known. 0 is no limit.")
}
