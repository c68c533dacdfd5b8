package related

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// object makes a row; its controller is KIND/NAME, or empty for none. Uids are
// names with a prefix.
func object(kind, name, controller string) *cache.Row {
	row := &cache.Row{}
	row.APIVersion, row.Kind = "apps/v1", kind
	row.Namespace, row.Name, row.UID = "ns", name, types.UID("uid-"+name)
	if kind, name, controlled := strings.Cut(controller, "/"); controlled {
		yes := true
		row.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID("uid-" + name), Controller: &yes}}
	}
	return row
}

// fakeCluster has types under a test's control.
type fakeCluster struct {
	sources  map[string]*fakeSource
	reported []string
	started  []string
}

// fakeSource is one type: what it lists, and the watch that it serves.
type fakeSource struct {
	rows   []*cache.Row
	denied bool
	stream *watch.FakeWatcher
}

var errDenied = errors.New("forbidden")

func (s *fakeSource) ListWithContext(context.Context, metav1.ListOptions) (runtime.Object, error) {
	if s.denied {
		return nil, errDenied
	}
	list := &cache.RowList{Items: s.rows}
	list.ResourceVersion = "1"
	return list.DeepCopyObject(), nil
}

func (s *fakeSource) WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error) {
	s.stream = watch.NewFakeWithChanSize(10, false)
	return s.stream, nil
}

func (s *fakeSource) Diagnose(error) guard.Diagnosis {
	return guard.Diagnosis{Fault: cache.Denied, Authoritative: true}
}
func (s *fakeSource) Reached() bool                                         { return true }
func (s *fakeSource) Served(context.Context) (bool, error)                  { return true, nil }
func (s *fakeSource) LatestResourceVersion(context.Context) (string, error) { return "", nil }

func (c *fakeCluster) Find(_ context.Context, resource, namespace string) ([]cache.Target, error) {
	kind, group, _ := strings.Cut(resource, ".")
	if c.sources[kind] == nil {
		return nil, fmt.Errorf("no type %s in %s", kind, group)
	}
	return []cache.Target{targetOf(kind, namespace)}, nil
}

func targetOf(kind, namespace string) cache.Target {
	return cache.Target{
		Kind:     schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: kind},
		Resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: strings.ToLower(kind) + "s"}, Namespaced: true, Namespace: namespace,
	}
}

func (c *fakeCluster) Start(ctx context.Context, specs []Spec) (*informer.Group, *informer.Queue, error) {
	var informers []informer.Spec
	for _, spec := range specs {
		c.started = append(c.started, spec.Target.Kind.Kind)
		informers = append(informers, informer.Spec{
			Target: spec.Target, Source: c.sources[spec.Target.Kind.Kind], Indexers: index.Indexers(spec.Indexes...),
			Transform: func(row *cache.Row) { _, _ = index.Transform(spec.Indexes...)(row) },
		})
	}
	queue := informer.NewQueue(0)
	group, err := informer.Start(ctx, informers, informer.Options{Events: queue, Objects: true})
	if err != nil {
		return nil, nil, err
	}
	return group, queue, group.WaitSettled(ctx)
}

func (c *fakeCluster) Report(event cache.Event) { c.reported = append(c.reported, string(event.Type)) }

func rootOf(t *testing.T, owners *Owners, row *cache.Row) string {
	t.Helper()
	registry, err := index.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := owners.Follow(t.Context(), "ns", row); err != nil {
		t.Fatal(err)
	}
	root, err := registry.WithOwners(owners).Lookup(cache.Target{}, "root")
	if err != nil {
		t.Fatal(err)
	}
	values := root.Values(row)
	for _, value := range values {
		if kind, _, named := strings.Cut(value, "/"); named && !strings.Contains(kind, ".") {
			return value
		}
	}
	t.Fatalf("no root among %q", values)
	return ""
}

func TestTypesAreFollowedAsTheChainNeedsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fakeCluster{sources: map[string]*fakeSource{
			"ReplicaSet": {rows: []*cache.Row{object("ReplicaSet", "web-1", "Deployment/web"), object("ReplicaSet", "bare", "")}},
			"Deployment": {rows: []*cache.Row{object("Deployment", "web", "")}},
			"Secretive":  {denied: true},
		}}
		var ends []string
		owners := NewOwners(c, func(kind schema.GroupVersionKind, err error) { ends = append(ends, kind.Kind+": "+err.Error()) })
		defer owners.Close()
		for _, step := range []struct{ controller, root, started string }{
			{"", "Pod/p", ""},
			{"ReplicaSet/bare", "ReplicaSet/bare", "ReplicaSet"},
			{"ReplicaSet/web-1", "Deployment/web", "ReplicaSet Deployment"},
			{"ReplicaSet/gone", "ReplicaSet/gone", "ReplicaSet Deployment"},
			{"Secretive/x", "Secretive/x", "ReplicaSet Deployment Secretive"},
			{"Secretive/y", "Secretive/y", "ReplicaSet Deployment Secretive"},
			{"Unheard/x", "Unheard/x", "ReplicaSet Deployment Secretive"},
		} {
			if got := rootOf(t, owners, object("Pod", "p", step.controller)); got != step.root {
				t.Errorf("%s: got %s, want %s", step.controller, got, step.root)
			}
			if got := strings.Join(c.started, " "); got != step.started {
				t.Errorf("%s: started %s, want %s", step.controller, got, step.started)
			}
		}
		if got := strings.Join(ends, "; "); got != "Secretive: forbidden; Unheard: no type Unheard in v1.apps" {
			t.Errorf("chains end at %s", got)
		}
	})
}

