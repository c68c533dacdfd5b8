package index

import (
	"cmp"
	"slices"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Count is an indexed value and how many objects have it.
type Count struct {
	Value   string `json:"value"`
	Objects int    `json:"objects"`
}

// Counts counts all objects of an Indexer that keeps the index, from the
// index's sets alone: most first, then in the order of the values. The sets are
// read one after another; CountRows of selected rows is of one moment.
func Counts(indexer toolscache.Indexer, d Definition) []Count {
	objects := map[string]int{}
	for _, value := range indexer.ListIndexFuncValues(d.Name) {
		if found, err := indexer.ByIndex(d.Name, value); err == nil {
			objects[value] = len(found)
		}
	}
	return d.sorted(objects)
}

// CountRows counts rows, in the order of Counts.
func CountRows(rows []*cache.Row, d Definition) []Count {
	objects := map[string]int{}
	for _, row := range rows {
		for _, value := range d.Values(row) {
			objects[value]++
		}
	}
	return d.sorted(objects)
}

// sorted leaves out second names, which would count an object twice.
func (d Definition) sorted(objects map[string]int) []Count {
	counts := make([]Count, 0, len(objects))
	for value, n := range objects {
		if n > 0 && (d.alias == nil || !d.alias(value)) {
			counts = append(counts, Count{Value: value, Objects: n})
		}
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(a.Value, b.Value))
	})
	return counts
}
