package handler

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// key is what is handled one run at a time: whatever has this name, also when
// it is deleted and created anew.
type key struct {
	target    cache.Target
	namespace string
	name      string
}

func keyOf(event cache.Event) key {
	return key{event.Target, event.Row.Namespace, event.Row.Name}
}

// identity is one object, from its creation to its deletion.
type identity struct {
	key
	uid types.UID
}

func identityOf(event cache.Event) identity {
	return identity{keyOf(event), event.Row.UID}
}

// waiting are the events that have yet to be handled of one key, oldest first.
// What can be said as one event is kept as one, so there are two at most: a
// deletion, and the state of the object that took the name. (There are more
// only of deletions without the additions between them, since a deletion is
// never given up for a newer event.)
type waiting struct {
	events []cache.Event
	// offered says that a run had the first event, or an event that has since
	// been merged into it, and failed.
	offered bool
	// retrying says that the first event is exactly what that run had.
	retrying bool
}

// add takes an event in, merging it with the last that waits where it can.
func (w *waiting) add(next cache.Event) {
	if len(w.events) == 0 {
		w.events = append(w.events, next)
		return
	}
	last := len(w.events) - 1
	prior := w.events[last]
	same := prior.Row.UID == next.Row.UID
	switch {
	case prior.Type == cache.Deleted && !(same && next.Type == cache.Deleted):
		w.events = append(w.events, next)
	case same && next.Type == cache.Resync:
		// What waits already says all that a resync does, and is not tried more
		// often for it.
	case same && prior.Type == cache.Added && next.Type == cache.Deleted && !w.offeredAt(last):
		w.forget(last, next)
	case same && prior.Type == cache.Added && next.Type == cache.Modified:
		prior.Row, prior.Time = next.Row, next.Time
		w.replace(last, prior)
	case same && prior.Type == cache.Modified && next.Type == cache.Modified:
		next.Old = prior.Old
		w.replace(last, next)
	default:
		w.replace(last, next)
	}
}

// offeredAt says whether a run had the event already.
func (w *waiting) offeredAt(index int) bool { return index == 0 && w.offered }

// forget drops an addition that no run ever had, now that the object is
// deleted. If the deletion before it is of the same object (which had left the
// selection and came back), the newer deletion is the one to tell.
func (w *waiting) forget(index int, deletion cache.Event) {
	w.events = w.events[:index]
	if index > 0 && w.events[index-1].Row.UID == deletion.Row.UID {
		w.replace(index-1, deletion)
	}
}

func (w *waiting) replace(index int, event cache.Event) {
	if index == 0 {
		w.offered = w.offered && w.events[0].Row.UID == event.Row.UID
		w.retrying = false
	}
	w.events[index] = event
}

// take removes the oldest event and returns it.
func (w *waiting) take() cache.Event {
	event := w.events[0]
	w.events = slices.Delete(w.events, 0, 1)
	w.offered, w.retrying = false, false
	return event
}

// putBack returns an event whose run failed to the front, and merges with it
// what has come since.
func (w *waiting) putBack(event cache.Event) {
	since := w.events
	*w = waiting{events: []cache.Event{event}, offered: true, retrying: true}
	for _, next := range since {
		w.add(next)
	}
}
