package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
)

// replay gives the events of a record to a stream, in place of the informers.
type replay struct {
	*question.SavedRecord
	player *dump.Player
	// began is when the first event was given, and first its time in the record.
	began, first time.Time
}

// replayed runs a stream of a record.
func (o *tailOptions) replayed(signalled, ctx context.Context, q *question.Question, handling *handler.Handler) error {
	player, err := o.player(ctx, q)
	if err != nil {
		return err
	}
	s := &stream{
		tailOptions: o, question: q, queue: informer.NewQueue(o.maxPending), costs: &question.CostReport{Console: o.streams.Console},
		replay: &replay{SavedRecord: q.Connection.Replayed(), player: player},
	}
	err = s.toReader(signalled, ctx, handling)
	q.WarnMisses()
	q.ReportStats()
	return errors.Join(err, process.Reported(s.costs.Err()))
}

// player plays the record for the subjects of a question.
func (o *tailOptions) player(ctx context.Context, q *question.Question) (*dump.Player, error) {
	saved, err := q.Connection.Dump.Open(ctx)
	if err != nil {
		return nil, err
	}
	record := q.Connection.Replayed()
	if !record.Record.Timed() && (o.print.Timestamps || record.Playback.Speed > 0) {
		return nil, errors.New("the record does not have the times of its events, which --timestamps and --speed need: record with --record FILE, or with -o json --timestamps")
	}
	q.Dependencies.Keep(false)
	if err := q.NarrowSubjects(ctx); err != nil {
		return nil, err
	}
	played := make([]dump.Played, len(q.Subjects))
	for n, subject := range q.Subjects {
		p, err := q.Plan(subject, true, o.needs)
		if err != nil {
			return nil, err
		}
		played[n] = dump.Played{Target: p.Target, Form: p.Form, Transform: p.Transform}
	}
	return record.Record.Play(saved, played...)
}

// next returns the next event, or cache.Elapsed where one of the filters has to look at
// objects again before it. ok is false at the end.
func (r *replay) next(ctx context.Context, filters map[cache.Target]*informer.Filter) (event cache.Event, ok bool, err error) {
	event, ok = r.player.Peek()
	if !ok {
		return event, false, ctx.Err()
	}
	r.began, r.first = firstOf(r.began, time.Now()), firstOf(r.first, event.Time)
	if due := question.Earliest(filters); !due.IsZero() && !due.After(event.Time) {
		if err := r.pace(ctx, due); err != nil {
			return event, false, err
		}
		r.Now = later(r.Now, due)
		return cache.Event{Type: cache.Elapsed, Time: due}, true, nil
	}
	if err := r.pace(ctx, event.Time); err != nil {
		return event, false, err
	}
	r.player.Take()
	r.Now = later(r.Now, event.Time)
	return event, true, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func firstOf(known, now time.Time) time.Time {
	if known.IsZero() {
		return now
	}
	return known
}

// more says whether there is an event that is not to be waited for.
func (r *replay) more() bool {
	_, more := r.player.Peek()
	return more && r.Playback.Speed == 0
}

// pace waits for a moment of the record, at the speed that is asked for.
func (r *replay) pace(ctx context.Context, moment time.Time) error {
	if r.Playback.Speed == 0 {
		return ctx.Err()
	}
	wait := time.Until(r.began.Add(time.Duration(float64(moment.Sub(r.first)) / r.Playback.Speed)))
	if wait <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
