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
)

// resource asks the server for one Target in one form. It is the ListerWatcher
// below the guard: it retries nothing, and its errors are the server's own.
type resource struct {
	target   cache.Target
	form     form
	counters *counters
	// lists decodes lists; objects decodes single objects and watch events.
	lists, objects rest.Interface
	listTimeout    time.Duration
	// renewable says that client-go gets new credentials after a 401.
	renewable bool
	named     named
}

func (c *Client) resource(t cache.Target, r cache.Representation) (*resource, error) {
	form := formOf(r, t.Kind, c.codecs)
	lists, err := c.restClient(t, form.json.list, form.protobuf.list)
	if err != nil {
		return nil, err
	}
	objects, err := c.restClient(t, form.json.object, form.protobuf.object)
	if err != nil {
		return nil, err
	}
	return &resource{
		target:      t,
		form:        form,
		counters:    c.counters,
		lists:       lists,
		objects:     objects,
		listTimeout: c.listTimeout,
		renewable:   c.config.ExecProvider != nil || c.config.AuthProvider != nil || c.config.BearerTokenFile != "",
	}, nil
}

func (c *Client) restClient(t cache.Target, fromJSON, fromProtobuf reader) (rest.Interface, error) {
	config := rest.CopyConfig(c.config)
	version := t.Resource.GroupVersion()
	config.GroupVersion = &version
	config.APIPath = "/apis"
	if version.Group == "" {
		config.APIPath = "/api"
	}
	config.NegotiatedSerializer = c.codecs.negotiated(fromJSON, fromProtobuf)
	return rest.RESTClientForConfigAndClient(config, c.httpClient)
}

// ListWithContext returns one page, a *cache.RowList.
func (r *resource) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	list := func() (*cache.RowList, error) { return r.list(ctx, options) }
	if r.named.onlyGet {
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
	ctx, _ = withExchange(ctx, &r.counters.lists)
	object, err := r.request(r.lists, r.form.listAccept).
		Timeout(r.listTimeout).
		VersionedParams(r.selecting(options), metav1.ParameterCodec).
		Do(ctx).Get()
	if err != nil {
		return nil, err
	}
	rows, ok := object.(*cache.RowList)
	if !ok {
		return nil, fmt.Errorf("the server sent %T where a list was expected", object)
	}
	return rows, nil
}

// WatchWithContext opens a watch. Its events hold *cache.Row, errors *metav1.Status.
func (r *resource) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	w, err := r.watch(ctx, options)
	if r.renewable && apierrors.IsUnauthorized(err) {
		w, err = r.watch(ctx, options)
	}
	r.named.watched(options.ResourceVersion, err)
	return w, err
}

func (r *resource) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.Watch = true
	ctx, x := withExchange(ctx, &r.counters.watches)
	w, err := r.request(r.objects, r.form.objectAccept).
		VersionedParams(r.selecting(options), metav1.ParameterCodec).
		Watch(ctx)
	if err == nil && x.err != nil {
		// The rest client hides a lost connection behind an empty watch.
		return nil, x.err
	}
	return w, err
}

// request leaves every retry to the guard.
func (r *resource) request(client rest.Interface, accept string) *rest.Request {
	request := client.Get().
		NamespaceIfScoped(r.target.Namespace, r.target.Namespace != "").
		Resource(r.target.Resource.Resource).
		SetHeader("Accept", accept).
		MaxRetries(0)
	if r.form.includeObject != "" {
		request.Param("includeObject", r.form.includeObject)
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
