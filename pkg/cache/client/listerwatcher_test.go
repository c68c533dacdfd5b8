package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

func TestRequestsAskForTheTargetAndNoMore(t *testing.T) {
	deployments := cache.Target{
		Resource:   schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		Kind:       schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		Namespaced: true,
	}
	nodes := cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}}
	selected := pods()
	selected.LabelSelector, selected.FieldSelector = "app in (a,b)", "status.phase!=Failed"
	named := pods()
	named.Name = "web=1"
	both := named
	both.Name, both.FieldSelector = "web", "spec.nodeName=n1"

	for _, test := range []struct {
		name   string
		target cache.Target
		rep    cache.Representation
		want   string
	}{
		{"all namespaces of a group", deployments, cache.Whole, "/apis/apps/v1/deployments?limit=5"},
		{"cluster-scoped", nodes, cache.Metadata, "/api/v1/nodes?limit=5"},
		{"selectors", selected, cache.Whole,
			"/api/v1/namespaces/ns/pods?fieldSelector=status.phase%21%3DFailed&labelSelector=app+in+%28a%2Cb%29&limit=5"},
		// kubernetes/kubernetes#54079: a role for one object allows this, not the whole list.
		{"name", named, cache.Whole, "/api/v1/namespaces/ns/pods?fieldSelector=metadata.name%3Dweb%5C%3D1&limit=5"},
		{"name and field", both, cache.Whole,
			"/api/v1/namespaces/ns/pods?fieldSelector=metadata.name%3Dweb%2Cspec.nodeName%3Dn1&limit=5"},
		{"cells", pods(), cache.Cells, "/api/v1/namespaces/ns/pods?includeObject=Metadata&limit=5"},
		{"cells and whole", pods(), cache.Cells | cache.Whole, "/api/v1/namespaces/ns/pods?includeObject=Object&limit=5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got string
			config := serve(t, func(w http.ResponseWriter, r *http.Request) {
				got = r.URL.String()
				refuse(w, forbidden)
			})
			resource := from(t, config, test.target, test.rep)
			resource.named.onlyGet = false
			_, _ = resource.list(t.Context(), metav1.ListOptions{Limit: 5})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrorsAreTheServersOwnForListsAndWatches(t *testing.T) {
	const refusal = `pods is forbidden: User "eve" cannot list resource "pods" in API group "" in the namespace "ns"`
	denied := apierrors.NewForbidden(configMaps, "", nil)
	denied.ErrStatus.Message = refusal
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		fault  cache.Fault
		words  string
	}{
		{"forbidden", func(w http.ResponseWriter, _ *http.Request) { refuse(w, denied) }, cache.Denied, refusal},
		{"expired", func(w http.ResponseWriter, _ *http.Request) { refuse(w, tooOld) }, cache.Expired, "too old resource version: 1 (9)"},
		{"no such type", http.NotFound, cache.Missing, "the server could not find the requested resource (get pods)"},
		{"HTML of a proxy", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html>bad gateway</html>")
		}, cache.Transient, `an error on the server ("<html>bad gateway</html>") has prevented the request from succeeding (get pods)`},
		{"HTML that claims to be fine", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>please log in</html>")
		}, cache.Transient, "text/html"},
	} {
		for _, rep := range []cache.Representation{cache.Metadata, cache.Cells, cache.Whole, cache.Cells | cache.Whole} {
			t.Run(test.name+" "+rep.String(), func(t *testing.T) {
				resource := from(t, serve(t, test.answer), pods(), rep)
				_, listErr := resource.ListWithContext(t.Context(), metav1.ListOptions{})
				_, watchErr := resource.WatchWithContext(t.Context(), metav1.ListOptions{})
				for _, err := range []error{listErr, watchErr} {
					if err == nil || !strings.Contains(err.Error(), test.words) || classify(err) != test.fault {
						t.Errorf("got %v, fault %v", err, classify(err))
					}
				}
			})
		}
	}
}

func TestJunkIsNeverAnEmptyList(t *testing.T) {
	for _, junk := range []string{
		``, `{`, `null`, `{}`, `[]`, `"fine"`, `<html>`, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`,
		`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[null]}`, `{"kind":"PodList","items":[{"kind":"Pod"}]}`,
	} {
		for _, rep := range []cache.Representation{cache.Metadata, cache.Cells, cache.Whole, cache.Cells | cache.Whole} {
			config := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, junk) })
			list, err := from(t, config, pods(), rep).ListWithContext(t.Context(), metav1.ListOptions{})
			if err == nil || classify(err) != cache.Transient {
				t.Errorf("%v: %s was taken for %v, error %v", rep, junk, list, err)
			}
		}
	}
}

func TestListCutOffHalfWayIsAnError(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[`)
	})
	_, err := from(t, config, pods(), cache.Whole).ListWithContext(t.Context(), metav1.ListOptions{})
	if !errors.Is(err, io.ErrUnexpectedEOF) || classify(err) != cache.Transient {
		t.Errorf("got %v", err)
	}
}

