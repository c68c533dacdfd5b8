package informer

import "time"

// Stats is what the informers of one invocation hold and have done.
type Stats struct {
	// Objects are in the caches now.
	Objects int
	// Events are the added, modified and deleted events of all watches, Relists the
	// lists begun after a first one was complete.
	Events, Relists int64
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
		events, relists := i.guard.Stats()
		s.Events, s.Relists = s.Events+events, s.Relists+relists
		if i.handler != nil {
			s.Resyncs += i.handler.resyncs.Load()
		}
		i.mu.Lock()
		s.SyncedAfter = max(s.SyncedAfter, i.syncedAfter)
		i.mu.Unlock()
	}
	return s
}
