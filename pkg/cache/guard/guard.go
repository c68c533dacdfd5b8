package guard

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// DefaultPageSize is kubectl's --chunk-size.
const DefaultPageSize = 500

// Diagnosis is what an error of a Source means.
type Diagnosis struct {
	Fault cache.Fault
	// Authoritative says that the error is a well-formed answer of the API server,
	// not what a gateway, a proxy or a client library made.
	Authoritative bool
	// RetryAfter is how long the server asks to be left alone; 0 if it does not.
	RetryAfter time.Duration
	// Interrupted marks the end of a connection that had been good. Unnoticed says
	// that it may have been dead for some time when its end was noticed.
	Interrupted, Unnoticed bool
}

// Source is what a guard is put round: a ListerWatcher of *cache.Row that retries
// nothing, and what else there is to ask of its server.
type Source interface {
	toolscache.ListerWatcherWithContext
	// Diagnose says what an error that the Source has returned means, or one that
	// came as the error event of a watch.
	Diagnose(err error) Diagnosis
	// Reached says whether the server has answered any request of the invocation.
	Reached() bool
	// Served asks discovery whether the server has the type. An error means that
	// it cannot be told; false is the server's word.
	Served(ctx context.Context) (bool, error)
	// LatestResourceVersion asks for the present resourceVersion of the type's
	// collection; it is empty where there is none to compare with.
	LatestResourceVersion(ctx context.Context) (string, error)
}

// heardOf is implemented by watches that know when their connection last
// received anything, which may be later than their last event.
type heardOf interface{ LastReceived() time.Time }

// Options are how a guard goes about its requests.
type Options struct {
	Target cache.Target
	// Emit is called with each transition of the connection, in order, and with the
	// last row that was handed to the reflector before it. It must not block, nor
	// call the guard. After cache.Ended, whose Err is a *cache.SyncError, every call
	// of the guard only waits for its context to end.
	Emit func(event cache.Event, after *cache.Row)
	// ListOnly makes Watch idle until the context ends, without a request.
	ListOnly bool
	// PageSize is how many objects a list asks for at a time; 0 is all at once.
	PageSize int64
	// SyncTimeout ends a Target that makes no progress with its first list for so
	// long; 0 is never.
	SyncTimeout time.Duration
	// Transform, if set, is applied to every row as it comes. It changes the row in
	// place, and is called from several goroutines.
	Transform func(*cache.Row)
}

// Guard is a ListerWatcher for one reflector: it implements
// ListerWatcherWithContext, and declines streaming lists. Its calls block until
// they succeed, their context ends, or a resourceVersion has expired.
type Guard struct {
	source  Source
	options Options
	backoff backoff
	// namesakes tells the objects of the Target apart.
	namesakes cache.Namesakes

	mu         sync.Mutex // guards what follows
	connection connection
	deadline   *time.Timer
	// handed is the last row that a watch has handed to the reflector.
	handed *cache.Row
	// objects and remaining tell the progress of the present list.
	objects   int
	remaining int64
	// kept are the objects of the present list that the reflector is given.
	kept int64

	counts counts
	// relisting holds why the watch is to end for a new list, if it is.
	relisting chan error

	// What follows belongs to the reflector's calls, which come one at a time.

	// fresh says that the list under way asks for the present state: nothing of it
	// can have expired, whatever the server says.
	fresh bool
	// missed says that since the last list the type was missing, or that there is no
	// resourceVersion to watch from and no watch: nobody knows what has happened.
	missed bool
	// cleared says that the empty list of a type that is gone has been given.
	cleared bool
	// unpaged makes the next list one page: see consistent.
	unpaged bool
	// unversioned says that the last list had no resourceVersion, and watched that
	// a watch has been opened since.
	unversioned, watched bool
	// answerWithin is how long a watch may take to be answered: see request.
	answerWithin time.Duration
	// brokeOff says that the last watch ended before its time.
	brokeOff atomic.Bool
}

var (
	_ toolscache.ListerWatcher            = (*Guard)(nil)
	_ toolscache.ListerWatcherWithContext = (*Guard)(nil)
)

