package informer

import (
	"time"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// handler turns the calls of one informer into events. client-go calls it from
// one goroutine, so the events of one Target keep their order.
type handler struct {
	target cache.Target
	push   func(cache.Event)
	order  *order
	// resumed is what an earlier run has left.
	resumed *resumption
	calls   calls
}

var _ toolscache.ResourceEventHandler = (*handler)(nil)

// OnAdd reports an object that is new to the cache.
func (h *handler) OnAdd(obj any, isInInitialList bool) {
	if row, ok := obj.(*cache.Row); ok {
		h.calls.added()
		h.report(h.resumed.added(row, isInInitialList))
		h.order.handed(row)
	}
}

// OnUpdate reports a change, a resync, or nothing where a re-list has only seen
// the object again.
func (h *handler) OnUpdate(oldObj, newObj any) {
	before, ok := oldObj.(*cache.Row)
	if !ok {
		return
	}
	now, ok := newObj.(*cache.Row)
	if !ok {
		return
	}
	event, changed := classifyUpdate(before, now)
	h.calls.updated(now, event.Type)
	if stored, ok := h.resumed.take(before); ok {
		h.report(h.resumed.found(stored, now))
		h.resumed.endIfDone()
	} else if changed {
		h.report(event)
	}
	if before != now {
		h.order.handed(now)
	}
}

// OnDelete reports a deletion, also one that happened while the watch was down.
func (h *handler) OnDelete(obj any) {
	tombstone, unknown := obj.(toolscache.DeletedFinalStateUnknown)
	if unknown {
		obj = tombstone.Obj
	}
	row, ok := obj.(*cache.Row)
	if !ok {
		row = rowOfKey(h.target, tombstone.Key)
	}
	h.calls.deleted(row, unknown)
	if stored, ok := h.resumed.take(row); ok {
		h.report(h.resumed.missing(stored))
		h.resumed.endIfDone()
	} else {
		h.report(cache.Event{Type: cache.Deleted, Row: row, FinalStateUnknown: unknown})
	}
	h.order.handed(row)
}

// report pushes an event. There is no resync while nothing can be received: what
// the cache holds may be of the past.
func (h *handler) report(event cache.Event) {
	if event.Type == cache.Resync {
		if !h.order.isConnected() {
			return
		}
		h.calls.resynced()
	}
	event.Target, event.Time = h.target, time.Now()
	h.push(event)
}

// classifyUpdate says what an informer's update means, if anything. The same
// pointer twice is a resync: only a resync hands out the cached object itself.
// Two objects are never two states: what was deleted and recreated under one name
// has another uid, and with it another storage key.
func classifyUpdate(before, now *cache.Row) (event cache.Event, ok bool) {
	switch {
	case before == now:
		return cache.Event{Type: cache.Resync, Row: now}, true
	case unchanged(before, now):
		return event, false
	default:
		return cache.Event{Type: cache.Modified, Row: now, Old: before}, true
	}
}

// unchanged says whether a re-list has seen the same object again. An empty
// resourceVersion, which some aggregated APIs serve, proves nothing: then the
// objects themselves are compared. Cells under other columns are a change: the
// type is printed differently now.
func unchanged(before, now *cache.Row) bool {
	if now.ResourceVersion == "" || before.ResourceVersion == "" {
		return cache.SameContent(before, now)
	}
	return before.ResourceVersion == now.ResourceVersion && before.Columns == now.Columns
}

// rowOfKey makes what can be made of a deletion of which only the storage key
// is known: a row with the type, the namespace and the name.
func rowOfKey(target cache.Target, key string) *cache.Row {
	row := &cache.Row{}
	row.APIVersion, row.Kind = target.Kind.ToAPIVersionAndKind()
	name := cache.NameOfKey(key)
	row.Namespace, row.Name = name.Namespace, name.Name
	return row
}
