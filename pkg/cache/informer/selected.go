package informer

import "github.com/kubectl-informer/kubectl-informer/pkg/cache"

// Selected gives a stream the semantics of a selector: an object that starts to
// match is Added, one that stops is Deleted with a reason. It remembers which
// objects have been told, since an event alone does not say: a deletion carries
// the object's last state, which need not be the state that was told.
//
// It is used by the one goroutine that reads the stream.
type Selected struct {
	matches func(*cache.Row) bool
	told    map[cache.ObjectKey]struct{}
}

// NewSelected selects by the predicate; nil selects every object, at no cost.
func NewSelected(matches func(*cache.Row) bool) *Selected {
	return &Selected{matches: matches, told: map[cache.ObjectKey]struct{}{}}
}

// Apply returns the event as the selection sees it; ok is false where it is
// nothing to the selection.
func (s *Selected) Apply(event cache.Event) (seen cache.Event, ok bool) {
	if s.matches == nil || event.Row == nil {
		return event, true
	}
	key := event.Key()
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
