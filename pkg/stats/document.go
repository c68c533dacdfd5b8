package stats

import (
	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// Document is what --stats=json prints. docs/stats.schema.json says what each member is.
type Document struct {
	Informers []Informer `json:"informers"`
	// Queues are those between informers and a reader; Informer.Queue is an index.
	Queues []Queue `json:"queues"`
	Sum    Sum     `json:"sum"`
}

// State is how far an informer is.
type State string

const (
	Syncing State = "Syncing"
	Synced  State = "Synced"
	// Failed: the Target has ended by itself, with an error.
	Failed State = "Failed"
	// Stopped: the informer was stopped, since nobody needed it any more.
	Stopped State = "Stopped"
)

// Informer is one informer, or all of one Target that were stopped.
type Informer struct {
	Target Target `json:"target"`
	State  State  `json:"state"`
	// Informers is how many they are.
	Informers int `json:"informers"`
	Done
	// Indexer is the cache; nil of what was stopped.
	Indexer *Indexer `json:"indexer,omitempty"`
	// Queue is the place in Document.Queues; nil of what was stopped.
	Queue *int `json:"queue,omitempty"`
}

// Target is what an informer asks for.
type Target struct {
	// Context is set where several clusters are asked.
	Context       string `json:"context,omitempty"`
	Group         string `json:"group"`
	Version       string `json:"version"`
	Resource      string `json:"resource"`
	Namespace     string `json:"namespace"`
	Name          string `json:"name,omitempty"`
	Subresource   string `json:"subresource,omitempty"`
	LabelSelector string `json:"labelSelector,omitempty"`
	FieldSelector string `json:"fieldSelector,omitempty"`
	ShardSelector string `json:"shardSelector,omitempty"`
}

// Done is what informers have done so far, stage by stage.
type Done struct {
	// SyncedAfterSeconds is nil where none has synced.
	SyncedAfterSeconds *float64  `json:"syncedAfterSeconds,omitempty"`
	Requests           Requests  `json:"requests"`
	BodyBytes          int64     `json:"bodyBytes"`
	Reflector          Reflector `json:"reflector"`
	Deltas             Deltas    `json:"deltas"`
	Handler            Handler   `json:"handler"`
	Resync             Resync    `json:"resync"`
}

// Requests are counted by verb, each attempt once.
type Requests struct {
	List  int64 `json:"list"`
	Watch int64 `json:"watch"`
	Get   int64 `json:"get"`
	// Discovery is only known of the whole invocation.
	Discovery *int64 `json:"discovery,omitempty"`
}

// Reflector is what lists and watches have come to.
type Reflector struct {
	Lists            int64                  `json:"lists"`
	ListPages        int64                  `json:"listPages"`
	Relists          int64                  `json:"relists"`
	RelistReasons    map[guard.Relist]int64 `json:"relistReasons"`
	Watches          int64                  `json:"watches"`
	Bookmarks        int64                  `json:"bookmarks"`
	Failures         int64                  `json:"failures"`
	ConnectionLosses int64                  `json:"connectionLosses"`
}

// Deltas are what was given to the DeltaFIFO, by kind.
type Deltas struct {
	Added    int64 `json:"added"`
	Updated  int64 `json:"updated"`
	Deleted  int64 `json:"deleted"`
	Replaced int64 `json:"replaced"`
	Sync     int64 `json:"sync"`
}

// Handler is the calls of a handler.
type Handler struct {
	OnAdd    int64 `json:"onAdd"`
	OnUpdate int64 `json:"onUpdate"`
	OnDelete int64 `json:"onDelete"`
	// Unchanged are some of OnUpdate, FinalStateUnknown some of OnDelete.
	Unchanged         int64 `json:"unchanged"`
	FinalStateUnknown int64 `json:"finalStateUnknown"`
}

// Resync is the resyncs, and the objects reported in them.
type Resync struct {
	Rounds  int64 `json:"rounds"`
	Objects int64 `json:"objects"`
}

// Indexer is what a cache holds.
type Indexer struct {
	Objects int     `json:"objects"`
	Indexes []Index `json:"indexes"`
}

// Index is how many values an index has, and how many objects under all of them.
type Index struct {
	Name    string `json:"name"`
	Values  int    `json:"values"`
	Entries int    `json:"entries"`
}

// Queue is the events between handlers and a reader.
type Queue struct {
	Pushed     int64 `json:"pushed"`
	Merged     int64 `json:"merged"`
	Waiting    int   `json:"waiting"`
	MaxWaiting int   `json:"maxWaiting"`
}

// Sum is that of the invocation.
type Sum struct {
	Informers int `json:"informers"`
	Objects   int `json:"objects"`
	Done
	Queue Queue `json:"queue"`
	// BytesReceived is what came over the wire: compressed, encrypted.
	BytesReceived int64 `json:"bytesReceived"`
}

// describe describes an informer, whose queue is one of several.
func describe(i *informer.Informer, stats informer.Stats, queue int) Informer {
	sizes := i.IndexSizes()
	indexer := &Indexer{Objects: stats.Objects, Indexes: make([]Index, len(sizes))}
	for n, size := range sizes {
		indexer.Indexes[n] = Index(size)
	}
	return Informer{
		Target: targetOf(i.Target), State: stateOf(i), Informers: 1, Done: done(stats), Indexer: indexer, Queue: &queue,
	}
}

func stateOf(i *informer.Informer) State {
	switch {
	case i.Failure() != nil:
		return Failed
	case i.Synced():
		return Synced
	default:
		return Syncing
	}
}

func targetOf(t cache.Target) Target {
	out := Target{
		Context: t.Context,
		Group:   t.Resource.Group, Version: t.Resource.Version, Resource: t.Resource.Resource,
		Namespace: t.Namespace, Name: t.Name, Subresource: t.Subresource,
		LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector,
	}
	if !t.Shard.IsAll() {
		out.ShardSelector = t.Shard.Selector()
	}
	return out
}

func done(s informer.Stats) Done {
	d := Done{
		Requests:  Requests{List: s.Lists, Watch: s.Watches, Get: s.Gets},
		BodyBytes: s.Bytes,
		Reflector: Reflector{
			Lists: s.Guard.Lists, ListPages: s.Guard.Pages, Relists: s.Guard.Relisted(), RelistReasons: map[guard.Relist]int64{},
			Watches: s.Guard.Watches, Bookmarks: s.Guard.Bookmarks, Failures: s.Guard.Failures, ConnectionLosses: s.Guard.Losses,
		},
		Deltas: Deltas{
			Added: s.Guard.Events.Added, Updated: s.Guard.Events.Modified, Deleted: s.Guard.Events.Deleted,
			Replaced: s.Guard.Replaced, Sync: s.Handler.Synced,
		},
		Handler: Handler{
			OnAdd: s.Handler.Added, OnUpdate: s.Handler.Updated, OnDelete: s.Handler.Deleted,
			Unchanged: s.Handler.Unchanged, FinalStateUnknown: s.Handler.FinalStateUnknown,
		},
		Resync: Resync{Rounds: s.Handler.Rounds, Objects: s.Handler.Resynced},
	}
	if s.Guard.Relists != nil {
		d.Reflector.RelistReasons = s.Guard.Relists
	}
	if s.SyncedAfter > 0 {
		seconds := s.SyncedAfter.Seconds()
		d.SyncedAfterSeconds = &seconds
	}
	return d
}

func queue(q informer.QueueStats) Queue {
	return Queue{Pushed: q.Pushed, Merged: q.Merged, Waiting: q.Waiting, MaxWaiting: q.Most}
}
