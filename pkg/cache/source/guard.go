package source

import (
	"context"
	"errors"
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

// doubted is how long a type that was there must be missing before its objects
// are told to be gone. One of several API servers may be late to know it.
const doubted = 3 * time.Second

// Options are how a ListerWatcher goes about its requests.
type Options struct {
	// Report, if set, is told of every failed attempt, every page and every
	// opened watch. It is called from several goroutines, must not block, and
	// ends the informer's context if a fault is fatal.
	Report func(cache.Report)
	// ListOnly makes Watch idle until the context ends, without a request.
	ListOnly bool
	// PageSize is how many objects a list asks for at a time; 0 is all at once.
	PageSize int64
	// Transform, if set, is applied to every row as it comes, before the next page is
	// asked for. It changes the row in place, and is called from several goroutines.
	Transform func(*cache.Row)
}

// ListerWatcher returns a guarded ListerWatcher for one reflector: it implements
// ListerWatcherWithContext, and declines streaming lists. Its calls block until
// they succeed, their context ends, or a resourceVersion has expired. Use each
// for one informer only. The error is one of the config.
func (c *Client) ListerWatcher(t cache.Target, r cache.Representation, o Options) (toolscache.ListerWatcher, error) {
	resource, err := c.resource(t, r)
	if err != nil {
		return nil, err
	}
	return newGuard(resource, o, c.counters), nil
}

// guard stands between a reflector and the server. The reflector hides from a
// user what goes wrong, and waits up to a minute when it does; so the guard
// retries by itself, inside the reflector's calls.
type guard struct {
	raw      toolscache.ListerWatcherWithContext
	options  Options
	counters *counters
	pace     pace

	// What follows belongs to the reflector's calls, which come one at a time.

	// listed says that a list has once been complete.
	listed bool
	// missing is since when every answer was that there is no such type; else zero.
	missing time.Time
	// missed says that there was such an answer since the last list.
	missed bool
	// gone says that the last list was made up, since the type is gone.
	gone bool
	// unpaged makes the next list one page: see consistent.
	unpaged bool
	// objects counts what has arrived of the present list.
	objects int
}

var (
	_ toolscache.ListerWatcher            = (*guard)(nil)
	_ toolscache.ListerWatcherWithContext = (*guard)(nil)
)

func newGuard(raw toolscache.ListerWatcherWithContext, options Options, counters *counters) *guard {
	if options.Report == nil {
		options.Report = func(cache.Report) {}
	}
	if options.Transform == nil {
		options.Transform = func(*cache.Row) {}
	}
	return &guard{raw: raw, options: options, counters: counters, pace: pace{jitter: 0.2}}
}

// IsWatchListSemanticsUnSupported declines streaming lists: the reflector would
// retry them out of our sight. The name is client-go's.
func (g *guard) IsWatchListSemanticsUnSupported() bool { return true }

// List is ListWithContext without an end.
func (g *guard) List(options metav1.ListOptions) (runtime.Object, error) {
	return g.ListWithContext(context.Background(), options)
}

// Watch is WatchWithContext without an end.
func (g *guard) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return g.WatchWithContext(context.Background(), options)
}

// ListWithContext returns one page of a consistent list. It returns an Expired
// error only for a continued list that can no longer be continued. Of a type
// that was there and is gone it returns an empty list, so that an informer
// tells the deletes.
func (g *guard) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	continued := options.Continue != ""
	if !continued {
		g.begin()
	}
	options = g.consistent(options)
	for {
		if err := g.pace.wait(ctx); err != nil {
			return nil, err
		}
		list, err := g.raw.ListWithContext(ctx, options)
		if err == nil {
			return list, g.arrived(list)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		fault := g.failed(cache.OpList, err)
		switch gone := fault == cache.Missing && g.believedGone(); {
		case continued && (gone || fault == cache.Expired):
			g.unpaged = true
			return nil, expired(err)
		case gone:
			g.gone, g.unpaged = true, false
			return &cache.RowList{}, nil
		}
	}
}

func (g *guard) begin() {
	g.objects = 0
	if g.listed && !g.unpaged {
		g.counters.relists.Add(1)
	}
}

// consistent makes every list one of the present state, in pages of our size.
// The reflector asks for "0", possibly stale, or for "not older than", unpaged.
//
// When a continue token has expired, the reflector's pager asks again for all at
// once and takes the answer for the whole: that one request must not be paged.
func (g *guard) consistent(options metav1.ListOptions) metav1.ListOptions {
	options.ResourceVersion, options.ResourceVersionMatch = "", ""
	options.Limit = g.options.PageSize
	if g.unpaged {
		options.Limit = 0
	}
	return options
}

// arrived notes and reports a page.
func (g *guard) arrived(list runtime.Object) error {
	page, err := meta.ListAccessor(list)
	if err != nil {
		return err
	}
	g.missing, g.missed, g.gone = time.Time{}, false, false
	if rows, ok := list.(*cache.RowList); ok {
		g.place(rows.Items)
	}
	report := cache.Report{Op: cache.OpList, Objects: g.objects, Done: page.GetContinue() == ""}
	if remaining := page.GetRemainingItemCount(); remaining != nil {
		report.Remaining = *remaining
	}
	if report.Done {
		g.listed, g.unpaged = true, false
	}
	g.options.Report(report)
	return nil
}

// place counts the rows of a page, numbers them through all pages of the list,
// and transforms them.
func (g *guard) place(rows []*cache.Row) {
	for _, row := range rows {
		g.objects++
		row.Position = g.objects
		g.options.Transform(row)
	}
}

// failed notes and reports a failed request, and puts off the next.
func (g *guard) failed(op cache.Op, err error) cache.Fault {
	fault := classify(err)
	switch {
	case fault != cache.Missing:
		g.missing = time.Time{}
	case g.missing.IsZero():
		g.missing = time.Now()
	}
	g.missed = g.missed || fault == cache.Missing
	g.pace.failed(fault == cache.Missing && g.listed, retryAfter(err))
	g.options.Report(cache.Report{Op: op, Err: err, Fault: fault})
	return fault
}

// believedGone says whether a missing type, once there, is taken to be gone.
func (g *guard) believedGone() bool { return g.listed && time.Since(g.missing) >= doubted }

// expired is err as the one error on which a reflector lists anew.
func expired(err error) *apierrors.StatusError {
	var status *apierrors.StatusError
	if errors.As(err, &status) && apierrors.IsResourceExpired(status) {
		return status
	}
	return apierrors.NewResourceExpired(err.Error())
}
