package client

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// ListerWatcher returns what lists and watches a Target in a form: it retries
// nothing, and its errors are the server's own. It is for a guard. follow says that
// a list will be followed by a watch. The error is one of the config.
func (c *Client) ListerWatcher(t cache.Target, r cache.Representation, follow bool) (guard.Source, error) {
	return c.listerWatcher(t, r, follow)
}

// listerWatcher asks the server for one Target in one encodings. It is the ListerWatcher
// below the guard: it retries nothing, and its errors are the server's own.
type listerWatcher struct {
	target   cache.Target
	counters *counters
	server   *serverVersion
	buffers  pageBuffers
	// pages are for a list's first page, objects for single objects and watch
	// events, more for all other pages; nil where those are as the first. Where a watch
	// follows, the first page is as the others, unless cells come apart.
	pages, objects *endpoint
	// typedEvents, where set, are for a watch of a server of our version.
	typedEvents *endpoint
	more        *morePages
	// follow says that a watch will ask for the server's version: so a list may.
	follow      bool
	listTimeout time.Duration
	// renewable says that client-go gets new credentials after a 401.
	renewable bool
	named     named
	shards    shards
}

// endpoint is what answers in one way.
type endpoint struct {
	encoding
	client rest.Interface
}

func (c *Client) listerWatcher(t cache.Target, r cache.Representation, follow bool) (*listerWatcher, error) {
	encodings := encodingsOf(r, t.Kind)
	out := &listerWatcher{
		target:      t,
		counters:    c.counters,
		server:      c.server,
		follow:      follow,
		listTimeout: c.listTimeout,
		shards:      shards{off: !r.Has(cache.Whole) || r.Has(cache.Cells)},
		renewable:   c.config.ExecProvider != nil || c.config.AuthProvider != nil || c.config.BearerTokenFile != "",
	}
	var err error
	if out.pages, err = c.endpoint(t, &encodings.list); err != nil {
		return nil, err
	}
	if out.objects, err = c.endpoint(t, &encodings.object); err != nil {
		return nil, err
	}
	if out.typedEvents, err = c.endpoint(t, encodings.typedEvent); err != nil {
		return nil, err
	}
	if encodings.more != nil {
		out.more, err = c.morePages(t, encodings.more)
	}
	return out, err
}

// endpoint returns nil for no encoding.
func (c *Client) endpoint(t cache.Target, e *encoding) (*endpoint, error) {
	if e == nil {
		return nil, nil
	}
	config := rest.CopyConfig(c.config)
	version := t.Resource.GroupVersion()
	config.GroupVersion = &version
	config.APIPath = "/apis"
	if version.Group == "" {
		config.APIPath = "/api"
	}
	config.NegotiatedSerializer = c.codecs.negotiated(e)
	client, err := rest.RESTClientForConfigAndClient(config, c.httpClient)
	return &endpoint{encoding: *e, client: client}, err
}

// ListWithContext returns one page, a *cache.RowList.
func (l *listerWatcher) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	list := func() (*cache.RowList, error) { return l.list(ctx, options) }
	if l.named.onlyGet || l.target.Subresource != "" {
		list = func() (*cache.RowList, error) { return l.get(ctx) }
	}
	rows, err := list()
	if l.renewable && apierrors.IsUnauthorized(err) {
		rows, err = list()
	}
	if l.shards.refused(l.target.Shard, rows, err) {
		if options.Continue != "" {
			return nil, errShardsDiffer
		}
		rows, err = list()
	}
	if l.mayOnlyGet(err) {
		rows, err = l.get(ctx)
		l.named.onlyGet = err == nil
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (l *listerWatcher) list(ctx context.Context, options metav1.ListOptions) (*cache.RowList, error) {
	if l.more != nil && options.Continue != "" {
		return l.continued(ctx, options)
	}
	if l.more != nil && l.more.cells == nil && l.follow {
		return l.page(ctx, l.more.objectsFor(ctx, l), options)
	}
	return l.page(ctx, l.pages, options)
}

// page asks for one page in one request.
func (l *listerWatcher) page(ctx context.Context, from *endpoint, options metav1.ListOptions) (*cache.RowList, error) {
	began := time.Now()
	object, err := l.listed(ctx, from, l.request(from).
		Timeout(l.listTimeout).
		VersionedParams(l.selecting(options), metav1.ParameterCodec))
	if err != nil {
		return nil, l.overdue(err, began)
	}
	rows, ok := object.(*cache.RowList)
	if !ok {
		return nil, fmt.Errorf("the server sent %T where a list was expected", object)
	}
	return rows, nil
}

// WatchWithContext opens a watch. Its events hold *cache.Row, errors *metav1.Status.
func (l *listerWatcher) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	open := l.watch
	if l.named.onlyGet {
		open = l.watchGot
	}
	w, err := open(ctx, options)
	if l.renewable && apierrors.IsUnauthorized(err) {
		w, err = open(ctx, options)
	}
	l.named.watched(options.ResourceVersion, err)
	return w, err
}

func (l *listerWatcher) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.Watch = true
	events := l.events(ctx)
	ctx, x := withExchange(ctx, cache.WatchRequest)
	w, err := l.request(events).
		VersionedParams(l.selecting(options), metav1.ParameterCodec).
		Watch(ctx)
	if err == nil && x.err != nil {
		// The rest client hides a lost connection behind an empty watch.
		return nil, x.err
	}
	if err != nil {
		return nil, err
	}
	return &receiving{Interface: w, exchange: x}, nil
}

// receiving is a watch that knows when its connection received anything.
type receiving struct {
	watch.Interface
	exchange *exchange
}

// LastReceived is when the connection received anything last; zero if that is not known.
func (r *receiving) LastReceived() time.Time {
	conn := r.exchange.conn.Load()
	if conn == nil || conn.last.Load() == 0 {
		return time.Time{}
	}
	return time.Unix(0, conn.last.Load())
}

// events is where to watch.
func (l *listerWatcher) events(ctx context.Context) *endpoint {
	if l.typedEvents != nil && l.server.isOurs(ctx, l.pages.client) {
		return l.typedEvents
	}
	return l.objects
}

// request leaves every retry to the guard.
func (l *listerWatcher) request(to *endpoint) *rest.Request {
	request := to.client.Get().
		NamespaceIfScoped(l.target.Namespace, l.target.Namespace != "").
		Resource(l.target.Resource.Resource).
		SetHeader("Accept", to.accept).
		MaxRetries(0)
	if to.includeObject != "" {
		request.Param("includeObject", to.includeObject)
	}
	return request
}

// selecting adds what the server is to select by.
func (l *listerWatcher) selecting(options metav1.ListOptions) *metav1.ListOptions {
	options.LabelSelector = l.target.LabelSelector
	options.FieldSelector = l.target.FieldSelector
	options.ShardSelector = l.shards.selector(l.target.Shard, options.Watch)
	if l.target.Name == "" {
		return &options
	}
	options.FieldSelector = "metadata.name=" + fields.EscapeValue(l.target.Name)
	if l.target.FieldSelector != "" {
		options.FieldSelector += "," + l.target.FieldSelector
	}
	return &options
}
