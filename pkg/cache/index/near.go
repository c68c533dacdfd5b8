package index

import (
	"slices"
	"strings"
	"unicode/utf8"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Asked is what a query asks of one index.
type Asked struct {
	Definition
	// Values are those one of which an object must have; none where the query does
	// not say, or where it refers to an object without values.
	Values []string
	// None says that objects without a value are asked for.
	None bool
	// Restricts says that the query asks for something to be there, or for None.
	Restricts bool
}

// Asked returns what the query asks, an index at a time.
func (b *Bound) Asked() []Asked {
	asked := make([]Asked, len(b.conditions))
	for i, c := range b.conditions {
		asked[i] = Asked{Definition: c.Definition, Values: c.wanted, None: c.wantsNone, Restricts: c.restricts}
	}
	return asked
}

// IsPath says whether the user has spelled what the index reads.
func (d Definition) IsPath() bool { return d.isPath }

// Near returns those of the values that may have been meant: they differ from what
// was asked for in case, in ':' for '=', or in one edit.
func Near(asked string, values []string) []string {
	near := func(value string) bool {
		a, b := folded(asked), folded(value)
		return a == b || utf8.RuneCountInString(a) > 2 && isOneEdit([]rune(a), []rune(b))
	}
	return slices.DeleteFunc(slices.Clone(values), func(value string) bool { return !near(value) })
}

func folded(value string) string { return strings.ToLower(strings.ReplaceAll(value, ":", "=")) }

// isOneEdit says whether one character more, less or other makes b of a.
func isOneEdit(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	same := 0
	for same < len(a) && a[same] == b[same] {
		same++
	}
	if len(a) == len(b) {
		return same < len(a) && slices.Equal(a[same+1:], b[same+1:])
	}
	return slices.Equal(a[same:], b[same+1:])
}

// Held says whether an object of the Indexer has one of the values.
func (a Asked) Held(indexer toolscache.Indexer) bool {
	if rows, err := indexer.Index(a.Name, wanted(a.Values)); err == nil {
		return len(rows) > 0
	}
	return slices.ContainsFunc(rowsIn(indexer), func(row *cache.Row) bool {
		return slices.ContainsFunc(a.Definition.Values(row), func(value string) bool { return slices.Contains(a.Values, value) })
	})
}
