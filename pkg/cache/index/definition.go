package index

import (
	"slices"
	"sync/atomic"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Definition is one index of one type.
type Definition struct {
	// Name is the index name, also in the Indexer. A field path's name is the
	// path in one spelling, which starts with a dot.
	Name string
	// Reads says in words or in paths what of an object it reads.
	Reads string
	// Example is an expression for --by.
	Example string
	// Needs is the least representation that holds what it reads.
	Needs cache.Representation
	// Func gives the indexed values of a *cache.Row, sorted, each once. It never
	// fails: whatever it cannot read has no values.
	Func toolscache.IndexFunc
	// FollowsOwners says that the values depend on other objects, the owners of the
	// row. They change while the row does not: no Indexer keeps them, they are
	// computed whenever they are asked for.
	FollowsOwners bool

	compute func(*view) []string
	// canonical brings a value asked for into the form the index holds; nil
	// where that is the text itself.
	canonical func(string) string
	// alias says of a value that it is a second name of another one; nil if none is.
	alias func(string) bool
	// isPath marks what a user spelled: it may read what no object has.
	isPath bool
	// light marks indexes that read of metadata what is always kept: names, labels,
	// owners, finalizers.
	light bool
	// broad marks indexes whose values are each shared by many objects.
	broad bool
}

// wanted stands for any object that has one of these values. An Indexer asked
// for what shares a value with it reads all their sets under one lock.
type wanted []string

// writes asks an Indexer how often it has called an index function for a row,
// which it does whenever it writes one.
type writes struct{ count uint64 }

// define completes a definition with its index function.
func define(d Definition) Definition {
	read := d.compute
	var written atomic.Uint64
	d.compute = func(v *view) []string {
		values := read(v)
		slices.Sort(values)
		return slices.Compact(values)
	}
	d.Func = func(object any) ([]string, error) {
		switch object := object.(type) {
		case wanted:
			return object, nil
		case *writes:
			object.count = written.Load()
			return nil, nil
		case *cache.Row:
			written.Add(1)
			return d.Values(object), nil
		}
		return nil, nil
	}
	return d
}

// Values returns the values that the row has in the index, sorted, each once.
func (d Definition) Values(row *cache.Row) []string {
	if values, ok := row.IndexedValues(d.Name); ok {
		return values
	}
	return d.compute(&view{row: row})
}

// Indexers returns the index functions by name, as an Indexer takes them.
func Indexers(definitions ...Definition) toolscache.Indexers {
	indexers := make(toolscache.Indexers, len(definitions))
	for _, d := range definitions {
		if !d.FollowsOwners {
			indexers[d.Name] = d.Func
		}
	}
	return indexers
}

// Transform returns a function that computes the values of those definitions
// that read more than names, labels, owners and finalizers, once, before a row
// enters the cache. Their index functions, which an Indexer calls again when an
// object is updated or deleted, then only look the values up, and the row's Body
// and annotations may be dropped if nothing else reads them. Calling it twice for one row is the same as once.
func Transform(definitions ...Definition) toolscache.TransformFunc {
	return func(object any) (any, error) {
		row, ok := object.(*cache.Row)
		if !ok {
			return object, nil
		}
		v := &view{row: row}
		for _, d := range definitions {
			if _, done := row.IndexedValues(d.Name); !done && !d.light && !d.FollowsOwners {
				row.AddIndexedValues(cache.IndexedValues{Name: d.Name, Values: d.compute(v)})
			}
		}
		return row, nil
	}
}
