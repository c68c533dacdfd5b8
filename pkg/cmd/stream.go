package cmd

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// batchSize is how many waiting events are printed in one write at most.
const batchSize = 500

// stream reads the events of all Targets and prints those that are asked for.
// Nothing is kept back: what is printed together was waiting together, or is what
// a Target starts with, which comes in one burst and ends with Synced.
type stream struct {
	*tail
	question *question
	queue    *informer.Queue
	printer  *printers.EventPrinter
	selected map[cache.Target]*informer.Selected
	// told counts the events printed, merged those that the queue merged.
	told, merged int
}

func (s *stream) run(ctx context.Context) error {
	var batch []cache.Event
	for {
		event, ok, err := s.queue.Next(ctx)
		if err != nil {
			return cmp.Or(s.flush(batch), err)
		}
		if event, wanted := s.wanted(ctx, event); ok && wanted {
			batch = append(batch, event)
			if event.Type != cache.Synced {
				s.told++
			}
		}
		done := s.maxEvents > 0 && s.told == s.maxEvents
		caughtUp := s.queue.Len() == 0 && !event.Initial
		if !ok || done || caughtUp || len(batch) == batchSize {
			if err := s.flush(batch); err != nil {
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

// wanted says whether an event is to be told, and as what.
func (s *stream) wanted(ctx context.Context, event cache.Event) (cache.Event, bool) {
	selected := s.selected[event.Target]
	if selected != nil {
		var ok bool
		if event, ok = selected.Apply(event); !ok {
			return event, false
		}
	}
	switch {
	case event.Type == cache.Synced:
		return event, s.syncEvents && !s.print.Human()
	case !s.question.selectsChange(ctx, event):
		return event, false
	case event.Initial && s.watchOnly:
		return event, false
	}
	return event, len(s.events) == 0 || slices.Contains(s.events, string(event.Type))
}

// flush prints events. One that cannot be printed is told and does not end the
// stream.
func (s *stream) flush(batch []cache.Event) error {
	err := s.printer.Print(batch...)
	var unprintable *printers.ObjectError
	if !errors.As(err, &unprintable) {
		return err
	}
	for _, one := range flatten(err) {
		s.notices.say("%s", words(one))
	}
	return nil
}

// tellMerged says what a slow reader has cost.
func (s *stream) tellMerged() {
	if s.merged > 0 {
		s.notices.say("the output is read more slowly than objects change: %d waiting events were merged into newer ones of their objects", s.merged)
		s.merged = 0
	}
}
