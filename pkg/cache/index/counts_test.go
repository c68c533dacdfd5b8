package index

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestCountsAreMostFirstThenInOrderOfValue(t *testing.T) {
	rows := []*cache.Row{
		pod("a", "n2", "Running", "nginx", "nginx"),
		pod("b", "n2", "Running", "redis", "nginx"),
		pod("c", "n3", "Running"),
		pod("d", "n1", "Running"),
		pod("e", "", "Pending"),
	}
	for name, want := range map[string][]Count{
		"node":  {{"n2", 2}, {"n1", 1}, {"n3", 1}},
		"image": {{"nginx", 2}, {"redis", 1}},
		"phase": {{"Running", 4}, {"Pending", 1}},
		"pvc":   {},
	} {
		d := mustLookup(t, podTarget(), name)
		if got := Counts(indexerOf(t, Indexers(d), rows...), d); !slices.Equal(got, want) {
			t.Errorf("%s of the Indexer: %v", name, got)
		}
		if got := CountRows(rows, d); !slices.Equal(got, want) {
			t.Errorf("%s of the rows: %v", name, got)
		}
	}
}

func TestSelectedRowsAreCountedAlone(t *testing.T) {
	b := mustBind(t, podTarget(), "phase=Running")
	indexer := indexerOf(t, b.Indexers(), pod("a", "n1", "Running"), pod("b", "n1", "Pending"), pod("c", "n2", "Running"))
	want := []Count{{"n1", 1}, {"n2", 1}}
	if got := CountRows(b.Select(indexer), mustLookup(t, podTarget(), "node")); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// An owner can be asked for by its uid, which is no second owner to be counted.
func TestAnOwnerIsCountedOnce(t *testing.T) {
	row := pod("a", "", "")
	row.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", UID: "77aa"}}
	d := mustLookup(t, podTarget(), "owner")
	want := []Count{{"ReplicaSet/web", 1}}
	if got := CountRows([]*cache.Row{row}, d); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := Counts(indexerOf(t, Indexers(d), row), d); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if !mustBind(t, podTarget(), "owner=77aa").Match(row) {
		t.Error("it cannot be asked for by its uid")
	}
}
