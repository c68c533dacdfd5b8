package informer

import (
	"context"
	"sync"
	"time"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// Spec is one informer to be run.
type Spec struct {
	Target cache.Target
	// Source lists and watches rows.
	Source guard.Source
	// ListOnly, PageSize and Transform are the guard's.
	ListOnly  bool
	PageSize  int64
	Transform func(*cache.Row)
	// Indexers are kept by the Indexer from the first object on.
	Indexers toolscache.Indexers
	// Earlier is what an earlier run has reported, which the first list is compared
	// with; nil where there was none. It needs Options.Objects.
	Earlier *cache.Earlier
}

// Selection picks rows from an Indexer, by its index sets where it can.
type Selection interface {
	Select(toolscache.Indexer) []*cache.Row
}

// Informer is the shared informer of one Target.
type Informer struct {
	Target cache.Target

	group  *Group
	shared toolscache.SharedIndexInformer
	guard  *guard.Guard
	events *Queue
	order  *order
	// handler is nil where the events of objects are not wanted.
	handler *handler
	// handled is done when the first list is in the Indexer and, where there is a
	// handler, was given to it: the informer syncs before.
	handled toolscache.DoneChecker
	synced  chan struct{}
	// reported is closed when Synced has been pushed.
	reported chan struct{}
	// failed is closed when the Target has ended by itself, and err is why.
	failed chan struct{}
	err    *cache.SyncError

	mu          sync.Mutex
	syncedAfter time.Duration

	traffic cache.Traffic
}

// newInformer builds the informer of a spec; nothing runs yet.
func newInformer(g *Group, spec Spec, o Options) (*Informer, error) {
	i := &Informer{
		Target:   spec.Target,
		group:    g,
		events:   o.Events,
		synced:   make(chan struct{}),
		reported: make(chan struct{}),
		failed:   make(chan struct{}),
	}
	i.order = &order{push: i.pushTransition, connected: true}
	i.guard = guard.New(spec.Source, guard.Options{
		Target:      spec.Target,
		Emit:        i.emit,
		ListOnly:    spec.ListOnly,
		PageSize:    spec.PageSize,
		SyncTimeout: o.SyncTimeout,
		Transform:   spec.Transform,
	})
	i.shared = toolscache.NewSharedIndexInformerWithOptions(i.guard, &cache.Row{}, toolscache.SharedIndexInformerOptions{
		ResyncPeriod:      o.Resync,
		Indexers:          spec.Indexers,
		ObjectDescription: spec.Target.String(),
	})
	// The guard has reported the error already, with its kind.
	silent := func(context.Context, *toolscache.Reflector, error) {}
	if err := i.shared.SetWatchErrorHandlerWithContext(silent); err != nil {
		return nil, err
	}
	i.handled = i.shared.HasSyncedChecker()
	if !o.Objects {
		return i, nil
	}
	resumed, err := resume(spec.Earlier, i.shared.GetIndexer())
	if err != nil {
		return nil, err
	}
	i.guard.Known(resumed.namesakes())
	i.handler = &handler{target: spec.Target, push: o.Events.Push, order: i.order, resumed: resumed}
	registration, err := i.shared.AddEventHandler(i.handler)
	if err != nil {
		return nil, err
	}
	i.handled = registration.HasSyncedChecker()
	return i, nil
}

// emit takes a transition from the guard. Without a handler there is nothing that
// it could overtake.
func (i *Informer) emit(event cache.Event, after *cache.Row) {
	if i.handler == nil {
		after = nil
	}
	i.order.emit(event, after)
}

// pushTransition hands a transition to the reader. The end of the Target waits
// for its first objects, and ends the informer.
func (i *Informer) pushTransition(event cache.Event) {
	if event.Type != cache.Ended {
		i.events.Push(event)
		return
	}
	i.err, _ = event.Err.(*cache.SyncError) //nolint:errorlint // the guard's own
	close(i.failed)
}

// run runs the informer until its Target ends or ctx does.
func (i *Informer) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(cache.WithTraffic(ctx, &i.traffic))
	defer cancel()
	i.guard.Start()
	defer i.guard.Stop()

	var waiting sync.WaitGroup
	waiting.Go(func() { i.awaitSync(ctx) })
	waiting.Go(func() {
		i.awaitEnd(ctx)
		cancel()
	})
	i.shared.RunWithContext(ctx)
	cancel()
	waiting.Wait()
}

