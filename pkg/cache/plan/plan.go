// Package plan decides what is fetched and kept to answer a question: the least
// Representation that serves everything that reads the objects, the indexes the
// Indexer keeps, and whether anything has to be watched. It is pure, and gives
// its reasons.
package plan

import (
	"fmt"
	"slices"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
)

// Need is what one reader of the objects needs of them.
type Need struct {
	// Reader names who reads: an output format, an index.
	Reader string
	// Form is the representation the reader needs.
	Form cache.Representation
	// Indexes are the indexes the reader looks up; nil for most. What they read of
	// an object is needed until their values are known, and no longer.
	Indexes []index.Definition
	// NoAnnotations says that the reader, apart from Indexes, reads no annotations.
	NoAnnotations bool
}

// Plan is how one Target is fetched and kept.
type Plan struct {
	Target cache.Target
	// Form is what is fetched, Kept what is left of it after Transform.
	Form, Kept cache.Representation
	// Pushed is what is left to the server: see PushedDown. NarrowForm is then what is
	// fetched, unless the server cannot select by it.
	Pushed     Pushed
	NarrowForm cache.Representation
	Indexers   toolscache.Indexers
	// Transform is applied to each row as it comes: it computes what the indexes
	// have for the row, and drops what nobody else reads.
	Transform func(*cache.Row)
	// ListOnly means that one list answers and no watch is opened.
	ListOnly bool
	// Reasons say, a line each, why the plan is what it is.
	Reasons []string

	needs []Need
}

// For makes the plan for a Target that is read by all who have needs. follow
// says that changes after the first list are asked for.
func For(target cache.Target, follow bool, needs ...Need) Plan {
	p := Plan{Target: target, needs: needs}
	var indexes []index.Definition
	annotations := follow
	for _, need := range needs {
		p.Kept |= need.Form
		reads := need.reads(nil)
		p.Form |= reads
		indexes = append(indexes, need.Indexes...)
		annotations = annotations || !need.NoAnnotations
		p.Reasons = append(p.Reasons, fmt.Sprintf("%s: %s reads %s", target, need.Reader, reads))
	}
	p.Indexers = index.Indexers(indexes...)
	p.Transform = slim(index.Transform(indexes...), p.Kept)
	if !annotations {
		p.Transform = withoutAnnotations(p.Transform)
		p.Reasons = append(p.Reasons, fmt.Sprintf("%s: nobody reads annotations, none are kept", target))
	}
	if !follow {
		p.ListOnly = true
		p.Reasons = append(p.Reasons, fmt.Sprintf("%s: one list answers, no watch is opened", target))
	}
	p.Reasons = append(p.Reasons, fmt.Sprintf("%s: fetched as %s", target, p.Form))
	if p.Kept != p.Form {
		p.Reasons = append(p.Reasons, fmt.Sprintf("%s: kept as %s, once the indexes are computed", target, p.Kept))
	}
	return p
}

// reads is what is read of an object whose values of known indexes are known.
func (n *Need) reads(known []cache.IndexedValues) cache.Representation {
	reads := n.Form
	for _, definition := range n.Indexes {
		isKnown := func(of cache.IndexedValues) bool { return of.Name == definition.Name }
		if !slices.ContainsFunc(known, isKnown) {
			reads |= definition.Needs
		}
	}
	return reads
}

// PushedDown is the plan with what is left to the server.
func (p Plan) PushedDown(pushed Pushed) Plan {
	p.Pushed, p.NarrowForm = pushed, cache.Metadata
	for _, need := range p.needs {
		p.NarrowForm |= need.reads(pushed.Known)
	}
	p.Reasons = slices.Concat(p.Reasons, pushed.Reasons)
	if p.NarrowForm != p.Form {
		p.Reasons = append(p.Reasons, fmt.Sprintf("%s: what the server selects is fetched as %s", p.Target, p.NarrowForm))
	}
	return p
}

// slim drops, after compute, what of a row is not in kept. A row that the server
// could not print has its Body instead of Cells.
func slim(compute toolscache.TransformFunc, kept cache.Representation) func(*cache.Row) {
	return func(row *cache.Row) {
		_, _ = compute(row) // never fails
		if kept.Has(cache.Whole) {
			return
		}
		if row.Columns != nil || !kept.Has(cache.Cells) {
			row.Body = nil
		}
		if row.Body == nil && !kept.Has(cache.ManagedFields) {
			row.ManagedFields = nil
		}
	}
}

// withoutAnnotations drops what of metadata is the greatest part, often another
// copy of the object.
func withoutAnnotations(transform func(*cache.Row)) func(*cache.Row) {
	return func(row *cache.Row) {
		transform(row)
		row.Annotations = nil
	}
}
