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

// maxReads is how often the sets are read in vain before the rows are counted.
const maxReads = 3

// Counts counts all objects of an Indexer that keeps the index: most first, then
// in the order of the values. The counts are of one moment.
//
// The Indexer gives each set under a lock of its own. The sets belong together
// where nothing was written between the first and the last, which is read again
// otherwise; an Indexer that is written all the time has its rows counted.
func Counts(indexer toolscache.Indexer, d Definition) []Count {
	for range maxReads {
		before, kept := d.writes(indexer)
		if !kept {
			return CountRows(rowsIn(indexer), d)
		}
		objects := map[string]int{}
		for _, value := range indexer.ListIndexFuncValues(d.Name) {
			// The keys alone: the Indexer would look each row up.
			if keys, err := indexer.IndexKeys(d.Name, value); err == nil {
				objects[value] = len(keys)
			}
		}
		// A Replace by nothing calls no index function: it leaves no value either.
		if len(indexer.ListIndexFuncValues(d.Name)) == 0 {
			return nil
		}
		if after, _ := d.writes(indexer); after == before {
			return d.sorted(objects)
		}
	}
	return d.countWritten(indexer)
}

// writes is how often the index was written; kept says whether the Indexer keeps
// it at all.
func (d Definition) writes(indexer toolscache.Indexer) (count uint64, kept bool) {
	w := &writes{}
	_, err := indexer.Index(d.Name, w)
	return w.count, err == nil
}

// sets are the rows of each value, as they are when their set is read.
func (d Definition) sets(indexer toolscache.Indexer) map[string][]any {
	values := indexer.ListIndexFuncValues(d.Name)
	sets := make(map[string][]any, len(values))
	for _, value := range values {
		if rows, err := indexer.ByIndex(d.Name, value); err == nil {
			sets[value] = rows
		}
	}
	return sets
}

// countWritten counts the rows of an Indexer that is written all the time. Rows
// never change: one that was there before and after the sets were read was in
// each of its sets. Only the others have their values computed, for which the
// whole object may have to be decoded.
func (d Definition) countWritten(indexer toolscache.Indexer) []Count {
	rows := rowsIn(indexer)
	stayed := make(map[*cache.Row]bool, len(rows)) // once it was there after the sets too
	for _, row := range rows {
		stayed[row] = false
	}
	sets := d.sets(indexer)
	var others []*cache.Row
	for _, row := range rowsIn(indexer) {
		if _, before := stayed[row]; before {
			stayed[row] = true
		} else {
			others = append(others, row)
		}
	}
	objects := d.count(others)
	for value, rows := range sets {
		for _, object := range rows {
			if row, ok := object.(*cache.Row); ok && stayed[row] {
				objects[value]++
			}
		}
	}
	return d.sorted(objects)
}

func rowsIn(indexer toolscache.Indexer) []*cache.Row {
	objects := indexer.List()
	rows := make([]*cache.Row, 0, len(objects))
	for _, object := range objects {
		if row, ok := object.(*cache.Row); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// CountRows counts rows, in the order of Counts.
func CountRows(rows []*cache.Row, d Definition) []Count { return d.sorted(d.count(rows)) }

func (d Definition) count(rows []*cache.Row) map[string]int {
	objects := map[string]int{}
	for _, row := range rows {
		for _, value := range d.Values(row) {
			objects[value]++
		}
	}
	return objects
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
