package index

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

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

// betweenSets is an Indexer in which something is written after each set is read.
type betweenSets struct {
	toolscache.Indexer
	write func()
}

func (b betweenSets) ByIndex(name, value string) ([]any, error) {
	rows, err := b.Indexer.ByIndex(name, value)
	b.write()
	return rows, err
}

func (b betweenSets) IndexKeys(name, value string) ([]string, error) {
	keys, err := b.Indexer.IndexKeys(name, value)
	b.write()
	return keys, err
}

// movedPods are 500 pods that are moved from node to node between any two sets.
// There is always one on each node but the 499 others' own.
func movedPods(t *testing.T, d Definition, moves int) betweenSets {
	t.Helper()
	indexer := indexerOf(t, Indexers(d))
	const pods = 500
	node := func(n int) string { return fmt.Sprint("n", n%50) }
	for n := range pods {
		if err := indexer.Add(pod(fmt.Sprint("p", n), node(n), "Running")); err != nil {
			t.Fatal(err)
		}
	}
	moved := 0
	return betweenSets{indexer, func() {
		if moved++; moved > moves {
			return
		}
		if err := indexer.Update(pod(fmt.Sprint("p", moved%pods), node(moved*7), "Running")); err != nil {
			t.Error(err)
		}
	}}
}

// Each pod has one node all the time, whatever it is.
func TestCountsAreOfOneMoment(t *testing.T) {
	d := mustLookup(t, podTarget(), "node")
	for _, moves := range []int{0, 1, 40, 70, 130, 1 << 30} {
		indexer := movedPods(t, d, moves)
		for range 10 {
			sum := 0
			for _, count := range Counts(indexer, d) {
				sum += count.Objects
			}
			if sum != 500 {
				t.Errorf("%d moves: 500 pods are counted as %d", moves, sum)
			}
		}
		indexer.write = func() {}
		if got, want := Counts(indexer, d), CountRows(rowsIn(indexer), d); !slices.Equal(got, want) {
			t.Errorf("%d moves: %v, want %v", moves, got, want)
		}
	}
}

func TestCountsDuringARelistThatFindsNothingAreNone(t *testing.T) {
	d := mustLookup(t, podTarget(), "node")
	indexer := movedPods(t, d, 0)
	indexer.write = func() {
		if err := indexer.Replace(nil, "9"); err != nil {
			t.Error(err)
		}
	}
	if got := Counts(indexer, d); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestCountsWhileOthersWrite(t *testing.T) {
	d := mustLookup(t, podTarget(), "node")
	indexer := movedPods(t, d, 0).Indexer
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				_ = indexer.Update(pod(fmt.Sprint("p", n%500), fmt.Sprint("n", n%37), "Running"))
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	for range 100 {
		sum := 0
		for _, count := range Counts(indexer, d) {
			sum += count.Objects
		}
		if sum != 500 {
			t.Fatalf("500 pods are counted as %d", sum)
		}
	}
}
