package cmd

import (
	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// counted are the indexes of --count-by for a type.
func (q *question) counted(t cache.Target, countBy string) ([]index.Definition, error) {
	names := index.SplitNames(countBy)
	definitions := make([]index.Definition, len(names))
	for i, name := range names {
		var err error
		if definitions[i], err = q.registry.Lookup(t, name); err != nil {
			return nil, err
		}
	}
	return definitions, nil
}

// counts is what --count-by has counted so far: the values of one index, or the
// combinations of several.
type counts struct {
	by           string
	objects      map[string]int
	combinations index.Combinations
}

func newCounts(by string) *counts { return &counts{by: by, objects: map[string]int{}} }

// addValues adds the values of one index.
func (c *counts) addValues(values []index.Count) {
	for _, value := range values {
		c.objects[value.Value] += value.Objects
	}
}

// addRows adds rows, of one index or of several.
func (c *counts) addRows(rows []*cache.Row, definitions []index.Definition) {
	if len(definitions) == 1 {
		c.addValues(index.CountRows(rows, definitions[0]))
		return
	}
	c.combinations.Add(rows, definitions)
}

// document is what is printed.
func (c *counts) document() printers.Counts {
	names := index.SplitNames(c.by)
	if len(names) == 1 {
		return printers.Counts{Index: c.by, Values: mostFirst(c.objects)}
	}
	document := printers.Counts{Indexes: names}
	for _, one := range c.combinations.MostFirst() {
		document.Combinations = append(document.Combinations, printers.Combination{Values: one.Values, Count: one.Objects})
	}
	return document
}