// New puts a guard round a source. Use each for one informer only.
func New(source Source, options Options) *Guard {
	if options.Emit == nil {
		options.Emit = func(cache.Event, *cache.Row) {}
	}
	if options.Transform == nil {
		options.Transform = func(*cache.Row) {}
	}
	return &Guard{
		source: source, options: options, backoff: backoff{jitter: backoffJitter}, answerWithin: minAnswer,
		relisting: make(chan error, 1),
	}
}

// Known takes the objects that an earlier run has numbered: see cache.Namesakes. It
// comes before the first list.
func (g *Guard) Known(rows []*cache.Row) { g.namesakes.Known(rows) }

// Start limits the time that the first list may take without progress. Stop must
// be called after it.
func (g *Guard) Start() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.options.SyncTimeout > 0 {
		g.deadline = time.AfterFunc(g.options.SyncTimeout, g.timedOut)
	}
}

// Stop ends the limit. Nothing is emitted after it.
func (g *Guard) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopDeadline()
	g.connection.state = ended
}

func (g *Guard) stopDeadline() {
	if g.deadline != nil {
		g.deadline.Stop()
		g.deadline = nil
	}
}

// Progress returns how many objects of the list under way have arrived, and how
// many more the server says there are; 0 where it does not say.
func (g *Guard) Progress() (objects int, remaining int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.objects, g.remaining
}

// Listed says whether a list has been complete once, also of a Target that has
// ended since.
func (g *Guard) Listed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.connection.complete
}

// Relist ends the watch that is open, or is opened next, for a new list: whoever asks
// knows that something has been missed.
func (g *Guard) Relist(reason error) {
	select {
	case g.relisting <- reason:
	default: // one is asked for already
	}
}

// IsWatchListSemanticsUnSupported declines streaming lists: the reflector would
// retry them out of our sight. The name is client-go's.
func (g *Guard) IsWatchListSemanticsUnSupported() bool { return true }

// List is ListWithContext without an end.
func (g *Guard) List(options metav1.ListOptions) (runtime.Object, error) {
	return g.ListWithContext(context.Background(), options)
}

// Watch is WatchWithContext without an end.
func (g *Guard) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return g.WatchWithContext(context.Background(), options)
}

// ListWithContext returns one page of a consistent list. It returns an Expired
// error only for a continued list that can no longer be continued. Of a type
// that was there and is gone it returns an empty list, so that an informer
// reports the deletions.
func (g *Guard) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	continued := options.Continue != ""
	if !continued {
		g.begin()
		if g.isGone() && !g.cleared {
			g.cleared, g.unpaged = true, false
			return &cache.RowList{}, nil
		}
	}
	options = g.consistent(options)
	g.fresh = !continued
	for {
		if err := g.backoff.wait(ctx); err != nil {
			return nil, err
		}
		list, err := g.source.ListWithContext(ctx, options)
		if err == nil {
			if err = g.arrived(list, !continued); err == nil {
				return list, nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch v := g.failed(ctx, cache.OpList, err); {
		case v == end:
			<-ctx.Done()
			return nil, ctx.Err()
		case continued && (v == relist || v == goneIfLasting):
			g.unpaged = true
			return nil, expired(err) // which the reflector's pager makes one large list of
		case v == goneIfLasting:
			g.cleared, g.unpaged = true, false
			return &cache.RowList{}, nil
		}
	}
}

func (g *Guard) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.objects, g.kept = 0, 0
	if g.connection.state != connecting && !g.unpaged {
		g.counts.relisted()
	}
}

// consistent makes every list one of the present state, in pages of our size.
// The reflector asks for "0", possibly stale, or for "not older than", unpaged.
//
// When a continue token has expired, the reflector's pager asks again for all at
// once and takes the answer for the whole: that one request must not be paged.
func (g *Guard) consistent(options metav1.ListOptions) metav1.ListOptions {
	options.ResourceVersion, options.ResourceVersionMatch = "", ""
	options.Limit = g.options.PageSize
	if g.unpaged {
		options.Limit = 0
	}
	return options
}

