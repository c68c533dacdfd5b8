package index

import (
	"fmt"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// few rows are checked in less time than the Indexer takes for another set.
const few = 64

// Select returns the rows that the query selects, in no order.
//
// The rows of one index are read from the Indexer, under one lock; every other
// condition is checked on those rows themselves, which never change. So the
// answer is what matched at one moment, whatever the informer does meanwhile,
// and costs as much as the sets of what is asked for are big, however many
// objects there are besides. A query that only says what an object must not have, or
// that it may be without a value, is checked on all: no set holds the answer.
func (b *Bound) Select(indexer toolscache.Indexer) []*cache.Row {
	candidates, answered := b.narrowest(indexer)
	rows := make([]*cache.Row, 0, len(candidates))
	for _, candidate := range candidates {
		if row, ok := candidate.(*cache.Row); ok && b.matchBut(row, answered) {
			rows = append(rows, row)
		}
	}
	return rows
}

// narrowest returns the smallest set of rows that holds the answer, of those
// looked at, and the condition it meets; all rows, and nil, where no index can serve.
func (b *Bound) narrowest(indexer toolscache.Indexer) (candidates []any, answered *condition) {
	for i := range b.conditions {
		c := &b.conditions[i]
		if !c.restricts || c.wantsNone {
			continue
		}
		found, err := indexer.Index(c.Name, wanted(c.wanted))
		if err != nil { // the Indexer does not keep this index
			continue
		}
		if answered == nil || len(found) < len(candidates) {
			candidates, answered = found, c
		}
		if len(candidates) <= few {
			break
		}
	}
	if answered == nil {
		return indexer.List(), nil
	}
	return candidates, answered
}

// Absent says of a field path or a user-defined index that no object of an
// Indexer that holds some has a value there: the path is wrong, or the objects
// are others than thought. It takes time in proportion to the number of values.
func Absent(indexer toolscache.Indexer, d Definition) bool {
	if !d.isPath || len(indexer.ListIndexFuncValues(d.Name)) > 0 {
		return false
	}
	_, err := indexer.ByIndex(d.Name, "")
	return err == nil && len(indexer.ListKeys()) > 0
}

// AbsenceNotice says that no object has a value in the index, and how paths are
// often mistaken.
func (d Definition) AbsenceNotice() string {
	what := d.Reads
	if d.Name != d.Reads {
		what = fmt.Sprintf("%s (index %q)", d.Reads, d.Name)
	}
	return fmt.Sprintf(`no object has a value at %s; write a dot within a key as \. and the elements of a list as [*]`, what)
}
