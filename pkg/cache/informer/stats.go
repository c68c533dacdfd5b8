package informer

import (
	"maps"
	"slices"
	"time"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// Stats is what the informer of a Target holds and has done, or what several have.
type Stats struct {
	// Informers is how many they are.
	Informers int
	// Objects are in the caches now.
	Objects int
	Guard   guard.Stats
	Handler HandlerStats
	// Lists, Watches and Gets are requests, each attempt counted; Bytes those of the
	// bodies of their answers.
	Lists, Watches, Gets, Bytes int64
	// SyncedAfter is the time from the start until the last Target had synced; 0
	// if none has.
	SyncedAfter time.Duration
}

// Plus adds what others hold and have done.
func (s Stats) Plus(o Stats) Stats {
	return Stats{
		Informers: s.Informers + o.Informers,
		Objects:   s.Objects + o.Objects,
		Guard:     s.Guard.Plus(o.Guard),
		Handler:   s.Handler.Plus(o.Handler),
		Lists:     s.Lists + o.Lists, Watches: s.Watches + o.Watches, Gets: s.Gets + o.Gets, Bytes: s.Bytes + o.Bytes,
		SyncedAfter: max(s.SyncedAfter, o.SyncedAfter),
	}
}

// Stats returns what the informer holds and has done.
func (i *Informer) Stats() Stats {
	s := Stats{
		Informers: 1,
		Objects:   len(i.Indexer().ListKeys()),
		Guard:     i.guard.Stats(),
		Lists:     i.traffic.Requests(cache.ListRequest),
		Watches:   i.traffic.Requests(cache.WatchRequest),
		Gets:      i.traffic.Requests(cache.GetRequest),
		Bytes:     i.traffic.Bytes(),
	}
	if i.handler != nil {
		s.Handler = i.handler.calls.snapshot()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	s.SyncedAfter = i.syncedAfter
	return s
}

// QueueStats returns what the queue of all informers holds and has done.
func (g *Group) QueueStats() QueueStats { return g.events.Stats() }

// IndexSize is how much an index holds.
type IndexSize struct {
	Name string
	// Values are the distinct values, Entries the objects under each of them.
	Values, Entries int
}

// IndexSizes returns the sizes of all indexes, by name. It counts each entry.
func (i *Informer) IndexSizes() []IndexSize {
	return indexSizes(i.Indexer())
}

func indexSizes(indexer toolscache.Indexer) []IndexSize {
	names := slices.Sorted(maps.Keys(indexer.GetIndexers()))
	sizes := make([]IndexSize, len(names))
	for n, name := range names {
		sizes[n].Name = name
		for _, value := range indexer.ListIndexFuncValues(name) {
			keys, err := indexer.IndexKeys(name, value)
			if err != nil || len(keys) == 0 {
				continue // it has left meanwhile
			}
			sizes[n].Values++
			sizes[n].Entries += len(keys)
		}
	}
	return sizes
}
