package handler

import (
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// repeats knows which runs would only repeat what has been handled: Options.Once and
// Options.Cooldown. A deletion is never one of them, except of an object that lives
// on and has left the selection. Its methods are called with the Handler's lock held.
type repeats struct {
	once     bool
	cooldown time.Duration
	// handled are the runs that have succeeded, with once.
	handled map[occurrence]struct{}
	// resting has until when there is no other run for an object.
	resting *cache.Schedule[cache.ObjectKey]
}

// occurrence is what happens to an object at most once, with Options.Once.
type occurrence struct {
	object cache.ObjectKey
	what   cache.EventType
}

func newRepeats(o Options) *repeats {
	return &repeats{
		once: o.Once, cooldown: o.Cooldown,
		handled: map[occurrence]struct{}{}, resting: cache.NewSchedule[cache.ObjectKey](),
	}
}

// succeeded notes that an event has been handled.
func (r *repeats) succeeded(event cache.Event) {
	object := event.Key()
	if isEnd(event) {
		for _, what := range []cache.EventType{cache.Added, cache.Modified, cache.Resync, cache.Deleted} {
			delete(r.handled, occurrence{object, what})
		}
		r.resting.Set(object, time.Time{})
		return
	}
	if r.once {
		r.handled[occurrence{object, event.Type}] = struct{}{}
	}
	if r.cooldown > 0 {
		r.resting.Set(object, time.Now().Add(r.cooldown))
	}
}

// isRepeat says that an event has been handled once, which is enough.
func (r *repeats) isRepeat(event cache.Event) bool {
	_, handled := r.handled[occurrence{event.Key(), event.Type}]
	return handled && !isEnd(event)
}

// rest is for how long an event has to wait, since its object has just been handled.
func (r *repeats) rest(event cache.Event) time.Duration {
	now := time.Now()
	r.resting.Due(now) // those that have rested enough are forgotten
	until := r.resting.At(event.Key())
	if until.IsZero() || isEnd(event) {
		return 0
	}
	return until.Sub(now)
}

// newest drops the events that say that the object had left the selection, where it
// has come back while it rested: only its newest state is handled.
func (r *repeats) newest(w *waiting) {
	for r.cooldown > 0 && len(w.events) > 1 && w.events[0].Type == cache.Deleted && !isEnd(w.events[0]) &&
		w.events[1].Key() == w.events[0].Key() {
		w.take()
	}
}

// isEnd says that the object of an event is no more.
func isEnd(event cache.Event) bool {
	return event.Type == cache.Deleted && event.Reason != cache.NoLongerMatches
}
