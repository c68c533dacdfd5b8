package cmd

import (
	"cmp"
	"context"
	"slices"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// batchSize is how many waiting events are printed in one write at most.
const batchSize = 500

// stream reads the events of all Targets and tells those that are asked for.
// Nothing is kept back: what is told together was waiting together, or is what a
// Target starts with, which comes in one burst and ends with Synced.
type stream struct {
	*tail
	question    *question
	queue       *informer.Queue
	connections *connections
	selected    map[cache.Target]*informer.Selected
	// tell prints events, or hands them to COMMAND.
	tell func([]printers.PreparedEvent) error
	// told counts the events told, merged those that the queue merged.
	told, merged int
}

// newStream is given what prints events, or hands them to COMMAND.
func (o *tail) newStream(ctx context.Context, q *question, queue *informer.Queue, tell func([]printers.PreparedEvent) error) *stream {
	return &stream{
		tail: o, question: q, queue: queue, connections: newConnections(o.notices, true, q.targets()),
		selected: q.selections(ctx, o.overspent), tell: tell,
	}
}

func (s *stream) run(ctx context.Context) error {
	defer s.connections.close()
	var batch []printers.PreparedEvent
	order, err := s.order()
	if err != nil {
		return err
	}
	for {
		event, ok, err := s.queue.Next(ctx)
		if err != nil {
			return cmp.Or(s.tell(batch), err)
		}
		if ok && event.Row == nil {
			s.connections.see(event)
		}
		arranged, err := order.arrange(event)
		if err != nil {
			return err
		}
		for _, event := range arranged {
			if event, wanted := s.wanted(ctx, event); ok && wanted && !s.enough() {
				batch = append(batch, event)
				if event.Type != cache.Synced {
					s.told++
				}
			}
		}
		done := s.enough()
		caughtUp := s.queue.Len() == 0 && !event.Initial
		if !ok || done || caughtUp || len(batch) >= batchSize {
			if err := s.tell(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
		if s.merged += s.queue.Merged(); caughtUp {
			s.tellMerged()
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

// enough says whether --max-events have been told.
func (s *stream) enough() bool { return s.maxEvents > 0 && s.told >= s.maxEvents }

// order is how the objects that are there at the start are told; a person is
// told, once, what is not sorted.
func (s *stream) order() (*initialOrder, error) {
	sorter, err := s.print.Sorter()
	if err != nil {
		return nil, err
	}
	if sorter.Active() {
		s.notices.warn("--sort-by sorts the objects that are there at the start; events are told as they happen")
	}
	return newInitialOrder(sorter), nil
}

// wanted says whether an event is to be told, and as what.
func (s *stream) wanted(ctx context.Context, event cache.Event) (seen printers.PreparedEvent, ok bool) {
	if selected := s.selected[event.Target]; selected != nil {
		if event, ok = selected.Apply(event); !ok {
			return seen, false
		}
	}
	seen = printers.PreparedEvent{Event: event}
	switch {
	case event.Row == nil:
		return seen, event.Type == cache.Synced && s.print.SyncEvents && !s.print.Human()
	case !s.question.selectsChange(ctx, event, s.overspent),
		event.Initial && s.watchOnly,
		len(s.events) > 0 && !slices.Contains(s.events, string(event.Type)):
		return seen, false
	case event.Type == cache.Modified && s.compares():
		return s.compare(event)
	}
	return seen, true
}

// compare says what an update changed, and whether it is told for that.
func (s *stream) compare(event cache.Event) (printers.PreparedEvent, bool) {
	if len(s.changed) > 0 && !s.compared.Between(event.Old, event.Row) {
		return printers.PreparedEvent{}, false
	}
	prepared := s.print.Prepare(event)
	return prepared, !prepared.IsNoise()
}

// tellMerged says what a slow reader has cost.
func (s *stream) tellMerged() {
	if s.merged > 0 {
		s.notices.say("the output is read more slowly than objects change: %d waiting events were merged into newer ones of their objects", s.merged)
		s.merged = 0
	}
}
