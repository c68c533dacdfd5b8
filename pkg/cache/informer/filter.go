package informer

import (
	"cmp"
	"slices"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Predicate says whether an object matches at a time, and when that may change by
// time alone: zero is never.
type Predicate func(row *cache.Row, at time.Time) (matches bool, next time.Time)

// Filter is client-go's FilteringResourceEventHandler for a stream of events: an
// object that starts to match is Added, one that stops is Deleted with a reason. It
// remembers which objects have passed, since an event alone does not say: a deletion
// carries the object's last state, which need not be the state that passed.
//
// It is used by the one goroutine that reads the stream.
type Filter struct {
	matches Predicate
	passed  map[cache.ObjectKey]struct{}
	// seen are the objects that may have to be looked at again, as the stream had
	// them last: those whose answer time can change, or all.
	seen map[cache.ObjectKey]cache.Event
	// remembers says that it is all, since other objects can change the answer.
	remembers bool
	due       *cache.Schedule[cache.ObjectKey]
	// synced says that what is seen from now on was not there at the start.
	synced bool
	now    func() time.Time
}

// NewFilter filters by the predicate; nil lets every object pass, at no cost.
func NewFilter(matches Predicate) *Filter {
	return &Filter{
		matches: matches, passed: map[cache.ObjectKey]struct{}{},
		seen: map[cache.ObjectKey]cache.Event{}, due: cache.NewSchedule[cache.ObjectKey](), now: time.Now,
	}
}

// By has the filter go by another clock, as the events of a record do.
func (f *Filter) By(clock func() time.Time) *Filter {
	f.now = clock
	return f
}

// Remembering makes it possible to Reconsider: it keeps the objects of the stream.
func (f *Filter) Remembering() *Filter {
	f.remembers = true
	return f
}

// Apply returns the event as it is behind the filter; ok is false where nothing
// passes.
func (f *Filter) Apply(event cache.Event) (seen cache.Event, ok bool) {
	f.synced = f.synced || event.Type == cache.Synced
	if f.matches == nil || event.Row == nil {
		return event, true
	}
	key := event.Key()
	_, was := f.passed[key]
	was = was || event.Known
	is := event.Type != cache.Deleted && f.match(key, event)
	if event.Type == cache.Deleted {
		f.forget(key)
	}
	switch {
	case is:
		f.passed[key] = struct{}{}
		if !was {
			event.Type, event.Old = cache.Added, nil
		}
		return event, true
	case was:
		delete(f.passed, key)
		if event.Type != cache.Deleted {
			event.Type, event.Reason, event.Old = cache.Deleted, cache.NoLongerMatches, nil
		}
		return event, true
	default:
		return event, false
	}
}

// match asks the predicate, and remembers the object where it has to be asked again.
func (f *Filter) match(key cache.ObjectKey, event cache.Event) bool {
	is, next := f.matches(event.Row, f.now())
	f.due.Set(key, next)
	if f.remembers || !next.IsZero() {
		f.seen[key] = event
	} else {
		delete(f.seen, key)
	}
	return is
}

func (f *Filter) forget(key cache.ObjectKey) {
	delete(f.seen, key)
	f.due.Set(key, time.Time{})
}

// Next is when Pass has something to do; zero is never.
func (f *Filter) Next() time.Time { return f.due.Next() }

// Pass looks again at the objects whose answer time may have changed. It returns an
// event for each that enters or leaves.
func (f *Filter) Pass() []cache.Event {
	var changes []cache.Event
	for _, key := range f.due.Due(f.now()) {
		change, ok := f.again(key)
		if !ok {
			continue
		}
		if change.Type == cache.Added {
			change.Reason = cache.TimePassed
		}
		changes = append(changes, change)
	}
	return changes
}

// Reconsider looks at all objects again, after a change of others that the selection
// depends on. It returns an event for each that enters or leaves, in order.
func (f *Filter) Reconsider() []cache.Event {
	var changes []cache.Event
	for key := range f.seen {
		if change, ok := f.again(key); ok {
			changes = append(changes, change)
		}
	}
	slices.SortFunc(changes, func(a, b cache.Event) int {
		return cmp.Or(cmp.Compare(a.Row.Namespace, b.Row.Namespace), cmp.Compare(a.Row.Name, b.Row.Name), cmp.Compare(a.Row.UID, b.Row.UID))
	})
	return changes
}

// again looks at an object again, and returns an event if it enters or leaves.
func (f *Filter) again(key cache.ObjectKey) (change cache.Event, changed bool) {
	last, known := f.seen[key]
	if !known {
		return change, false
	}
	_, was := f.passed[key]
	is := f.match(key, last)
	if is == was {
		return change, false
	}
	change = cache.Event{Type: cache.Added, Target: last.Target, Row: last.Row, Time: f.now(), Initial: last.Initial && !f.synced}
	if is {
		f.passed[key] = struct{}{}
	} else {
		delete(f.passed, key)
		change.Type, change.Reason, change.Initial = cache.Deleted, cache.NoLongerMatches, false
	}
	return change, true
}
