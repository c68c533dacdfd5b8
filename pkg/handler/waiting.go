package handler

import (
	"slices"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// key is what is handled one run at a time: whatever has this name, also when
// it is deleted and created anew.
type key = cache.ObjectKey

func keyOf(event cache.Event) key {
	return key{Target: event.Target, Identity: event.Row.Identity().Anonymous()}
}

// waiting are the events that have yet to be handled of one key, oldest first.
// What can be said of one object as one event is kept as one; of two objects, of
// which one has taken the other's name or shares it, each has its own. (Of one object
// there are two where it left the selection and came back, since a deletion is never
// given up for a newer event.)
type waiting struct {
	events []cache.Event
	// attempted says that a run had the first event, or an event that has since
	// been merged into it, and failed.
	attempted bool
	// retrying says that the first event is exactly what that run had.
	retrying bool
}

// add takes an event in, merging it with the last of its object where it can. It says
// whether nothing is left of either: the object came and went.
func (w *waiting) add(next cache.Event) (void bool) {
	last := w.lastOf(next, len(w.events))
	if last < 0 {
		w.events = append(w.events, next)
		return false
	}
	merged := cache.Coalesce(w.events[last], next)
	switch {
	case len(merged) == 2:
		w.events = append(w.events, next)
	case len(merged) == 1 && next.Type != cache.Resync:
		w.replace(last, merged[0])
	case len(merged) == 1:
		// The event that waits stays as it is, and is not tried more often for a resync.
	case w.attemptedAt(last):
		w.replace(last, next) // a run had the addition
	default:
		return w.forget(last, next)
	}
	return false
}

// lastOf is where, before end, the last event of the same object is; -1 if nowhere.
func (w *waiting) lastOf(event cache.Event, end int) int {
	for i := end - 1; i >= 0; i-- {
		if w.events[i].Key() == event.Key() {
			return i
		}
	}
	return -1
}

// attemptedAt says whether a run had the event already.
func (w *waiting) attemptedAt(index int) bool { return index == 0 && w.attempted }

// forget drops an addition that no run ever had, now that the object is
// deleted. If there is a deletion of the same object before it (which had left the
// selection and came back), the newer deletion is the one to handle.
func (w *waiting) forget(index int, deletion cache.Event) (void bool) {
	w.events = slices.Delete(w.events, index, index+1)
	before := w.lastOf(deletion, index)
	if before >= 0 {
		w.replace(before, deletion)
	}
	return before < 0
}

func (w *waiting) replace(index int, event cache.Event) {
	if index == 0 {
		w.retrying = false
	}
	w.events[index] = event
}

// take removes the oldest event and returns it.
func (w *waiting) take() cache.Event {
	event := w.events[0]
	w.events = slices.Delete(w.events, 0, 1)
	w.attempted, w.retrying = false, false
	return event
}

// putBack returns an event whose run failed to the front, and merges with it
// what has come since.
func (w *waiting) putBack(event cache.Event) {
	since := w.events
	*w = waiting{events: []cache.Event{event}, attempted: true, retrying: true}
	for _, next := range since {
		w.add(next)
	}
}
