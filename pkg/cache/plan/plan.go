// Package plan decides what is fetched and kept to answer a question: the least
// Representation that serves everything that reads the objects, the indexes the
// Indexer keeps, and whether anything has to be watched. It is pure, and gives
// its reasons.
package plan

import (
	"fmt"
	"maps"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Need is what one reader of the objects needs of them.
type Need struct {
	// Reader names who reads: an output format, an index.
	Reader string
	// Form is the representation the reader needs.
	Form cache.Representation
	// Indexers are the indexes the reader looks up; nil for most.
	Indexers toolscache.Indexers
}

// Plan is how one Target is fetched and kept.
type Plan struct {
	Target   cache.Target
	Form     cache.Representation
	Indexers toolscache.Indexers
	// ListOnly means that one list answers and no watch is opened.
	ListOnly bool
	// Reasons say, a line each, why the plan is what it is.
	Reasons []string
}

// For makes the plan for a Target that is read by all who have needs. follow
// says that changes after the first list are asked for.
func For(target cache.Target, follow bool, needs ...Need) Plan {
	p := Plan{Target: target, Indexers: toolscache.Indexers{}}
	for _, need := range needs {
		p.Form |= need.Form
		maps.Copy(p.Indexers, need.Indexers)
		p.Reasons = append(p.Reasons, fmt.Sprintf("%s: %s reads %s", target, need.Reader, need.Form))
	}
	if !follow {
		p.ListOnly = true
		p.Reasons = append(p.Reasons, fmt.Sprintf("%s: one list answers, no watch is opened", target))
	}
	p.Reasons = append(p.Reasons, fmt.Sprintf("%s: fetched as %s", target, p.Form))
	return p
}
