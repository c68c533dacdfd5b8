package client

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

var _ guard.Source = (*listerWatcher)(nil)

// Diagnose returns what an error of a list or a watch means.
func (l *listerWatcher) Diagnose(err error) guard.Diagnosis { return diagnose(err) }

// Reached reports whether the server has answered any request of the invocation.
func (l *listerWatcher) Reached() bool { return l.counters.answered.Load() }

// Served asks discovery for the type. Only a well-formed answer is the server's
// word: that its version of the group lacks the type, or that there is no such
// version among the groups. Everything else is an error.
func (l *listerWatcher) Served(ctx context.Context) (bool, error) {
	version := l.target.Resource.GroupVersion()
	path := "/apis/" + version.String()
	if version.Group == "" {
		path = "/api/" + version.Version
	}
	resources := &metav1.APIResourceList{}
	err := l.discover(ctx, path, resources)
	switch {
	case err == nil && resources.Kind == "APIResourceList" && resources.GroupVersion == version.String():
		return slices.ContainsFunc(resources.APIResources, func(known metav1.APIResource) bool {
			// Of another scope it has other paths: it is another type.
			return known.Name == l.target.Resource.Resource && known.Namespaced == l.target.Namespaced
		}), nil
	case err == nil:
		return false, fmt.Errorf("the server sent %q for the discovery of %s", resources.Kind, version)
	case !apierrors.IsNotFound(err) || version.Group == "":
		return false, err
	}
	groups := &metav1.APIGroupList{}
	if err := l.discover(ctx, "/apis", groups); err != nil {
		return false, err
	}
	if groups.Kind != "APIGroupList" {
		return false, fmt.Errorf("the server sent %q for the discovery of its groups", groups.Kind)
	}
	for _, group := range groups.Groups {
		for _, served := range group.Versions {
			if served.GroupVersion == version.String() {
				return false, fmt.Errorf("the server has %s and does not say what is in it", version)
			}
		}
	}
	return false, nil
}

func (l *listerWatcher) discover(ctx context.Context, path string, into runtime.Object) error {
	body, err := l.pages.client.Get().AbsPath(path).SetHeader("Accept", jsonType).
		MaxRetries(0).Timeout(discoveryTimeout).Do(ctx).Raw()
	if err != nil {
		return err
	}
	return kubejson.Unmarshal(body, into)
}

// LatestResourceVersion lists one object for the resourceVersion of the whole. It
// is empty for an object that we may only get: that has a version of its own.
func (l *listerWatcher) LatestResourceVersion(ctx context.Context) (string, error) {
	if l.named.onlyGet || l.target.Subresource != "" {
		return "", nil
	}
	ctx, _ = withExchange(ctx, cache.ListRequest)
	body, err := l.request(l.pages).
		Timeout(discoveryTimeout).
		SetHeader("Accept", acceptMetadataListJSON).
		VersionedParams(l.selecting(metav1.ListOptions{Limit: 1}), metav1.ParameterCodec).
		Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var list unstructured.Unstructured
	if err := kubejson.Unmarshal(body, &list.Object); err != nil {
		return "", err
	}
	return list.GetResourceVersion(), nil
}
