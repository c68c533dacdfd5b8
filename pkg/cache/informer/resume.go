package informer

import (
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// storedVersion is the resourceVersion of a stand-in. An informer passes on an update
// between equal versions only to whoever wants resyncs, and each is wanted here.
const storedVersion = "stored"

// resumption goes on where an earlier run has ended. The Indexer begins with a stand-in
// for each object of that run, so that the informer's own replace by the first list
// calls the handler once for each: with an update, or with a deletion.
type resumption struct {
	earlier cache.Earlier
	// standIns are those that the handler has not been called with yet.
	standIns map[*cache.Row]cache.Stored
	// done is closed when it has been called with all.
	done chan struct{}
}

// resume fills the cache of an informer that has not started yet; earlier is nil
// where there was no earlier run.
func resume(earlier *cache.Earlier, indexer toolscache.Indexer) (*resumption, error) {
	r := &resumption{done: make(chan struct{})}
	if earlier != nil {
		r.earlier = *earlier
	}
	r.standIns = make(map[*cache.Row]cache.Stored, len(r.earlier.Objects))
	objects := make([]any, 0, len(r.earlier.Objects))
	for _, stored := range r.earlier.Objects {
		row := &cache.Row{Namesake: stored.Namesake}
		row.Namespace, row.Name, row.UID, row.ResourceVersion = stored.Namespace, stored.Name, stored.UID, storedVersion
		r.standIns[row] = stored
		objects = append(objects, row)
	}
	r.endIfDone()
	if len(objects) == 0 {
		return r, nil
	}
	return r, indexer.Replace(objects, "")
}

// namesakes are the objects that may have others of the same name beside them.
func (r *resumption) namesakes() (rows []*cache.Row) {
	for _, stored := range r.earlier.Objects {
		if stored.UID == "" {
			rows = append(rows, r.earlier.Load(stored.Identity))
		}
	}
	return rows
}

// take returns for what a row stands in. It does so once.
func (r *resumption) take(row *cache.Row) (cache.Stored, bool) {
	stored, ok := r.standIns[row]
	if ok {
		delete(r.standIns, row)
	}
	return stored, ok
}

// endIfDone closes done; its caller has reported what it has taken.
func (r *resumption) endIfDone() {
	if r.standIns != nil && len(r.standIns) == 0 {
		r.standIns = nil
		close(r.done)
	}
}

// found is the event of an object that the first list shows again.
func (r *resumption) found(stored cache.Stored, now *cache.Row) cache.Event {
	event := cache.Event{Type: cache.Unchanged, Row: now, Known: true, Since: cache.SinceState}
	switch {
	case stored.Unconfirmed:
		event.Type = cache.Added
		return event
	case stored.ResourceVersion != "" && stored.ResourceVersion == now.ResourceVersion:
		return event
	}
	before := r.earlier.Load(stored.Identity)
	if stored.ResourceVersion == "" && now.ResourceVersion == "" && cache.SameContent(before, now) {
		return event
	}
	event.Type, event.Old = cache.Modified, before
	return event
}

// missing is the event of an object that the first list does not show.
func (r *resumption) missing(stored cache.Stored) cache.Event {
	return cache.Event{
		Type: cache.Deleted, Row: r.earlier.Load(stored.Identity), FinalStateUnknown: true, Known: true, Since: cache.SinceState,
	}
}

// added is the event of an object that an informer adds to the cache.
func (r *resumption) added(row *cache.Row, isInInitialList bool) cache.Event {
	event := cache.Event{Type: cache.Added, Row: row, Initial: isInInitialList}
	if isInInitialList && r.earlier.Complete {
		event.Initial, event.Since = false, cache.SinceState
	}
	return event
}
