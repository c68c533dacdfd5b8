package client

import (
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

const (
	html             = "<html>404</html>"
	withPods         = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"pods","namespaced":true,"kind":"Pod"},{"name":"pods/log","namespaced":true,"kind":"Pod"}]}`
	withoutPods      = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[]}`
	otherVersion     = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v2","resources":[]}`
	things           = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"a.b/v1","resources":[{"name":"things","kind":"Thing"}]}`
	namespacedThings = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"a.b/v1","resources":[{"name":"things","namespaced":true,"kind":"Thing"}]}`
	otherGroups      = `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]}]}`
	sameGroup        = `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"a.b","versions":[{"groupVersion":"a.b/v1","version":"v1"}]}]}`
)

// Only well-formed discovery is the server's word about a type.
func TestServed(t *testing.T) {
	thing := cache.Target{
		Resource: schema.GroupVersionResource{Group: "a.b", Version: "v1", Resource: "things"},
		Kind:     schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Thing"},
	}
	for _, test := range []struct {
		name    string
		target  cache.Target
		answers map[string]string
		want    bool
		certain bool
	}{
		{"there", pods(), map[string]string{"/api/v1": withPods}, true, true},
		{"recreated with another scope", thing, map[string]string{"/apis/a.b/v1": namespacedThings}, false, true},
		{"not in its version", pods(), map[string]string{"/api/v1": withoutPods}, false, true},
		{"the core is not found", pods(), nil, false, false},
		{"a gateway's page", pods(), map[string]string{"/api/v1": html}, false, false},
		{"another version's list", pods(), map[string]string{"/api/v1": otherVersion}, false, false},
		{"an empty object", pods(), map[string]string{"/api/v1": "{}"}, false, false},
		{"there, in a group", thing, map[string]string{"/apis/a.b/v1": things}, true, true},
		{"its group is gone", thing, map[string]string{"/apis": otherGroups}, false, true},
		{"its group is there, but its version is not found", thing, map[string]string{"/apis": sameGroup}, false, false},
		{"nothing is found", thing, nil, false, false},
		{"the groups are a page", thing, map[string]string{"/apis": html}, false, false},
		{"the groups are empty", thing, map[string]string{"/apis": "{}"}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, ok := test.answers[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				answer(w, body)
			})
			served, err := from(t, config, test.target, cache.Metadata).Served(t.Context())
			if served != test.want || (err == nil) != test.certain {
				t.Errorf("got %v, %v", served, err)
			}
		})
	}
}

func TestServedIsNotKnownOfAServerThatFails(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, unavailable) })
	if served, err := from(t, config, pods(), cache.Metadata).Served(t.Context()); served || !apierrors.IsServiceUnavailable(err) {
		t.Errorf("got %v, %v", served, err)
	}
}

func TestLatestResourceVersionIsThatOfTheCollection(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("limit") != "1" {
			t.Errorf("asked for %s", r.URL)
		}
		answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"77"},"items":[{"metadata":{"name":"a","resourceVersion":"5"}}]}`)
	})
	for _, form := range []cache.Representation{cache.Metadata, cache.Cells, cache.Whole} {
		if got, err := from(t, config, pods(), form).LatestResourceVersion(t.Context()); got != "77" || err != nil {
			t.Errorf("%v: got %q, %v", form, got, err)
		}
	}
}

func TestAnswerOfAnyKindIsContact(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, unavailable) })
	resource := from(t, config, pods(), cache.Metadata)
	if resource.Reached() {
		t.Error("reached before anything was asked")
	}
	_, _ = resource.ListWithContext(t.Context(), metav1.ListOptions{}) // its error is not what matters
	if !resource.Reached() {
		t.Error("an answer of 503 is not taken for contact")
	}
}
