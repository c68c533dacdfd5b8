package informer

import (
	"cmp"
	"slices"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Selected gives a stream the semantics of a selector: an object that starts to
// match is Added, one that stops is Deleted with a reason. It remembers which
// objects have been told, since an event alone does not say: a deletion carries
// the object's last state, which need not be the state that was told.
//
// It is used by the one goroutine that reads the stream.
type Selected struct {
	matches func(*cache.Row) bool
	told    map[cache.ObjectKey]struct{}
	// seen are all objects as the stream had them last, where they may have to be
	// looked at again; nil where only their own events can change what matches.
	seen map[cache.ObjectKey]cache.Event
	// synced says that what is seen from now on was not there at the start.
	synced bool
}

// NewSelected selects by the predicate; nil selects every object, at no cost.
func NewSelected(matches func(*cache.Row) bool) *Selected {
	return &Selected{matches: matches, told: map[cache.ObjectKey]struct{}{}}
}

// Remembering makes it possible to Reconsider: it keeps the objects of the stream.
func (s *Selected) Remembering() *Selected {
	s.seen = map[cache.ObjectKey]cache.Event{}
	return s
}

// Apply returns the event as the selection sees it; ok is false where it is
// nothing to the selection.
func (s *Selected) Apply(event cache.Event) (seen cache.Event, ok bool) {
	s.synced = s.synced || event.Type == cache.Synced
	if s.matches == nil || event.Row == nil {
		return event, true
	}
	key := event.Key()
	s.remember(key, event)
	_, was := s.told[key]
	is := event.Type != cache.Deleted && s.matches(event.Row)
	switch {
	case is:
		s.told[key] = struct{}{}
		if !was {
			event.Type, event.Old = cache.Added, nil
		}
		return event, true
	case was:
		delete(s.told, key)
		if event.Type != cache.Deleted {
			event.Type, event.Reason, event.Old = cache.Deleted, cache.NoLongerMatches, nil
		}
		return event, true
	default:
		return event, false
	}
}

func (s *Selected) remember(key cache.ObjectKey, event cache.Event) {
	switch {
	case s.seen == nil:
	case event.Type == cache.Deleted:
		delete(s.seen, key)
	default:
		s.seen[key] = event
	}
}

// Reconsider looks at all objects again, after a change of others that the selection
// depends on. It returns an event for each that enters or leaves, in order.
func (s *Selected) Reconsider() []cache.Event {
	var changes []cache.Event
	for key, last := range s.seen {
		_, was := s.told[key]
		is := s.matches(last.Row)
		if is == was {
			continue
		}
		event := cache.Event{
			Type: cache.Added, Target: last.Target, Row: last.Row, Time: time.Now(),
			Initial: last.Initial && !s.synced,
		}
		if is {
			s.told[key] = struct{}{}
		} else {
			delete(s.told, key)
			event.Type, event.Reason, event.Initial = cache.Deleted, cache.NoLongerMatches, false
		}
		changes = append(changes, event)
	}
	slices.SortFunc(changes, func(a, b cache.Event) int {
		return cmp.Or(cmp.Compare(a.Row.Namespace, b.Row.Namespace), cmp.Compare(a.Row.Name, b.Row.Name), cmp.Compare(a.Row.UID, b.Row.UID))
	})
	return changes
}
