package cmd

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
)

// replay gives the events of a record to a stream, in place of the informers.
type replay struct {
	*question.SavedRecord
	player *dump.Player
	// deadline, where set, is the moment of the record after which nothing is given.
	deadline time.Time
	// began is when the first event was given, and first its time in the record.
	began, first time.Time
}

// replayed runs a stream of a record.
func (o *tailOptions) replayed(signalled, ctx context.Context, q *question.Question, handling *handler.Handler) error {
	record := q.Connection.Replayed()
	if !record.Record.Timed() && (o.print.Timestamps || record.Playback.Speed > 0) {
		return errors.New("the record does not have the times of its events, which --timestamps and --speed need: record with --record FILE, or with -o json --timestamps")
	}
	played, err := newReplay(ctx, q, o.needs)
	if err != nil {
		return err
	}
	s := &stream{
		tailOptions: o, question: q, queue: informer.NewQueue(o.maxPending), costs: &question.CostReport{Console: o.streams.Console},
		replay: played,
	}
	err = s.toReader(signalled, ctx, handling)
	q.WarnMisses()
	q.ReportStats()
	return errors.Join(err, process.Reported(s.costs.Err()))
}

// newReplay plays the record for the subjects of a question.
func newReplay(ctx context.Context, q *question.Question, needs func(cache.Target) ([]plan.Need, error)) (*replay, error) {
	saved, err := q.Connection.Dump.Open(ctx)
	if err != nil {
		return nil, err
	}
	if err := q.Prepare(ctx, false); err != nil {
		return nil, err
	}
	played := make([]dump.Played, len(q.Subjects))
	for n, subject := range q.Subjects {
		p, err := q.Plan(subject, true, needs)
		if err != nil {
			return nil, err
		}
		played[n] = dump.Played{Target: p.Target, Form: p.Form, Transform: p.Transform}
	}
	record := q.Connection.Replayed()
	player, err := record.Record.Play(saved, played...)
	return &replay{SavedRecord: record, player: player}, err
}

// next returns the next event, or cache.Elapsed where one of the filters, or something
// else, has to look at objects again before it, or before the record ends. ok is false at
// the end; process.ErrTimedOut is that the deadline came first.
func (r *replay) next(ctx context.Context, filters map[cache.Target]*informer.Filter, other time.Time) (event cache.Event, ok bool, err error) {
	event, ok = r.player.Peek()
	moment := event.Time
	if !ok {
		moment = r.Record.Ends() // other types may have events until then
	}
	r.began, r.first = firstOf(r.began, time.Now()), firstOf(r.first, moment)
	due := question.Earlier(question.Earliest(filters), other)
	elapses := !due.IsZero() && !due.After(moment)
	if elapses {
		moment = due
	}
	switch {
	case !r.deadline.IsZero() && moment.After(r.deadline):
		return event, false, cmp.Or(r.reach(ctx, r.deadline), process.ErrTimedOut)
	case !ok && !elapses:
		return event, false, ctx.Err()
	}
	if err := r.reach(ctx, moment); err != nil {
		return event, false, err
	}
	if elapses {
		return cache.Event{Type: cache.Elapsed, Time: due}, true, nil
	}
	r.player.Take()
	return event, true, nil
}

// reach has the clock of the replay come to a moment of the record.
func (r *replay) reach(ctx context.Context, moment time.Time) error {
	if err := r.pace(ctx, moment); err != nil {
		return err
	}
	r.Now = later(r.Now, moment)
	return nil
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
