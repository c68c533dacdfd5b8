package cache

// Coalesce returns what remains to be reported of two events of one object, next
// after prior, neither of which anybody has seen: one event with the newest state,
// both where one cannot say it, or none where the object came and went.
//
// A deletion is never given up for what comes after it: an object that has come back
// is reported twice. An addition stays one, and an update is against the oldest state.
// A resync adds nothing to an event that waits. What an earlier run has reported of the
// object stays known, and with it that its deletion is to be reported.
func Coalesce(prior, next Event) []Event {
	switch {
	case prior.Type == Deleted && next.Type != Deleted:
		return []Event{prior, next}
	case prior.Type == Added && next.Type == Deleted && !prior.Known:
		return nil
	case next.Type == Resync:
		return []Event{prior}
	case prior.Type == Added && next.Type != Deleted:
		prior.Row, prior.Time = next.Row, next.Time
		return []Event{prior}
	case prior.Type == Modified && next.Type == Modified:
		next.Old, next.Since = prior.Old, prior.Since
	}
	next.Known = next.Known || prior.Known
	return []Event{next}
}
