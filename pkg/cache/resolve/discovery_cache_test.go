package resolve

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func widgets() *metav1.APIResourceList {
	return list("example.com/v1", inCategories(kind("widgets", "widget", "Widget", "wg"), "toys", "all"))
}

// warm runs a command, so that the disk cache knows what the server serves now.
func (s *apiServer) warm(t *testing.T) {
	t.Helper()
	if _, err := New(s.connect()).Resolve(t.Context(), args("ns")); err != nil {
		t.Fatal(err)
	}
	s.asked()
}

func TestWarmCacheAsksTheServerNothing(t *testing.T) {
	server := startAPIServer(t, with(widgets()))
	if _, err := New(server.connect()).Resolve(t.Context(), args("ns")); err != nil {
		t.Fatal(err)
	}
	if asked := server.asked(); !slices.Equal(asked, []string{"/api", "/apis"}) {
		t.Errorf("cold cache: asked for %q", asked)
	}
	// kubectl asks again for a group with dots, which it first takes for a version.
	for _, line := range []string{"ns", "all", "pod/web svc/db", "widgets.example.com", "wg.v1.example.com", "po/a/b"} {
		_, err := New(server.connect()).Resolve(t.Context(), args(line))
		if asked := server.asked(); len(asked) > 0 {
			t.Errorf("%s (%v): asked for %q", line, err, asked)
		}
	}
}

// kubernetes/kubernetes#47977: a definition applied a moment ago stayed unknown
// for as long as the cache was kept.
func TestTypeNewerThanTheCacheIsFound(t *testing.T) {
	for _, typed := range []string{
		"widgets", "widget", "wg", "Widget", "toys", "widgets.example.com", "widgets.v1.example.com", "Widget.v1.example.com", "pods,wg", "wg/w",
	} {
		server := startAPIServer(t, stock())
		server.warm(t)
		server.serve(with(widgets()))
		result, err := New(server.connect()).Resolve(t.Context(), args(typed))
		if err != nil || !strings.Contains(fmt.Sprint(allWords(result.Targets)), "widgets.v1.example.com") {
			t.Errorf("%s: %q, %v", typed, allWords(result.Targets), err)
		}
		if asked := server.asked(); !slices.Equal(asked, []string{"/api", "/apis"}) {
			t.Errorf("%s: asked for %q, want one refresh", typed, asked)
		}
	}
}

func TestTypeOfAFileNewerThanTheCacheIsFound(t *testing.T) {
	server := startAPIServer(t, stock())
	server.warm(t)
	server.serve(with(widgets()))
	var req Request
	req.Files.Filenames = []string{filepath.Join(folder(t, map[string]string{"w.yaml": unknown}), "w.yaml")}
	result, err := New(server.connect()).Resolve(t.Context(), req)
	if err != nil || len(result.Targets) != 1 || result.Targets[0].Resource.Resource != "widgets" {
		t.Errorf("%q, %v", allWords(result.Targets), err)
	}
}

// In a session of many questions the memory of the first one is a cache too.
func TestTypeNewerThanTheSessionIsFound(t *testing.T) {
	server := startAPIServer(t, stock())
	resolver := New(server.connect())
	if _, err := resolver.Resolve(t.Context(), args("pods")); err != nil {
		t.Fatal(err)
	}
	server.serve(with(widgets()))
	if _, err := resolver.Resolve(t.Context(), args("widgets")); err != nil {
		t.Errorf("widgets: %v", err)
	}
}

func TestUnknownTypeRefreshesOnce(t *testing.T) {
	client := &fakeDiscovery{cached: stock(), served: stock()}
	_, err := New(connect(client)).Resolve(t.Context(), args("nope.v1.example.com"))
	if err == nil || client.reads != 2 || client.invalidations != 1 {
		t.Errorf("%v after %d reads and %d invalidations, want 2 and 1", err, client.reads, client.invalidations)
	}
	fresh := &fakeDiscovery{served: stock()}
	_, err = New(connect(fresh)).Resolve(t.Context(), args("nope"))
	if err == nil || fresh.reads != 1 || fresh.invalidations != 0 {
		t.Errorf("%v after %d reads and %d invalidations, want 1 and none: nothing was cached", err, fresh.reads, fresh.invalidations)
	}
}

// kubernetes/kubernetes#47977, the other way round: a definition just deleted
// still resolved, and ended in a 404 about something else.
func TestTypeThatIsGoneIsUnknownAfterRefresh(t *testing.T) {
	server := startAPIServer(t, with(widgets()))
	server.warm(t)
	server.serve(stock())
	resolver := New(server.connect())
	if _, err := resolver.Resolve(t.Context(), args("widgets")); err != nil {
		t.Fatalf("while cached: %v", err)
	}
	resolver.Refresh()
	_, err := resolver.Resolve(t.Context(), args("widgets"))
	if err == nil || err.Error() != `the server doesn't have a resource type "widgets"` {
		t.Errorf("after Refresh: %v", err)
	}
}

func TestUnreachableServerIsNotAnUnknownType(t *testing.T) {
	server := startAPIServer(t, stock())
	server.down = true
	_, err := New(server.connect()).Resolve(t.Context(), args("pods"))
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("pods, never heard of: %v", err)
	}
	server.down = false
	server.warm(t)
	server.down = true
	if _, err := New(server.connect()).Resolve(t.Context(), args("pods")); err != nil {
		t.Errorf("pods, known from the cache: %v", err)
	}
	server.asked()
	_, err = New(server.connect()).Resolve(t.Context(), args("nope.v1.example.com"))
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("nope: %v", err)
	}
	if asked := server.asked(); len(asked) != 1 {
		t.Errorf("nope: asked for %q, want one attempt", asked)
	}
}

func TestCancelledContextEndsDiscovery(t *testing.T) {
	server := startAPIServer(t, stock())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(server.connect()).Resolve(ctx, args("pods")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if asked := server.asked(); len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
}

// Cancelled in the midst of it, discovery calls every group a failed one.
func TestCancelledDiscoveryIsNotABrokenGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := &cancelledDiscovery{cancel: cancel}
	client.failed = map[schema.GroupVersion]error{{Version: "v1"}: context.Canceled}
	if _, err := New(connect(client)).Resolve(ctx, args("pods")); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

type cancelledDiscovery struct {
	fakeDiscovery
	cancel context.CancelFunc
}

func (c *cancelledDiscovery) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	c.cancel()
	return c.fakeDiscovery.ServerGroupsAndResources()
}

func TestDiscoveryThatFailsAltogetherKeepsItsError(t *testing.T) {
	refused := errors.New("You must be logged in to the server")
	client := &refusingDiscovery{err: refused}
	for _, req := range []Request{args("pods"), {Files: filesOf(t, podHere)}} {
		if _, err := New(connect(client)).Resolve(t.Context(), req); !errors.Is(err, refused) {
			t.Errorf("%v: error %v", req, err)
		}
	}
}

type refusingDiscovery struct {
	discovery.CachedDiscoveryInterface
	err error
}

func (r *refusingDiscovery) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return nil, nil, r.err
}
