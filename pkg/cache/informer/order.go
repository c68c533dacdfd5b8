package informer

import (
	"sync"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// handlerGrace bounds how long a transition waits for the handler to be given the
// row that came before it. It is needed only where client-go keeps an event back.
const handlerGrace = time.Second

// order puts the transitions of a connection among the events of objects: after
// those that were received before. A row takes its way through the reflector, the
// FIFO and the handler's buffer; a transition would overtake it.
type order struct {
	push func(cache.Event)

	mu sync.Mutex
	// synced says that the first list was handed to the handler.
	synced bool
	// seen is the row that the handler was given last, but by a resync.
	seen    *cache.Row
	waiting []transition
	// late gives up waiting for a row that does not come.
	late *time.Timer
	// connected says that events can be received, as far as the reader knows.
	connected bool
}

type transition struct {
	event cache.Event
	after *cache.Row
}

// emit takes a transition that comes after a row; nil is after none.
func (o *order) emit(event cache.Event, after *cache.Row) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = append(o.waiting, transition{event, after})
	o.flush(false)
	if o.synced && len(o.waiting) > 0 && o.late == nil {
		o.late = time.AfterFunc(handlerGrace, o.giveUp)
	}
}

// initial notes that the first list was handed to the handler, and reported.
func (o *order) initial() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.synced = true
	o.flush(false)
}

// handed notes that the handler has been given a row, and its events are pushed.
func (o *order) handed(row *cache.Row) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = row
	o.flush(false)
}

func (o *order) giveUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.late = nil
	o.flush(true)
}

// flush pushes the transitions whose rows the handler has been given.
func (o *order) flush(all bool) {
	for len(o.waiting) > 0 {
		next := o.waiting[0]
		if !all && !o.isDue(next) {
			return
		}
		o.waiting = o.waiting[1:]
		switch next.event.Type {
		case cache.Lost, cache.Gone, cache.Ended:
			o.connected = false
		case cache.Connected, cache.Returned:
			o.connected = true
		}
		o.push(next.event)
	}
	if o.late != nil {
		o.late.Stop()
		o.late = nil
	}
}

// isDue says whether all that comes before a transition has been pushed. Before
// the first list is complete nothing does; the end of a Target is held up by
// whoever reports it.
func (o *order) isDue(next transition) bool {
	switch {
	case next.event.Type == cache.Retrying, next.event.Type == cache.Ended:
		return true
	case !o.synced:
		return false
	}
	return next.after == nil || next.after == o.seen
}

// isConnected says whether what the cache holds is known to be the server's state.
func (o *order) isConnected() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.connected
}
