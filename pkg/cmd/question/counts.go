package question

import (
	"cmp"
	"slices"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// FollowsOwners says whether one of the indexes reads the owners of objects.
func FollowsOwners(definitions []index.Definition) bool {
	return slices.ContainsFunc(definitions, func(d index.Definition) bool { return d.FollowsOwners })
}

// MostFirst are the values and how many objects have each, in the order in which they are printed.
func MostFirst(objects map[string]int) []printers.Count {
	counts := make([]printers.Count, 0, len(objects))
	for value, n := range objects {
		counts = append(counts, printers.Count{Value: value, Count: n})
	}
	slices.SortFunc(counts, func(a, b printers.Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return counts
}

// Counted are the indexes of --count-by for a type.
func (q *Question) Counted(t cache.Target, countBy string) ([]index.Definition, error) {
	names := index.SplitNames(countBy)
	definitions := make([]index.Definition, len(names))
	for i, name := range names {
		var err error
		if definitions[i], err = q.In(t).Registry.Lookup(t, name); err != nil {
			return nil, err
		}
	}
	return definitions, nil
}

// Counts is what --count-by has counted so far: the values of one index, or the
// combinations of several.
type Counts struct {
	by           string
	objects      map[string]int
	combinations index.Combinations
}

// NewCounts has counted nothing yet by the indexes that --count-by names.
func NewCounts(by string) *Counts { return &Counts{by: by, objects: map[string]int{}} }

// AddValues adds the values of one index.
func (c *Counts) AddValues(values []index.Count) {
	for _, value := range values {
		c.objects[value.Value] += value.Objects
	}
}

// AddRows adds rows, of one index or of several.
func (c *Counts) AddRows(rows []*cache.Row, definitions []index.Definition) {
	if len(definitions) == 1 {
		c.AddValues(index.CountRows(rows, definitions[0]))
		return
	}
	c.combinations.Add(rows, definitions)
}

// Document is what is printed.
func (c *Counts) Document() printers.Counts {
	names := index.SplitNames(c.by)
	if len(names) == 1 {
		return printers.Counts{Index: c.by, Values: MostFirst(c.objects)}
	}
	document := printers.Counts{Indexes: names}
	for _, one := range c.combinations.MostFirst() {
		document.Combinations = append(document.Combinations, printers.Combination{Values: one.Values, Count: one.Objects})
	}
	return document
}
