package cmd

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// batchSize is how many waiting events are printed together at most.
const batchSize = 500

// stream reads the events of all Targets and emits those that are asked for.
// Nothing is kept back: what is emitted together was waiting together, or is what a
// Target starts with, which comes in one burst and ends with Synced.
type stream struct {
	*tailOptions
	question *question.Question
	queue    *informer.Queue
	costs    *question.CostReport
	// replay, where set, gives the events in place of the queue.
	replay *replay
	// recorder, where set, has every event.
	recorder *recorder
	filters  map[cache.Target]*informer.Filter
	// keeper keeps what is emitted.
	keeper *stateKeeper
	// owes says whether an event of an object that was emitted is not handled yet; nil
	// where emitting is all.
	owes func(cache.ObjectKey) bool
	// widen, where set, has the printer know that the stream is about more than it was.
	widen func()
	round round
	// emitted counts the events emitted, merged those that the queue merged.
	emitted, merged int
}

// round is what has come since something was emitted.
type round struct {
	// judged are the events in the order in which they came, emit those of them that are
	// to be emitted.
	judged []judged
	emit   []printers.PreparedEvent
	// synced are the Targets whose first objects are all in this round or before.
	synced []cache.Target
}

// judged is an event and what is made of it.
type judged struct {
	cache.Event
	verdict verdict
}

// toReader hands events to the COMMAND, or prints them where there is none.
func (s *stream) toReader(signalled, ctx context.Context, handling *handler.Handler) error {
	if handling != nil {
		return s.toCommand(signalled, ctx, handling)
	}
	return endOf(ctx, s.question, s.toOutput(ctx))
}

// toOutput prints events until something ends the stream.
func (s *stream) toOutput(ctx context.Context) error {
	colour, err := s.print.Colour(s.streams.OutIsTerminal, os.Getenv)
	if err != nil {
		return err
	}
	printer, err := s.print.NewEventPrinter(s.streams.Out, printers.EventOptions{
		Scope:    s.question.Scope(),
		Targets:  s.question.Targets(),
		Terminal: s.streams.OutIsTerminal,
		Colour:   colour,
		Now:      s.question.Connection.Now,
	})
	if err != nil {
		return err
	}
	s.widen = func() { printer.Widen(s.question.Scope(), s.question.Targets()) }
	return process.WriteOutput(ctx, s.streams.Out, func(ctx context.Context) error { return s.run(ctx, s.printTo(printer)) })
}

// printTo prints events. One that cannot be printed is reported and does not end
// the stream.
func (s *stream) printTo(printer *printers.EventPrinter) func([]printers.PreparedEvent) error {
	return func(events []printers.PreparedEvent) error {
		err := printer.PrintPrepared(events...)
		var unprintable *printers.ObjectError
		if !errors.As(err, &unprintable) {
			return err
		}
		for _, one := range process.Flatten(err) {
			s.streams.Console.Say("%s", process.Words(one))
		}
		return nil
	}
}

// run reads events, and emits them, until something ends the stream.
func (s *stream) run(ctx context.Context, emit func([]printers.PreparedEvent) error) error {
	connections := question.NewConnections(s.streams.Console, true, s.question.Targets())
	defer connections.Close()
	s.question.Attach(s.queue, connections)
	s.filters = s.question.Filters(ctx, s.costs.Exceeded)
	order, err := s.order()
	if err != nil {
		return err
	}
	for {
		event, ok, err := s.next(ctx)
		if err != nil {
			return cmp.Or(s.deliver(emit), err)
		}
		abandoned := false
		if ok && event.Row == nil {
			connections.See(event)
			s.admit(ctx, connections)
			abandoned = s.question.IsAbandoned(connections)
			ok = !abandoned
		}
		s.recorder.add(event)
		if err := s.question.Lost(event); err != nil {
			return cmp.Or(s.deliver(emit), err)
		}
		arranged, err := order.arrange(event)
		if !ok && s.replay != nil {
			arranged, err = order.rest(s.question.Targets())
		}
		if err != nil {
			return err
		}
		s.sort(ctx, s.selects(arranged))
		done := s.enough() || !abandoned && s.state.untilSynced && connections.Settled() && len(s.question.Undecided()) == 0
		caughtUp := s.isCaughtUp() && !event.Initial
		if !ok || done || caughtUp || max(len(s.round.emit), len(s.round.judged)) >= batchSize {
			if err := cmp.Or(s.recorder.flush(), s.deliver(emit)); err != nil {
				return err
			}
		}
		if s.merged += s.queue.Merged(); caughtUp {
			s.reportMerged()
		}
		switch {
		case done:
			return process.ErrDone
		case !ok:
			// All Targets have ended: by themselves, or because ctx has.
			return cmp.Or(ctx.Err(), s.question.Unanswered())
		}
	}
}

