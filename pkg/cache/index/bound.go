package index

import (
	"fmt"
	"slices"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Bound is a Query that is bound to one type: it knows which indexes serve it.
type Bound struct {
	conditions []condition
	// also are conditions that no index answers.
	also []func(*cache.Row) bool
}

// condition is all that a query asks of one index.
type condition struct {
	Definition
	// restricts says that an object must have one of wanted. A reference to an
	// object without values leaves wanted empty: then no object has.
	restricts        bool
	wanted, unwanted []string
	// wantsNone and unwantsNone count objects without values among those wanted,
	// and unwanted.
	wantsNone, unwantsNone bool
}

// Bind finds the indexes of a query among those that the type can have. All
// references must have been resolved.
func (q Query) Bind(r *Registry, t cache.Target) (*Bound, error) {
	b := &Bound{}
	for _, term := range q.terms {
		if term.reference != nil {
			return nil, fmt.Errorf("%s has not been looked up", term.reference)
		}
		d, err := r.Lookup(t, term.name)
		if err != nil {
			return nil, err
		}
		b.condition(d).add(term)
	}
	b.broadLast()
	return b, nil
}

// broadLast puts the conditions into the order in which the Indexer is asked,
// mostly for the set of the first alone.
func (b *Bound) broadLast() {
	slices.SortStableFunc(b.conditions, func(x, y condition) int {
		switch {
		case x.broad == y.broad:
			return 0
		case x.broad:
			return 1
		default:
			return -1
		}
	})
}

// condition returns the condition on an index, a new one if there is none.
func (b *Bound) condition(d Definition) *condition {
	for i := range b.conditions {
		if b.conditions[i].Name == d.Name {
			return &b.conditions[i]
		}
	}
	b.conditions = append(b.conditions, condition{Definition: d})
	return &b.conditions[len(b.conditions)-1]
}

func (c *condition) add(t term) {
	to := &c.wanted
	if t.not {
		to, c.unwantsNone = &c.unwanted, c.unwantsNone || t.empty
	} else {
		c.restricts, c.wantsNone = true, c.wantsNone || t.empty
	}
	for _, value := range t.values {
		if c.canonical != nil {
			value = c.canonical(value)
		}
		*to = append(*to, value)
	}
}

// Definitions are the indexes that the query reads, each once.
func (b *Bound) Definitions() []Definition {
	definitions := make([]Definition, len(b.conditions))
	for i, c := range b.conditions {
		definitions[i] = c.Definition
	}
	return definitions
}

// Indexers are the index functions that the type's Indexer must have.
func (b *Bound) Indexers() toolscache.Indexers { return Indexers(b.Definitions()...) }

// And narrows the query to the rows that a predicate about other objects holds for.
// It reads no more of a row than names.
func (b *Bound) And(holds func(*cache.Row) bool) { b.also = append(b.also, holds) }

// FollowsOwners says whether the answer depends on the owners of the objects.
func (b *Bound) FollowsOwners() bool {
	return slices.ContainsFunc(b.conditions, func(c condition) bool { return c.Definition.FollowsOwners })
}

// Needs is the least representation that holds what the query reads.
func (b *Bound) Needs() cache.Representation {
	needs := cache.Metadata
	for _, c := range b.conditions {
		needs |= c.Definition.Needs
	}
	return needs
}

// Match says whether the query selects the row. Of several values of one index
// the object must have one; what is asked for with != it must not have. To have
// no value is to have an empty one.
func (b *Bound) Match(row *cache.Row) bool { return b.matchBut(row, nil) }

// matchBut is Match for a row that is known to have what answered wants.
func (b *Bound) matchBut(row *cache.Row, answered *condition) bool {
	for i := range b.conditions {
		c := &b.conditions[i]
		if c == answered && len(c.unwanted) == 0 && !c.unwantsNone {
			continue
		}
		if !c.match(c.Values(row)) {
			return false
		}
	}
	return !slices.ContainsFunc(b.also, func(holds func(*cache.Row) bool) bool { return !holds(row) })
}

func (c *condition) match(values []string) bool {
	has := func(list []string) bool {
		return slices.ContainsFunc(values, func(value string) bool { return slices.Contains(list, value) })
	}
	none := len(values) == 0
	if has(c.unwanted) || none && c.unwantsNone {
		return false
	}
	return !c.restricts || has(c.wanted) || none && c.wantsNone
}
