package source

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// discoveryTimeout bounds a question of discovery that decides about a type.
const discoveryTimeout = 5 * time.Second

var _ guard.Source = (*resource)(nil)

// Diagnose says what an error of a list or a watch means.
func (r *resource) Diagnose(err error) guard.Diagnosis { return diagnose(err) }

// Reached says whether the server has answered any request of the invocation.
func (r *resource) Reached() bool { return r.counters.answered.Load() }

// Served asks discovery for the type. Only a well-formed answer is the server's
// word: that its version of the group lacks the type, or that there is no such
// version among the groups. Everything else is an error.
func (r *resource) Served(ctx context.Context) (bool, error) {
	version := r.target.Resource.GroupVersion()
	path := "/apis/" + version.String()
	if version.Group == "" {
		path = "/api/" + version.Version
	}
	resources := &metav1.APIResourceList{}
	err := r.discover(ctx, path, resources)
	switch {
	case err == nil && resources.Kind == "APIResourceList" && resources.GroupVersion == version.String():
		return slices.ContainsFunc(resources.APIResources, func(known metav1.APIResource) bool {
			// Of another scope it has other paths: it is another type.
			return known.Name == r.target.Resource.Resource && known.Namespaced == r.target.Namespaced
		}), nil
	case err == nil:
		return false, fmt.Errorf("the server sent %q for the discovery of %s", resources.Kind, version)
	case !apierrors.IsNotFound(err) || version.Group == "":
		return false, err
	}
	groups := &metav1.APIGroupList{}
	if err := r.discover(ctx, "/apis", groups); err != nil {
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

func (r *resource) discover(ctx context.Context, path string, into runtime.Object) error {
	body, err := r.pages.client.Get().AbsPath(path).SetHeader("Accept", jsonType).
		MaxRetries(0).Timeout(discoveryTimeout).Do(ctx).Raw()
	if err != nil {
		return err
	}
	return kubejson.Unmarshal(body, into)
}

// LatestResourceVersion lists one object for the resourceVersion of the whole. It
// is empty for an object that we may only get: that has a version of its own.
func (r *resource) LatestResourceVersion(ctx context.Context) (string, error) {
	if r.named.onlyGet || r.target.Subresource != "" {
		return "", nil
	}
	ctx, _ = withExchange(ctx, &r.counters.lists)
	body, err := r.request(r.pages).
		Timeout(discoveryTimeout).
		SetHeader("Accept", metadataListJSON).
		VersionedParams(r.selecting(metav1.ListOptions{Limit: 1}), metav1.ParameterCodec).
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