// admit has the clusters join the stream that have answered since the last event.
func (s *stream) admit(ctx context.Context, connections *question.Connections) {
	for _, part := range s.question.Admit(s.queue, connections) {
		if filters := part.Filters(ctx, s.costs.Exceeded); s.filters == nil {
			s.filters = filters
		} else {
			maps.Copy(s.filters, filters)
		}
		if s.widen != nil {
			s.widen()
		}
	}
}

// next returns the next event, and ok false at the end of all.
func (s *stream) next(ctx context.Context) (event cache.Event, ok bool, err error) {
	if s.replay != nil {
		return s.replay.next(ctx, s.filters, time.Time{})
	}
	return question.NextOrElapsed(ctx, s.queue, s.filters, s.question.ReportBy())
}

// isCaughtUp says whether no event waits. The ages in a table are as of the moment in
// which it is printed: of a record each event is printed at its own.
func (s *stream) isCaughtUp() bool {
	if s.replay != nil {
		return s.output.Human() || !s.replay.more()
	}
	return s.queue.Len() == 0
}

// enough says whether --max-events have been emitted.
func (s *stream) enough() bool { return s.maxEvents > 0 && s.emitted >= s.maxEvents }

// order is the order in which the objects are emitted that are there at the start.
// What it does not sort is warned of, once.
func (s *stream) order() (*initialOrder, error) {
	sorter, err := s.print.Sorter()
	if err != nil {
		return nil, err
	}
	if sorter.Active() {
		s.streams.Console.Warn("--sort-by sorts the objects that are there at the start; events are reported as they happen")
	}
	return newInitialOrder(sorter), nil
}

// selects returns the events that those of the queue are behind the filters.
func (s *stream) selects(events []cache.Event) (seen []cache.Event) {
	for _, event := range events {
		seen = append(seen, s.question.Selects(event, s.filters)...)
	}
	return seen
}

// sort puts events into the round, until enough are to be emitted. What comes after
// those is as if it had not come.
func (s *stream) sort(ctx context.Context, events []cache.Event) {
	for _, event := range events {
		if s.enough() {
			return
		}
		if event.Type == cache.Synced {
			s.round.synced = append(s.round.synced, event.Target)
		}
		prepared, verdict := s.judge(ctx, event)
		if verdict == wanted {
			s.round.emit = append(s.round.emit, prepared)
			if event.Type != cache.Synced {
				s.emitted++
			}
		}
		if event.Row != nil && s.keeper.keeps() {
			s.round.judged = append(s.round.judged, judged{event, verdict})
		}
	}
}

// deliver emits a round, and notes what came of it.
func (s *stream) deliver(emit func([]printers.PreparedEvent) error) error {
	if err := s.keeper.begin(s.round.emit); err != nil {
		return err
	}
	if s.owes != nil {
		s.keeper.note(s.settled()...)
	}
	if err := emit(s.round.emit); err != nil {
		return err
	}
	if s.owes == nil {
		s.keeper.note(s.round.judged...)
	}
	for _, target := range s.round.synced {
		s.keeper.complete(target)
	}
	s.round = round{judged: s.round.judged[:0], emit: s.round.emit[:0]}
	return nil
}