// arrived notes a page.
func (g *Guard) arrived(list runtime.Object, first bool) error {
	page, err := meta.ListAccessor(list)
	if err != nil {
		return err
	}
	if rows, ok := list.(*cache.RowList); ok {
		rows.Items = g.place(rows.Items)
		g.namesakes.Listed(rows, first)
	}
	complete := page.GetContinue() == ""
	if complete {
		g.unpaged, g.missed, g.watched, g.cleared = false, false, false, false
		g.unversioned = page.GetResourceVersion() == ""
		g.brokeOff.Store(false)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if rows, ok := list.(*cache.RowList); ok {
		g.kept += int64(len(rows.Items))
	}
	g.counts.page(complete, g.kept)
	g.handed = nil // what the list shows comes after it
	g.remaining = 0
	if remaining := page.GetRemainingItemCount(); remaining != nil {
		g.remaining = *remaining
	}
	if !complete {
		g.connection.progressed()
		if g.deadline != nil {
			g.deadline.Reset(g.options.SyncTimeout)
		}
		return nil
	}
	g.stopDeadline()
	g.emit(g.connection.listComplete(time.Now()))
	return nil
}

// place numbers the rows of a page through all pages of the list, drops those of
// other shards, and transforms the rest.
func (g *Guard) place(rows []*cache.Row) (kept []*cache.Row) {
	g.mu.Lock()
	before := g.objects
	g.objects += len(rows)
	g.mu.Unlock()
	kept = rows[:0]
	for n, row := range rows {
		row.Position = before + n + 1
		if g.options.Target.Shard.Holds(row) {
			g.options.Transform(row)
			kept = append(kept, row)
		}
	}
	clear(rows[len(kept):])
	return kept
}

// failed notes a failed request, puts off the next, and says what to do.
func (g *Guard) failed(ctx context.Context, op cache.Op, err error) verdict {
	d := g.diagnose(ctx, op, err)
	if ctx.Err() != nil {
		return retry
	}
	g.counts.failed()
	g.mu.Lock()
	defer g.mu.Unlock()
	v, events := g.connection.failed(time.Now(), g.source.Reached(), d, err)
	g.backoff.failed(g.connection.state == gone, d.RetryAfter)
	if v == retry && g.connection.state != gone {
		if grace := decide(g.connection.phase(true), d).grace(); grace > 0 {
			g.backoff.by(g.connection.since.Add(grace))
		}
	}
	if d.Fault == cache.Missing || op == cache.OpWatch && g.unversioned {
		g.missed = true
	}
	g.emit(events)
	if v == end {
		g.end(&cache.SyncError{Target: g.options.Target, Op: op, Fault: d.Fault, Err: err})
	}
	return v
}

// diagnose takes a type to be missing only on the word of discovery: an answer of
// 404 may come from a gateway, or from a server that is starting. What a
// subresource lacks is an object, which discovery does not know.
func (g *Guard) diagnose(ctx context.Context, op cache.Op, err error) Diagnosis {
	d := g.source.Diagnose(err)
	if d.Fault == cache.Expired && op == cache.OpList && g.fresh {
		d.Fault = cache.Transient
	}
	if d.Fault != cache.Missing || g.options.Target.Subresource != "" || g.isGone() {
		return d
	}
	if served, err := g.source.Served(ctx); err != nil || served {
		d.Fault = cache.Transient
	}
	return d
}

func (g *Guard) isGone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.connection.state == gone
}

// timedOut ends a Target whose first list has made no progress for too long.
func (g *Guard) timedOut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.connection.state != connecting {
		return
	}
	err := fmt.Errorf("timed out waiting for %s to sync: no progress for %v", g.options.Target, g.options.SyncTimeout)
	if last := g.connection.err; last != nil {
		err = fmt.Errorf("%w: %w", err, last)
	}
	g.end(&cache.SyncError{Target: g.options.Target, Op: cache.OpList, Fault: cache.Transient, TimedOut: true, Err: err})
}

// end ends the Target; g.mu is held.
func (g *Guard) end(err *cache.SyncError) {
	g.stopDeadline()
	g.emit(g.connection.end(err))
}

// emit passes transitions on; g.mu is held, so that they come in order.
func (g *Guard) emit(events []cache.Event) {
	for _, event := range events {
		if event.Type == cache.Lost {
			g.counts.lost()
		}
		event.Target, event.Time = g.options.Target, time.Now()
		g.options.Emit(event, g.handed)
	}
}

// expired is err as the one error on which a reflector lists anew.
func expired(err error) *apierrors.StatusError {
	if status, ok := asExpired(err); ok {
		return status
	}
	return apierrors.NewResourceExpired(err.Error())
}
