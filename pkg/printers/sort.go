package printers

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// Sorter puts rows into the order that --sort-by asks for.
type Sorter struct {
	keys []sortKey
	// seen is true once there was an object to sort.
	seen bool
}

type sortKey struct {
	text       string
	descending bool
	path       *fieldpath.Expression
	// found is true once an object had the field.
	found bool
}

// Sorter returns the sorter for the flags, which may have nothing to sort by.
func (f *Flags) Sorter() (*Sorter, error) {
	s := &Sorter{}
	for _, expression := range f.SortBy {
		expression, descending := strings.CutPrefix(expression, "-")
		if expression == "" {
			continue
		}
		text, err := get.RelaxedJSONPathExpression(expression)
		if err != nil {
			text = expression
		}
		path, err := fieldpath.ParseExpression(text)
		if err != nil {
			return nil, fmt.Errorf("sorting error: %v", err)
		}
		s.keys = append(s.keys, sortKey{text: text, descending: descending, path: path})
	}
	return s, nil
}

// Active says whether there is anything to sort by.
func (s *Sorter) Active() bool { return len(s.keys) > 0 }

// Sort returns rows in order, leaving the slice it is given alone. An object
// without the field, or with null in it, comes last. The error names a field
// that has no order, such as a map.
func (s *Sorter) Sort(rows []*cache.Row) ([]*cache.Row, error) {
	if !s.Active() || len(rows) == 0 {
		return rows, nil
	}
	s.seen = true
	order := &rowOrder{keys: s.keys, rows: slices.Clone(rows), values: make([][]sortValue, len(rows))}
	for i, row := range rows {
		values, err := s.values(row)
		if err != nil && len(rows) > 1 {
			return nil, err
		}
		order.values[i] = values
	}
	if len(s.keys) == 1 && !s.keys[0].descending {
		// kubectl's own algorithm, so that ties fall as they do there.
		sort.Sort(order)
	} else {
		sort.Stable(order)
	}
	return order.rows, nil
}

// Unfound are the paths that none of the objects sorted so far has.
func (s *Sorter) Unfound() []string {
	var paths []string
	for _, key := range s.keys {
		if s.seen && !key.found {
			paths = append(paths, key.text)
		}
	}
	return paths
}

// needs is what the keys read of an object.
func (s *Sorter) needs() cache.Representation {
	need := cache.Metadata
	for _, key := range s.keys {
		need |= key.path.Needs()
	}
	return need
}

// values are the row's sort keys. Like kubectl, a key is the first value that
// its expression finds.
func (s *Sorter) values(row *cache.Row) ([]sortValue, error) {
	object, err := printable(row, true)
	if err != nil {
		return nil, err
	}
	values := make([]sortValue, len(s.keys))
	for i := range s.keys {
		key := &s.keys[i]
		found, err := key.path.Find(object.Object)
		if err != nil || len(found) == 0 {
			continue
		}
		key.found = true
		values[i], err = newSortValue(found[0])
		if err != nil {
			return nil, fmt.Errorf("--sort-by: field %s of %s cannot be sorted by: %w", key.text, objectName(row), err)
		}
	}
	return values, nil
}

// rowOrder is a sort.Interface over rows and their sort keys.
type rowOrder struct {
	keys   []sortKey
	rows   []*cache.Row
	values [][]sortValue
}

func (o *rowOrder) Len() int { return len(o.rows) }

func (o *rowOrder) Swap(i, j int) {
	o.rows[i], o.rows[j] = o.rows[j], o.rows[i]
	o.values[i], o.values[j] = o.values[j], o.values[i]
}

func (o *rowOrder) Less(i, j int) bool { return compareKeys(o.keys, o.values[i], o.values[j]) < 0 }

// compareKeys returns -1, 0 or 1. What has no value comes last in either direction.
func compareKeys(keys []sortKey, a, b []sortValue) int {
	for k := range keys {
		a, b := a[k], b[k]
		if a.rank == missing || b.rank == missing {
			if a.rank == b.rank {
				continue
			}
			if b.rank == missing {
				return -1
			}
			return 1
		}
		if c := a.compare(b); c != 0 {
			if keys[k].descending {
				return -c
			}
			return c
		}
	}
	return 0
}

// RowKey is what one row is sorted by.
type RowKey struct{ values []sortValue }

// Key works out what a row is sorted by, for who keeps rows in order one by one. The
// error is that of Sort.
func (s *Sorter) Key(row *cache.Row) (RowKey, error) {
	s.seen = true
	if !s.needs().Has(cache.Whole) && row.Body != nil {
		bare := *row
		bare.Body = nil // which need not be decoded
		row = &bare
	}
	values, err := s.values(row)
	return RowKey{values}, err
}

// Compare compares what Key returned for two rows. A row without key comes last.
func (s *Sorter) Compare(a, b RowKey) int {
	if a.values == nil || b.values == nil {
		return cmp.Compare(len(b.values), len(a.values))
	}
	return compareKeys(s.keys, a.values, b.values)
}
