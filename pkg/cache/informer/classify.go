package informer

import (
	"reflect"
	"sync/atomic"
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
	// resyncs counts the objects that were handed out again.
	resyncs atomic.Int64
}

var _ toolscache.ResourceEventHandler = (*handler)(nil)

// OnAdd reports an object that is new to the cache.
func (h *handler) OnAdd(obj any, isInInitialList bool) {
	if row, ok := obj.(*cache.Row); ok {
		h.report(cache.Event{Type: cache.Added, Row: row, Initial: isInInitialList})
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
	for _, event := range classifyUpdate(before, now) {
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
	h.report(cache.Event{Type: cache.Deleted, Row: row, FinalStateUnknown: unknown})
	h.order.handed(row)
}

// report pushes an event. There is no resync while nothing can be received: what
// the cache holds may be of the past.
func (h *handler) report(event cache.Event) {
	if event.Type == cache.Resync {
		if !h.order.isConnected() {
			return
		}
		h.resyncs.Add(1)
	}
	event.Target, event.Time = h.target, time.Now()
	h.push(event)
}

// classifyUpdate says what an informer's update means. The same pointer twice
// is a resync: only a resync hands out the cached object itself.
func classifyUpdate(before, now *cache.Row) []cache.Event {
	switch {
	case before == now:
		return []cache.Event{{Type: cache.Resync, Row: now}}
	case before.UID != now.UID:
		// Deleted and recreated under one name, merged while the watch was down.
		return []cache.Event{
			{Type: cache.Deleted, Row: before, FinalStateUnknown: true},
			{Type: cache.Added, Row: now},
		}
	case unchanged(before, now):
		return nil
	default:
		return []cache.Event{{Type: cache.Modified, Row: now, Old: before}}
	}
}

// unchanged says whether a re-list has seen the same object again. An empty
// resourceVersion, which some aggregated APIs serve, proves nothing: then the
// objects themselves are compared. Cells under other columns are a change: the
// type is printed differently now.
func unchanged(before, now *cache.Row) bool {
	if now.ResourceVersion == "" || before.ResourceVersion == "" {
		return sameContent(before, now)
	}
	return before.ResourceVersion == now.ResourceVersion && before.Columns == now.Columns
}

func sameContent(a, b *cache.Row) bool {
	return reflect.DeepEqual(a.ObjectMeta, b.ObjectMeta) &&
		reflect.DeepEqual(a.Cells, b.Cells) &&
		reflect.DeepEqual(a.Body, b.Body)
}

// rowOfKey makes what can be made of a deletion of which only the storage key
// is known: a row with the type, the namespace and the name.
func rowOfKey(target cache.Target, key string) *cache.Row {
	row := &cache.Row{}
	row.APIVersion, row.Kind = target.Kind.ToAPIVersionAndKind()
	if name, err := toolscache.ParseObjectName(key); err == nil {
		row.Namespace, row.Name = name.Namespace, name.Name
	}
	return row
}
