package informer

import "time"

// Stats is what the informers of one invocation hold and have done.
type Stats struct {
	// Objects are in the caches now.
	Objects int
	// Resyncs are objects that were offered again.
	Resyncs int64
	// SyncedAfter is the time from the start until the last Target had synced; 0
	// if none has.
	SyncedAfter time.Duration
}

// Stats adds up what all informers hold and have done.
func (g *Group) Stats() Stats {
	var s Stats
	for _, i := range g.informers {
		s.Objects += len(i.Indexer().ListKeys())
		if i.handler != nil {
			s.Resyncs += i.handler.resyncs.Load()
		}
		i.mu.Lock()
		s.SyncedAfter = max(s.SyncedAfter, i.syncedAfter)
		i.mu.Unlock()
	}
	return s
}