// awaitEnd waits for the end of the Target and reports it last of all. What has
// been listed is reported before: an informer that stops drops what its handlers
// have not been given yet.
func (i *Informer) awaitEnd(ctx context.Context) {
	select {
	case <-i.failed:
	case <-ctx.Done():
		return
	}
	if i.guard.Listed() {
		select {
		case <-i.reported:
		case <-ctx.Done():
			return
		}
	}
	i.events.Push(cache.Event{Type: cache.Ended, Target: i.Target, Err: i.err, Time: time.Now()})
}

// awaitSync marks the Target as synced, after all its first objects were reported.
func (i *Informer) awaitSync(ctx context.Context) {
	select {
	case <-i.handled.Done():
	case <-ctx.Done():
		return
	}
	if !i.awaitResumed(ctx) {
		return
	}
	i.mu.Lock()
	i.syncedAfter = time.Since(i.group.started)
	i.mu.Unlock()
	// Whoever reads the event may ask at once whether the Target has synced.
	close(i.synced)
	i.events.Push(cache.Event{Type: cache.Synced, Target: i.Target, Time: time.Now()})
	i.order.initial()
	close(i.reported)
}

// awaitResumed waits until the handler was given what has changed since an earlier run,
// too: a registration only waits for what is added. It says whether it was.
func (i *Informer) awaitResumed(ctx context.Context) bool {
	if i.handler == nil {
		return true
	}
	select {
	case <-i.handler.resumed.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// Synced says whether the Target's first list is in the Indexer.
func (i *Informer) Synced() bool {
	select {
	case <-i.synced:
		return true
	default:
		return false
	}
}

// Failure returns why the Target has ended by itself, nil if it has not.
func (i *Informer) Failure() *cache.SyncError {
	select {
	case <-i.failed:
		return i.err
	default:
		return nil
	}
}

// Settled says whether the Target has synced, or ended by itself.
func (i *Informer) Settled() bool {
	select {
	case <-i.failed:
		return true
	default:
		return i.Synced()
	}
}

// LastSyncResourceVersion is that of the last list, or of the last event since.
func (i *Informer) LastSyncResourceVersion() string { return i.shared.LastSyncResourceVersion() }

// Connected says whether the Target has synced, and what its cache holds is known to be
// the server's state.
func (i *Informer) Connected() bool { return i.Synced() && i.order.isConnected() }

// Relist has the Target listed anew.
func (i *Informer) Relist(reason error) { i.guard.Relist(reason) }

// Progress returns how many objects of the list under way have arrived and how
// many more the server says there are; 0 where it does not say.
func (i *Informer) Progress() (objects int, remaining int64) { return i.guard.Progress() }

// Indexer returns the cache of the Target. It is shared: nothing in it is changed.
func (i *Informer) Indexer() toolscache.Indexer { return i.shared.GetIndexer() }

// AddIndexers has the Indexer keep those indexes that it does not keep yet, also
// of the objects that it holds already.
func (i *Informer) AddIndexers(indexers toolscache.Indexers) error {
	there := i.Indexer().GetIndexers()
	added := toolscache.Indexers{}
	for name, index := range indexers {
		if _, kept := there[name]; !kept {
			added[name] = index
		}
	}
	if len(added) == 0 {
		return nil
	}
	return i.shared.AddIndexers(added)
}

// Rows returns the cached objects that the selection picks, all where it is
// nil, in the order namespace, name. An Indexer gives them in a map's order.
func (i *Informer) Rows(s Selection) []*cache.Row {
	var rows []*cache.Row
	if s != nil {
		rows = s.Select(i.Indexer())
	} else {
		for _, obj := range i.Indexer().List() {
			rows = append(rows, obj.(*cache.Row))
		}
	}
	cache.SortRows(rows)
	return rows
}
