package cmd

import (
	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// initialOrder puts the objects that a Target starts with into the order of
// --sort-by. What comes later is told as it happens, and cannot be sorted.
type initialOrder struct {
	sorter *printers.Sorter
	held   map[cache.Target][]cache.Event
}

func newInitialOrder(sorter *printers.Sorter) *initialOrder {
	return &initialOrder{sorter: sorter, held: map[cache.Target][]cache.Event{}}
}

// arrange returns the events that can be told now that event has come: none
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
