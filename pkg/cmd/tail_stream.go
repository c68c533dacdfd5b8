package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// batchSize is how many waiting events are printed in one write at most.
const batchSize = 500

// stream reads the events of all Targets and emits those that are asked for.
// Nothing is kept back: what is emitted together was waiting together, or is what a
// Target starts with, which comes in one burst and ends with Synced.
type stream struct {
	*tailOptions
	question *question
	queue    *informer.Queue
	costs    *costReport
	filters  map[cache.Target]*informer.Filter
	// emitted counts the events emitted, merged those that the queue merged.
	emitted, merged int
}

// toOutput prints events until something ends the stream.
func (s *stream) toOutput(ctx context.Context) error {
	colour, err := s.print.Colour(s.streams.OutIsTerminal, os.Getenv)
	if err != nil {
		return err
	}
	printer, err := s.print.NewEventPrinter(s.streams.Out, printers.EventOptions{
		Scope:    s.question.scope(),
		Targets:  s.question.targets(),
		Terminal: s.streams.OutIsTerminal,
		Colour:   colour,
	})
	if err != nil {
		return err
	}
	return writeOutput(ctx, s.streams.Out, func(ctx context.Context) error { return s.run(ctx, s.printTo(printer)) })
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
		for _, one := range flatten(err) {
			s.streams.console.say("%s", words(one))
		}
		return nil
	}
}

// run reads events, and emits them, until something ends the stream.
func (s *stream) run(ctx context.Context, emit func([]printers.PreparedEvent) error) error {
	connections := newConnections(s.streams.console, true, s.question.targets())
	defer connections.close()
	s.question.dependencies.attach(s.queue, connections)
	s.filters = s.question.filters(ctx, s.costs.exceeded)
	var batch []printers.PreparedEvent
	order, err := s.order()
	if err != nil {
		return err
	}
	for {
		event, ok, err := nextOrElapsed(ctx, s.queue, s.filters, time.Time{})
		if err != nil {
			return cmp.Or(emit(batch), err)
		}
		if ok && event.Row == nil {
			connections.see(event)
		}
		if err := s.question.dependencies.lost(event); err != nil {
			return cmp.Or(emit(batch), err)
		}
		arranged, err := order.arrange(event)
		if err != nil {
			return err
		}
		for _, event := range s.selects(arranged) {
			if event, wanted := s.wanted(ctx, event); ok && wanted && !s.enough() {
				batch = append(batch, event)
				if event.Type != cache.Synced {
					s.emitted++
				}
			}
		}
		done := s.enough()
		caughtUp := s.queue.Len() == 0 && !event.Initial
		if !ok || done || caughtUp || len(batch) >= batchSize {
			if err := emit(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
		if s.merged += s.queue.Merged(); caughtUp {
			s.reportMerged()
		}
		switch {
		case done:
			return errDone
		case !ok:
			// All Targets have ended: by themselves, or because ctx has.
			return ctx.Err()
		}
	}
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
		s.streams.console.warn("--sort-by sorts the objects that are there at the start; events are reported as they happen")
	}
	return newInitialOrder(sorter), nil
}

// selects returns the events that those of the queue are behind the filters.
func (s *stream) selects(events []cache.Event) (seen []cache.Event) {
	for _, event := range events {
		seen = append(seen, s.question.selects(event, s.filters)...)
	}
	return seen
}

// wanted says whether an event is to be emitted, and as what.
func (s *stream) wanted(ctx context.Context, event cache.Event) (seen printers.PreparedEvent, ok bool) {
	seen = printers.PreparedEvent{Event: event}
	switch {
	case event.Row == nil:
		return seen, event.Type == cache.Synced && s.print.SyncEvents && !s.print.Human()
	case !s.question.selectsChange(ctx, event, s.costs.exceeded),
		event.Initial && s.watchOnly,
		len(s.events) > 0 && !slices.Contains(s.events, event.Type):
		return seen, false
	case event.Type == cache.Modified && s.comparing:
		return s.compare(event)
	}
	return seen, true
}

// compare says what an update changed, and whether it is emitted for that.
func (s *stream) compare(event cache.Event) (printers.PreparedEvent, bool) {
	if s.onlyChanged && !s.changed.Between(event.Old, event.Row) {
		return printers.PreparedEvent{}, false
	}
	prepared := s.print.Prepare(event)
	return prepared, !prepared.IsNoise()
}

// reportMerged reports what a slow reader has cost.
func (s *stream) reportMerged() {
	if s.merged > 0 {
		s.streams.console.say("the output is read more slowly than objects change: %d waiting events were merged into newer ones of their objects", s.merged)
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
