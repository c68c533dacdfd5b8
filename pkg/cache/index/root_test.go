package index

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// family knows who controls whom, by KIND/NAME.
type family map[string]string

func (f family) ControllerOf(_ string, owner metav1.OwnerReference) *metav1.OwnerReference {
	if controller, ok := f[owner.Kind+"/"+owner.Name]; ok {
		return reference(controller)
	}
	return nil
}

func reference(owner string) *metav1.OwnerReference {
	kind, name, _ := strings.Cut(owner, "/")
	yes := true
	return &metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID("uid-of-" + name), Controller: &yes}
}

func controlled(name, controller string) *cache.Row {
	row := &cache.Row{}
	row.Kind, row.Name, row.UID = "Pod", name, types.UID("uid-of-"+name)
	if controller != "" {
		row.OwnerReferences = []metav1.OwnerReference{{Kind: "ConfigMap", Name: "bystander", UID: "b"}, *reference(controller)}
	}
	return row
}

func TestTheRootIsTheTopOfTheChainOfControllers(t *testing.T) {
	owners := family{"ReplicaSet/web-1": "Deployment/web", "Job/a": "CronJob/nightly", "Ring/a": "Ring/b", "Ring/b": "Ring/a"}
	for controller, want := range map[string]string{
		"":                 "Pod/p uid-of-p",
		"ReplicaSet/web-1": "Deployment.apps/web Deployment/web uid-of-web",
		"Job/a":            "CronJob.apps/nightly CronJob/nightly uid-of-nightly",
		"StatefulSet/db":   "StatefulSet.apps/db StatefulSet/db uid-of-db",
		"ReplicaSet/gone":  "ReplicaSet.apps/gone ReplicaSet/gone uid-of-gone",
	} {
		d, err := mustRegistry(t).WithOwners(owners).Lookup(cache.Target{}, "root")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(d.Values(controlled("p", controller)), " "); got != want {
			t.Errorf("%s: got %q, want %q", controller, got, want)
		}
		ring := d.Values(controlled("p", "Ring/a"))
		if len(ring) == 0 || !strings.HasPrefix(ring[0], "Ring.apps/") {
			t.Errorf("references in a circle: got %q", ring)
		}
	}
}

func TestARootFollowsItsOwnersWhileTheRowStaysAsItIs(t *testing.T) {
	owners := family{}
	registry := mustRegistry(t).WithOwners(owners)
	query, err := ParseQuery([]string{"root=Deployment/web"})
	if err != nil {
		t.Fatal(err)
	}
	bound, err := query.Bind(registry, cache.Target{})
	if err != nil {
		t.Fatal(err)
	}
	indexer := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, bound.Indexers())
	row := controlled("p", "ReplicaSet/web-1")
	if _, err := Transform(bound.Definitions()...)(row); err != nil {
		t.Fatal(err)
	}
	if err := indexer.Add(row); err != nil {
		t.Fatal(err)
	}
	if got := bound.Select(indexer); len(got) != 0 || !bound.FollowsOwners() {
		t.Errorf("the owner is not known, got %v", got)
	}
	owners["ReplicaSet/web-1"] = "Deployment/web"
	if got := bound.Select(indexer); len(got) != 1 {
		t.Errorf("the owner is known, got %v", got)
	}
	d := bound.Definitions()[0]
	if got := Counts(indexer, d); !slices.Equal(got, []Count{{Value: "Deployment/web", Objects: 1}}) {
		t.Errorf("counts: %v", got)
	}
}

func TestAPredicateNarrowsAQuery(t *testing.T) {
	bound := mustBind(t, cache.Target{}, "name=a", "name=b")
	bound.And(func(row *cache.Row) bool { return row.Name != "a" })
	if bound.Match(controlled("a", "")) || !bound.Match(controlled("b", "")) {
		t.Error("the predicate does not decide")
	}
}
