package client

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func onePod(name string) cache.Target {
	t := pods()
	t.Name = name
	return t
}

func named404(name string) *apierrors.StatusError {
	return apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, name)
}

// getOnly is a server that forbids lists and answers gets. It notes the paths.
func getOnly(paths *[]string, get http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*paths = append(*paths, r.URL.Path)
		switch {
		case isWatch(r):
			refuse(w, tooOld)
		case strings.HasSuffix(r.URL.Path, "/pods"):
			refuse(w, forbidden)
		default:
			get(w, r)
		}
	}
}

func TestNamedObjectThatMayBeGotButNotListed(t *testing.T) {
	for _, test := range []struct {
		rep  cache.Representation
		body string
	}{
		{cache.Metadata, podA},
		{cache.Whole, podA},
		{cache.Cells, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"}],
			"rows":[{"cells":["a"],"object":` + podA + `}]}`},
	} {
		t.Run(test.rep.String(), func(t *testing.T) {
			var paths []string
			resource := from(t, serve(t, getOnly(&paths, func(w http.ResponseWriter, _ *http.Request) {
				answer(w, test.body)
			})), onePod("a"), test.rep)
			for range 2 {
				rows := rowsOf(t, resource)
				if len(rows.Items) != 1 || rows.Items[0].Name != "a" || rows.Items[0].Kind != "Pod" || rows.ResourceVersion != "5" {
					t.Errorf("got %+v", rows)
				}
			}
			const list, get = "/api/v1/namespaces/ns/pods", "/api/v1/namespaces/ns/pods/a"
			if diff := cmp.Diff([]string{list, get, get}, paths); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNamedObjectThatDoesNotExistIsAnEmptyList(t *testing.T) {
	var paths []string
	resource := from(t, serve(t, getOnly(&paths, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, named404("a"))
	})), onePod("a"), cache.Metadata)
	if rows := rowsOf(t, resource); len(rows.Items) != 0 || rows.ResourceVersion != "" {
		t.Errorf("got %+v", rows)
	}
}

func TestNamedObjectOfATypeThatDoesNotExistIsMissing(t *testing.T) {
	var paths []string
	resource := from(t, serve(t, getOnly(&paths, http.NotFound)), onePod("a"), cache.Metadata)
	_, err := resource.ListWithContext(t.Context(), metav1.ListOptions{})
	if classify(err) != cache.Missing {
		t.Errorf("got %v", err)
	}
}

// As kubectl, which gets a named object, words it.
func TestNamedObjectThatMayNotBeReadAtAllIsRefusedInTheWordsOfTheGet(t *testing.T) {
	var paths []string
	denied := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "a", nil)
	resource := from(t, serve(t, getOnly(&paths, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, denied)
	})), onePod("a"), cache.Metadata)
	_, err := resource.ListWithContext(t.Context(), metav1.ListOptions{})
	if err == nil || err.Error() != denied.Error() {
		t.Errorf("got %v", err)
	}
}

// An object that has not changed for long is older than any watch can start at.
// To start there again and again would be an endless loop.
func TestNamedObjectOlderThanTheServersHistoryIsWatchedFromNow(t *testing.T) {
	var paths []string
	resource := from(t, serve(t, getOnly(&paths, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, podA)
	})), onePod("a"), cache.Whole)
	rows := rowsOf(t, resource)
	_, err := resource.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: rows.ResourceVersion})
	if !apierrors.IsResourceExpired(err) {
		t.Fatal(err)
	}
	if rows := rowsOf(t, resource); rows.ResourceVersion != "" {
		t.Errorf("to be watched from %q again", rows.ResourceVersion)
	}
}

func TestSelectionThatMayNotBeListedIsNotGot(t *testing.T) {
	var paths []string
	target := onePod("a")
	target.LabelSelector = "app=web"
	resource := from(t, serve(t, getOnly(&paths, http.NotFound)), target, cache.Metadata)
	if _, err := resource.ListWithContext(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("got %v", err)
	}
}

// What is deleted between a get and a watch from the present is in neither.
func TestNamedObjectThatWentBeforeItsWatchOpenedIsListedAnew(t *testing.T) {
	const other = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","uid":"other","resourceVersion":"9"}}`
	for name, test := range map[string]struct {
		again   http.HandlerFunc
		from    string
		expired bool
		gets    int
	}{
		"it is there":         {func(w http.ResponseWriter, _ *http.Request) { answer(w, podA) }, "", false, 2},
		"it is gone":          {func(w http.ResponseWriter, _ *http.Request) { refuse(w, named404("a")) }, "", true, 2},
		"it is another":       {func(w http.ResponseWriter, _ *http.Request) { answer(w, other) }, "", true, 2},
		"the watch goes back": {func(w http.ResponseWriter, _ *http.Request) { refuse(w, named404("a")) }, "5", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var opened, gets atomic.Int32
			resource := from(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case isWatch(r):
					opened.Add(1)
					w.Header().Set("Content-Type", "application/json")
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				case strings.HasSuffix(r.URL.Path, "/pods"):
					refuse(w, forbidden)
				case gets.Add(1) == 1:
					answer(w, podA)
				case opened.Load() != 1:
					t.Error("got again before the watch was open")
				default:
					test.again(w, r)
				}
			}), onePod("a"), cache.Metadata)
			rowsOf(t, resource)
			w, err := resource.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: test.from})
			if err == nil {
				w.Stop()
			}
			if apierrors.IsResourceExpired(err) != test.expired || err != nil && !test.expired || int(gets.Load()) != test.gets {
				t.Errorf("got %v after %d gets", err, gets.Load())
			}
		})
	}
}