// Objects are deleted after what controls them: by then they belong to nobody, and
// left a stream before its reader was told that they are gone.
func TestAnObjectKeepsItsRootWhenItsOwnersAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sets := &fakeSource{rows: []*cache.Row{object("ReplicaSet", "web-1", "Deployment/web")}}
		c := &fakeCluster{sources: map[string]*fakeSource{"ReplicaSet": sets, "Deployment": {}}}
		owners := NewOwners(c, func(schema.GroupVersionKind, error) {})
		defer owners.Close()
		pod := object("Pod", "p", "ReplicaSet/web-1")
		if got := rootOf(t, owners, pod); got != "Deployment/web" {
			t.Fatalf("got %s", got)
		}
		synctest.Wait()
		sets.stream.Delete(object("ReplicaSet", "web-1", "Deployment/web"))
		synctest.Wait()
		if got := rootOf(t, owners, pod); got != "Deployment/web" {
			t.Errorf("after the deletion: got %s", got)
		}
		if len(c.reported) > 0 {
			t.Errorf("nothing has changed, and %v was reported", c.reported)
		}
	})
}

func TestAnOwnerThatComesLaterIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sets := &fakeSource{}
		c := &fakeCluster{sources: map[string]*fakeSource{"ReplicaSet": sets, "Deployment": {}}}
		owners := NewOwners(c, func(schema.GroupVersionKind, error) {})
		defer owners.Close()
		pod := object("Pod", "p", "ReplicaSet/web-1")
		if got := rootOf(t, owners, pod); got != "ReplicaSet/web-1" {
			t.Fatalf("got %s", got)
		}
		synctest.Wait()
		sets.stream.Add(object("ReplicaSet", "web-1", ""))
		synctest.Wait()
		resized := object("ReplicaSet", "web-1", "")
		resized.ResourceVersion = "3"
		sets.stream.Modify(resized)
		synctest.Wait()
		adopted := object("ReplicaSet", "web-1", "Deployment/web")
		adopted.ResourceVersion = "4"
		sets.stream.Modify(adopted)
		synctest.Wait()
		if got := strings.Join(c.reported, " "); got != "RECONSIDER RECONSIDER" {
			t.Errorf("reported %q: an add and an adoption matter, and nothing else", got)
		}
		if got := rootOf(t, owners, pod); got != "Deployment/web" {
			t.Errorf("got %s", got)
		}
	})
}

// user is a pod that mounts a Secret.
func user(name, secret, resourceVersion string) *cache.Row {
	row := object("Pod", name, "")
	row.APIVersion, row.ResourceVersion = "v1", resourceVersion
	volume := map[string]any{"name": "v", "secret": map[string]any{"secretName": secret}}
	row.Body = cache.MapBody{"spec": map[string]any{"volumes": []any{volume}}}
	return row
}

func TestUsesAreKnownWhileTheyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := &fakeSource{rows: []*cache.Row{user("a", "tls", "1")}}
		c := &fakeCluster{sources: map[string]*fakeSource{"Pod": pods}}
		users := NewUsers(c)
		defer users.Close()
		target := targetOf("Pod", "ns")
		target.Kind.Group, target.Resource.Group = "", ""
		secrets := targetOf("Secret", "ns")
		secrets.Kind.Group = ""
		uses, err := index.Uses(target, secrets)
		if err != nil {
			t.Fatal(err)
		}
		specs := []Spec{{target, []index.Definition{uses}}}
		for range 2 {
			if err := users.Know(t.Context(), specs); err != nil {
				t.Fatal(err)
			}
		}
		used := func(want string) {
			t.Helper()
			synctest.Wait()
			got := ""
			for _, name := range []string{"tls", "other"} {
				if users.Use(target, uses, object("Secret", name, "")) {
					got += name + " "
				}
			}
			elsewhere := object("Secret", "tls", "")
			elsewhere.Namespace = "elsewhere"
			if users.Use(target, uses, elsewhere) {
				got += "a namesake"
			}
			if got != want {
				t.Errorf("used: %q, want %q", got, want)
			}
		}
		used("tls ")
		pods.stream.Modify(user("a", "tls", "2"))
		used("tls ")
		if len(c.reported) > 0 {
			t.Errorf("a change of no use was reported: %v", c.reported)
		}
		pods.stream.Add(user("b", "other", "3"))
		used("tls other ")
		pods.stream.Delete(user("a", "tls", "4"))
		used("other ")
		if got := strings.Join(c.reported, " "); got != "RECONSIDER RECONSIDER" {
			t.Errorf("reported %q", got)
		}
		if len(c.started) != 1 {
			t.Errorf("started %v", c.started)
		}
	})
}

func TestATypeThatCannotBeReadUsesNobodyKnowsWhat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := &fakeSource{denied: true}
		users := NewUsers(&fakeCluster{sources: map[string]*fakeSource{"Pod": pods}})
		defer users.Close()
		specs := []Spec{{targetOf("Pod", "ns"), []index.Definition{{Name: "uses secret"}}}}
		if err := users.Know(t.Context(), specs); !errors.Is(err, errDenied) {
			t.Errorf("got %v", err)
		}
		pods.denied = false
		if err := users.Know(t.Context(), specs); err != nil {
			t.Errorf("when it is asked again: %v", err)
		}
	})
}
