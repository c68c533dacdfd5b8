package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// Combination is values of several indexes, one of each, and how many objects have
// all of them.
type Combination struct {
	Values  []string
	Objects int
}

// SplitNames parts the names of several indexes, which commas separate. A comma in
// the brackets or braces of a path, or escaped, is part of the path.
func SplitNames(names string) []string {
	var parts []string
	begin := 0
	for i := 0; i < len(names); i++ {
		switch names[i] {
		case ',':
			parts = append(parts, names[begin:i])
			begin = i + 1
		case '\\':
			i++
		case '[', '{':
			i = fieldpath.Bracketed(names, i) - 1
		}
	}
	return append(parts, names[begin:])
}

// Combinations counts which values occur together, over the rows of any types: most
// first, then in the order of the values.
type Combinations struct{ counted map[string]*Combination }

// Add counts rows, in the indexes of their type. An object that has several values in
// one index counts for each; one that has none in some index for none.
func (c *Combinations) Add(rows []*cache.Row, definitions []Definition) {
	if c.counted == nil {
		c.counted = map[string]*Combination{}
	}
	for _, row := range rows {
		for _, values := range Together(row, definitions) {
			key := keyOf(values)
			if c.counted[key] == nil {
				c.counted[key] = &Combination{Values: values}
			}
			c.counted[key].Objects++
		}
	}
}

// Together returns each choice of a value of each index that the row has. Second names
// are left out.
func Together(row *cache.Row, definitions []Definition) [][]string {
	choices := [][]string{nil}
	for _, d := range definitions {
		var longer [][]string
		for _, value := range d.Values(row) {
			if d.alias != nil && d.alias(value) {
				continue
			}
			for _, choice := range choices {
				longer = append(longer, append(slices.Clone(choice), value))
			}
		}
		choices = longer
	}
	return choices
}

// keyOf tells lists of values apart, whatever the values hold.
func keyOf(values []string) string {
	var key strings.Builder
	for _, value := range values {
		key.WriteString(strings.ReplaceAll(value, "\\", `\\`))
		key.WriteString(`\,`)
	}
	return key.String()
}

// MostFirst returns what was counted.
func (c *Combinations) MostFirst() []Combination {
	all := make([]Combination, 0, len(c.counted))
	for _, one := range c.counted {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Combination) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), slices.Compare(a.Values, b.Values))
	})
	return all
}
