package source

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
// nothing, and its errors are the server's own. It is for a guard. The error is
// one of the config.
func (c *Client) ListerWatcher(t cache.Target, r cache.Representation) (guard.Source, error) {
	return c.resource(t, r)
}

// resource asks the server for one Target in one form. It is the ListerWatcher
// below the guard: it retries nothing, and its errors are the server's own.
type resource struct {
	target   cache.Target
	counters *counters
	server   *serverVersion
	// pages are for a list's first page, objects for single objects and watch
	// events, more for all other pages; nil where those are as the first.
	pages, objects *endpoint
	// typedEvents, where set, are for a watch of a server of our version.
	typedEvents *endpoint
	more        *morePages
	listTimeout time.Duration
	// renewable says that client-go gets new credentials after a 401.
	renewable bool
	named     named
}

// endpoint is what answers in one way.
type endpoint struct {
	mode
	client rest.Interface
}

func (c *Client) resource(t cache.Target, r cache.Representation) (*resource, error) {
	form := formOf(r, t.Kind, c.codecs)
	out := &resource{
		target:      t,
		counters:    c.counters,
		server:      c.server,
		listTimeout: c.listTimeout,
		renewable:   c.config.ExecProvider != nil || c.config.AuthProvider != nil || c.config.BearerTokenFile != "",
	}
	var err error
	if out.pages, err = c.endpoint(t, &form.list); err != nil {
		return nil, err
	}
	if out.objects, err = c.endpoint(t, &form.object); err != nil {
		return nil, err
	}
	if out.typedEvents, err = c.endpoint(t, form.typedEvent); err != nil {
		return nil, err
	}
	if form.more != nil {
		out.more, err = c.morePages(t, form.more)
	}
	return out, err
}

// endpoint returns nil for no mode.
func (c *Client) endpoint(t cache.Target, m *mode) (*endpoint, error) {
	if m == nil {
		return nil, nil
	}
	config := rest.CopyConfig(c.config)
	version := t.Resource.GroupVersion()
	config.GroupVersion = &version
	config.APIPath = "/apis"
	if version.Group == "" {
		config.APIPath = "/api"
	}
	config.NegotiatedSerializer = c.codecs.negotiated(m.json, m.protobuf)
	client, err := rest.RESTClientForConfigAndClient(config, c.httpClient)
	return &endpoint{mode: *m, client: client}, err
}

// ListWithContext returns one page, a *cache.RowList.
func (r *resource) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	list := func() (*cache.RowList, error) { return r.list(ctx, options) }
	if r.named.onlyGet || r.target.Subresource != "" {
		list = func() (*cache.RowList, error) { return r.get(ctx) }
	}
	rows, err := list()
	if r.renewable && apierrors.IsUnauthorized(err) {
		rows, err = list()
	}
	if r.mayOnlyGet(err) {
		rows, err = r.get(ctx)
		r.named.onlyGet = err == nil
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (r *resource) list(ctx context.Context, options metav1.ListOptions) (*cache.RowList, error) {
	if r.more != nil && options.Continue != "" {
		return r.continued(ctx, options)
	}
	return r.page(ctx, r.pages, options)
}

// page asks for one page in one request.
func (r *resource) page(ctx context.Context, from *endpoint, options metav1.ListOptions) (*cache.RowList, error) {
	ctx, _ = withExchange(ctx, &r.counters.lists)
	began := time.Now()
	object, err := r.request(from).
		Timeout(r.listTimeout).
		VersionedParams(r.selecting(options), metav1.ParameterCodec).
		Do(ctx).Get()
	if err != nil {
		return nil, r.overdue(err, began)
	}
	rows, ok := object.(*cache.RowList)
	if !ok {
		return nil, fmt.Errorf("the server sent %T where a list was expected", object)
	}
	return rows, nil
}

// WatchWithContext opens a watch. Its events hold *cache.Row, errors *metav1.Status.
func (r *resource) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	open := r.watch
	if r.named.onlyGet {
		open = r.watchGot
	}
	w, err := open(ctx, options)
	if r.renewable && apierrors.IsUnauthorized(err) {
		w, err = open(ctx, options)
	}
	r.named.watched(options.ResourceVersion, err)
	return w, err
}

func (r *resource) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.Watch = true
	events := r.events(ctx)
	ctx, x := withExchange(ctx, &r.counters.watches)
	w, err := r.request(events).
		VersionedParams(r.selecting(options), metav1.ParameterCodec).
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
func (r *resource) events(ctx context.Context) *endpoint {
	if r.typedEvents != nil && r.server.isOurs(ctx, r.pages.client) {
		return r.typedEvents
	}
	return r.objects
}

// request leaves every retry to the guard.
func (r *resource) request(to *endpoint) *rest.Request {
	request := to.client.Get().
		NamespaceIfScoped(r.target.Namespace, r.target.Namespace != "").
		Resource(r.target.Resource.Resource).
		SetHeader("Accept", to.accept).
		MaxRetries(0)
	if to.includeObject != "" {
		request.Param("includeObject", to.includeObject)
	}
	return request
}

// selecting adds what the server is to select by.
func (r *resource) selecting(options metav1.ListOptions) *metav1.ListOptions {
	options.LabelSelector = r.target.LabelSelector
	options.FieldSelector = r.target.FieldSelector
	if r.target.Name == "" {
		return &options
	}
	options.FieldSelector = "metadata.name=" + fields.EscapeValue(r.target.Name)
	if r.target.FieldSelector != "" {
		options.FieldSelector += "," + r.target.FieldSelector
	}
	return &options
}
