package informer

import (
	"context"
	"errors"
	"sync"
	"time"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Spec is one informer to be run.
type Spec struct {
	Target cache.Target
	// Source makes the ListerWatcher of *cache.Row, given where it reports what
	// happens to its requests. It retries by itself and ends with its context.
	Source func(report func(cache.Report)) (toolscache.ListerWatcher, error)
	// Indexers are kept by the Indexer from the first object on.
	Indexers toolscache.Indexers
}

// Selection picks rows from an Indexer, by its index sets where it can.
type Selection interface {
	Select(toolscache.Indexer) []*cache.Row
}

// Informer is the shared informer of one Target.
type Informer struct {
	Target cache.Target

	shared toolscache.SharedIndexInformer
	events *Queue
	health *health
	// handler is nil without Events.
	handler *handler
	// told is done when the first list is in the Indexer and, where there are
	// Events, has been told: the informer syncs before its handlers have been.
	told   toolscache.DoneChecker
	synced chan struct{}
	ended  chan struct{}
	// failing gets what ends the Target; the first failure counts.
	failing chan error

	mu          sync.Mutex
	failure     *cache.SyncError
	syncedAfter time.Duration
}

// newInformer builds the informer of a spec; nothing runs yet.
func newInformer(g *Group, spec Spec, o Options) (*Informer, error) {
	i := &Informer{
		Target:  spec.Target,
		events:  o.Events,
		health:  newHealth(g, spec.Target, o.SyncTimeout),
		synced:  make(chan struct{}),
		ended:   make(chan struct{}),
		failing: make(chan error, 1),
	}
	source, err := spec.Source(i.health.report)
	if err != nil {
		return nil, err
	}
	i.shared = toolscache.NewSharedIndexInformerWithOptions(source, &cache.Row{}, toolscache.SharedIndexInformerOptions{
		ResyncPeriod:      o.Resync,
		Indexers:          spec.Indexers,
		ObjectDescription: spec.Target.String(),
	})
	// The ListerWatcher has reported the error already, with its kind.
	silent := func(context.Context, *toolscache.Reflector, error) {}
	if err := i.shared.SetWatchErrorHandlerWithContext(silent); err != nil {
		return nil, err
	}
	i.told = i.shared.HasSyncedChecker()
	if o.Events == nil {
		return i, nil
	}
	i.handler = &handler{target: spec.Target, push: o.Events.Push}
	registration, err := i.shared.AddEventHandler(i.handler)
	if err != nil {
		return nil, err
	}
	i.told = registration.HasSyncedChecker()
	return i, nil
}

// run runs the informer until its Target ends or ctx does.
func (i *Informer) run(ctx context.Context) {
	defer close(i.ended)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	i.health.start(i.fail)
	defer func() { i.health.stop(i.Failure() != nil) }()

	var waiting sync.WaitGroup
	waiting.Go(func() { i.awaitSync(ctx) })
	waiting.Go(func() { i.awaitFailure(ctx, cancel) })
	i.shared.RunWithContext(ctx)
	waiting.Wait()
	i.keepFailure(context.Cause(ctx))
}

// fail ends the Target. It does not block.
func (i *Informer) fail(failure error) {
	select {
	case i.failing <- failure:
	default: // it is ending already
	}
}

// awaitFailure ends the Target when something fails. What has been listed is told
// before: an informer that stops drops what its handlers have not been told yet.
func (i *Informer) awaitFailure(ctx context.Context, end context.CancelCauseFunc) {
	select {
	case failure := <-i.failing:
		if i.health.hasListed() {
			select {
			case <-i.synced:
			case <-ctx.Done():
			}
		}
		end(failure)
	case <-ctx.Done():
	}
}

// awaitSync marks the Target as synced, after all its first objects were told.
func (i *Informer) awaitSync(ctx context.Context) {
	select {
	case <-i.told.Done():
	case <-ctx.Done():
		return
	}
	if i.events != nil {
		i.events.Push(cache.Event{Type: cache.Synced, Target: i.Target})
	}
	i.mu.Lock()
	i.syncedAfter = time.Since(i.health.group.started)
	i.mu.Unlock()
	close(i.synced)
}

func (i *Informer) keepFailure(cause error) {
	var failure *cache.SyncError
	if !errors.As(cause, &failure) {
		return
	}
	i.mu.Lock()
	i.failure = failure
	i.mu.Unlock()
	i.health.group.tell(Notice{Kind: Ended, Target: i.Target, Err: failure})
}

// Failure returns why the Target has ended by itself, nil if it has not.
func (i *Informer) Failure() *cache.SyncError {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.failure
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

// Progress returns how many objects of the list under way have arrived and how
// many more the server says there are; 0 where it does not say.
func (i *Informer) Progress() (objects int, remaining int64) { return i.health.progress() }

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