// settled are the events of a round that no COMMAND is to be run for, and that come
// after none of their objects that it has yet to be run for.
func (s *stream) settled() (settled []judged) {
	emitted := map[cache.ObjectKey]bool{}
	for _, event := range s.round.judged {
		key := event.Key()
		emitted[key] = emitted[key] || event.verdict == wanted
		if !emitted[key] && !s.owes(key) {
			settled = append(settled, event)
		}
	}
	return settled
}

// verdict is what a stream makes of an event.
type verdict int

const (
	// unwanted events are not asked for.
	unwanted verdict = iota
	// noise changes nothing that is asked about.
	noise
	// wanted events are emitted.
	wanted
)

// judge says whether an event is to be emitted, and as what.
func (s *stream) judge(ctx context.Context, event cache.Event) (printers.PreparedEvent, verdict) {
	prepared := printers.PreparedEvent{Event: event}
	switch {
	case event.Row == nil:
		if event.Type == cache.Synced && s.print.SyncEvents && !s.print.Human() {
			return prepared, wanted
		}
		return prepared, unwanted
	case event.Type == cache.Unchanged:
		return prepared, noise
	case !s.question.SelectsChange(ctx, event, s.costs.Exceeded),
		event.Initial && s.watchOnly,
		len(s.events) > 0 && !slices.Contains(s.events, event.Type):
		return prepared, unwanted
	case event.Type == cache.Modified && s.comparing:
		return s.compare(event)
	}
	return prepared, wanted
}

// compare says what an update changed, and whether it is emitted for that.
func (s *stream) compare(event cache.Event) (printers.PreparedEvent, verdict) {
	if s.onlyChanged && !s.changed.Between(event.Old, event.Row) {
		return printers.PreparedEvent{Event: event}, noise
	}
	prepared := s.print.Prepare(event)
	if prepared.IsNoise() {
		return prepared, noise
	}
	return prepared, wanted
}

// reportMerged reports what a slow reader has cost.
func (s *stream) reportMerged() {
	if s.merged > 0 {
		s.streams.Console.Say("the output is read more slowly than objects change: %d waiting events were merged into newer ones of their objects", s.merged)
		s.merged = 0
	}
}

// initialOrder puts the objects that a Target starts with into the order of
// --sort-by. What comes later is emitted as it happens, and cannot be sorted.
type initialOrder struct {
	sorter *printers.Sorter
	held   map[cache.Target][]cache.Event
}

func newInitialOrder(sorter *printers.Sorter) *initialOrder {
	return &initialOrder{sorter: sorter, held: map[cache.Target][]cache.Event{}}
}

// arrange returns the events that can be emitted now that event has come: none
// while a Target's first objects come, all of them in order with what follows.
func (o *initialOrder) arrange(event cache.Event) ([]cache.Event, error) {
	if !o.sorter.Active() || event.Row == nil && event.Type != cache.Synced {
		return []cache.Event{event}, nil
	}
	if event.Initial {
		o.held[event.Target] = append(o.held[event.Target], event)
		return nil, nil
	}
	sorted, err := o.release(event.Target)
	return append(sorted, event), err
}

// rest returns the first objects of all Targets that are held, at the end of a record
// that ends before they have synced.
func (o *initialOrder) rest(targets []cache.Target) (events []cache.Event, err error) {
	for _, target := range targets {
		sorted, err := o.release(target)
		if err != nil {
			return nil, err
		}
		events = append(events, sorted...)
	}
	return events, nil
}

// release returns the first objects of a Target, sorted.
func (o *initialOrder) release(target cache.Target) ([]cache.Event, error) {
	held := o.held[target]
	delete(o.held, target)
	rows := make([]*cache.Row, len(held))
	events := make(map[*cache.Row]cache.Event, len(held))
	for i, event := range held {
		rows[i], events[event.Row] = event.Row, event
	}
	rows, err := o.sorter.Sort(rows)
	if err != nil {
		return nil, err
	}
	sorted := make([]cache.Event, len(rows))
	for i, row := range rows {
		sorted[i] = events[row]
	}
	return sorted, nil
}