// cut ends a connection without a word.
func cut(t *testing.T, w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_ = conn.Close()
}

// The rest client makes an empty watch of it, which looks like one that ended well.
func TestConnectionLostBeforeAWatchIsOpenIsAnError(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { cut(t, w) })
	w, err := from(t, config, pods(), cache.Whole).WatchWithContext(t.Context(), metav1.ListOptions{})
	if err == nil || classify(err) != cache.Transient || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("got %v, error %v", w, err)
	}
}

const (
	addedA   = `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"8"}}}` + "\n"
	garbage  = `{"type":"MODIFIED","object":{garbage}}` + "\n"
	halfGone = `{"type":"MODIFIED","object":{"kind":"Po`
)

func TestWatchCutInAnEventEndsSilently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := serve(t, func(w http.ResponseWriter, r *http.Request) {
			answer(w, addedA+halfGone)
			w.(http.Flusher).Flush()
			cut(t, w)
		})
		types, seen := watchThrough(t, config, time.Minute)
		if diff := cmp.Diff([]watch.EventType{watch.Added}, types); diff != "" || len(seen) != 0 {
			t.Errorf("%s, reported %v", diff, seen)
		}
	})
}

func TestEventThatCannotBeReadIsReportedAndEndsTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := serve(t, func(w http.ResponseWriter, r *http.Request) { sendWatch(w, r, addedA, garbage, addedA) })
		types, seen := watchThrough(t, config, time.Minute)
		if diff := cmp.Diff([]watch.EventType{watch.Added}, types); diff != "" {
			t.Error(diff)
		}
		if len(seen) != 1 || seen[0].Type != cache.Lost || !strings.Contains(seen[0].Err.Error(), "unable to decode") {
			t.Errorf("reported %v", seen)
		}
	})
}

// watchThrough watches whole pods through the guard until the watch ends, which
// must be before the limit. It returns what the guard has reported, too.
func watchThrough(t *testing.T, config *rest.Config, limit time.Duration) (types []watch.EventType, seen []cache.Event) {
	t.Helper()
	g := guard.New(from(t, config, pods(), cache.Whole), guard.Options{
		Emit: func(event cache.Event, _ *cache.Row) { seen = append(seen, event) },
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	w, err := g.WatchWithContext(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for e := range w.ResultChan() {
		types = append(types, e.Type)
	}
	if ctx.Err() != nil {
		t.Error("the watch did not end by itself")
	}
	return types, seen
}

// The guard alone retries: what a request costs is one request.
func TestServerThatAsksToComeBackLaterIsNotAskedAgainBelowTheGuard(t *testing.T) {
	var requests atomic.Int64
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/version" {
			requests.Add(1)
		}
		w.Header().Set("Retry-After", "1")
		refuse(w, apierrors.NewTooManyRequests("slow down", 1))
	})
	resource := from(t, config, pods(), cache.Whole)
	_, listErr := resource.ListWithContext(t.Context(), metav1.ListOptions{})
	_, watchErr := resource.WatchWithContext(t.Context(), metav1.ListOptions{})
	if requests.Load() != 2 || retryAfter(listErr) != time.Second || retryAfter(watchErr) != time.Second {
		t.Errorf("%d requests, %v, %v", requests.Load(), listErr, watchErr)
	}
}

// A token that has run out is renewed by client-go when it sees a 401.
func TestTokenThatHasRunOutIsNotTheEnd(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"list", "watch"} {
		var requests atomic.Int64
		config := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case requests.Add(1) == 1:
				refuse(w, apierrors.NewUnauthorized("Unauthorized"))
			case isWatch(r):
				sendWatch(w, r, addedA)
			default:
				answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`)
			}
		})
		config.BearerTokenFile = token
		resource := from(t, config, pods(), cache.Whole)
		if verb == "list" {
			rowsOf(t, resource)
		} else {
			eventsOf(t, resource, 1)
		}
		if n := requests.Load(); n != 2 {
			t.Errorf("%s: %d requests", verb, n)
		}
	}
}

func TestCredentialsThatCannotBeRenewedAreTriedOnce(t *testing.T) {
	var requests atomic.Int64
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		refuse(w, apierrors.NewUnauthorized("Unauthorized"))
	})
	config.BearerToken = "wrong"
	_, err := from(t, config, pods(), cache.Whole).ListWithContext(t.Context(), metav1.ListOptions{})
	if !apierrors.IsUnauthorized(err) || requests.Load() != 1 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}
