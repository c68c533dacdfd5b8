package informer

import (
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// HandlerStats are the calls of an informer's handler.
type HandlerStats struct {
	Added, Updated, Deleted int64
	// Unchanged are updates in which a re-list has only seen the object again, Synced
	// those in which a resync has handed out the cached object.
	Unchanged, Synced int64
	// FinalStateUnknown are deletions that happened while the watch was down.
	FinalStateUnknown int64
	// Rounds are the resyncs, and Resynced the objects that were reported in them.
	// There is no report while nothing can be received.
	Rounds, Resynced int64
}

// Plus adds the calls of another handler.
func (s HandlerStats) Plus(o HandlerStats) HandlerStats {
	return HandlerStats{
		Added: s.Added + o.Added, Updated: s.Updated + o.Updated, Deleted: s.Deleted + o.Deleted,
		Unchanged: s.Unchanged + o.Unchanged, Synced: s.Synced + o.Synced, FinalStateUnknown: s.FinalStateUnknown + o.FinalStateUnknown,
		Rounds: s.Rounds + o.Rounds, Resynced: s.Resynced + o.Resynced,
	}
}

// calls counts the calls of a handler.
type calls struct {
	mu    sync.Mutex
	stats HandlerStats
	// round are the objects of the resync under way, or else of the last, that are
	// still there. The informer does not say where a resync begins: it is where one
	// of them is handed out again.
	round map[cache.Identity]struct{}
}

func (c *calls) added() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Added++
}

// updated counts an update; classified is its type, empty for none.
func (c *calls) updated(row *cache.Row, classified cache.EventType) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Updated++
	switch classified {
	case "":
		c.stats.Unchanged++
	case cache.Resync:
		c.stats.Synced++
		c.inRound(row.Identity())
	}
}

// inRound notes an object of a resync; c.mu is held.
func (c *calls) inRound(object cache.Identity) {
	if _, again := c.round[object]; again || len(c.round) == 0 {
		c.stats.Rounds++
		c.round = map[cache.Identity]struct{}{}
	}
	c.round[object] = struct{}{}
}

func (c *calls) deleted(row *cache.Row, finalStateUnknown bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Deleted++
	if finalStateUnknown {
		c.stats.FinalStateUnknown++
	}
	delete(c.round, row.Identity())
}

func (c *calls) resynced() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Resynced++
}

func (c *calls) snapshot() HandlerStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}
