package index

import (
	"fmt"
	"testing"

	toolscache "k8s.io/client-go/tools/cache"
)

// crowd is ten pods on the wanted node, and others elsewhere.
func crowd(t *testing.T, bound *Bound, others int) toolscache.Indexer {
	t.Helper()
	indexer := indexerOf(t, bound.Indexers())
	for n := range 10 + others {
		node := "elsewhere"
		if n < 10 {
			node = "wanted"
		}
		if err := indexer.Add(pod(fmt.Sprint("p", n), node, "Running", "nginx")); err != nil {
			t.Fatal(err)
		}
	}
	return indexer
}

func TestAnswerCostsNothingForObjectsThatDoNotMatch(t *testing.T) {
	bound := mustBind(t, podTarget(), "node=wanted", "phase=Running")
	allocated := func(others int) float64 {
		indexer := crowd(t, bound, others)
		return testing.AllocsPerRun(20, func() {
			if rows := bound.Select(indexer); len(rows) != 10 {
				t.Fatalf("%d rows", len(rows))
			}
		})
	}
	if few, many := allocated(10), allocated(3000); many > few {
		t.Errorf("%v allocations beside 10 other pods, %v beside 3000", few, many)
	}
}
