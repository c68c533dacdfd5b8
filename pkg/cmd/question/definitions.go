package question

import (
	"context"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
)

// definitionsTimeout bounds what the answer can do without.
const definitionsTimeout = 10 * time.Second

// Definitions are the CustomResourceDefinitions of the types asked for, each asked for
// once, and why one could not be read. Nothing is asked of the server where all types are
// known. One that has no definition is of an aggregated API.
func (q *Question) Definitions(ctx context.Context) (definitions []*apiextensionsv1.CustomResourceDefinition, failures []*cache.SyncError) {
	var targets []cache.Target
	for _, target := range q.Targets() {
		if definition, ok := dump.DefinitionOf(target); ok && !slices.Contains(targets, definition) {
			targets = append(targets, definition)
		}
	}
	if len(targets) == 0 {
		return nil, nil
	}
	timeout := definitionsTimeout
	if q.syncTimeout > 0 {
		timeout = min(timeout, q.syncTimeout)
	}
	looks, err := q.look(ctx, timeout, cache.Whole, targets...)
	if err != nil || !q.Connection.Reached() {
		return nil, nil // the question itself ends by that, and says so
	}
	for _, look := range looks {
		failure := look.Failure()
		for _, row := range look.Rows(nil) {
			definition, err := definitionOf(row)
			if err != nil {
				failure = &cache.SyncError{Target: look.Target, Op: cache.OpList, Err: err}
				continue
			}
			definitions = append(definitions, definition)
		}
		if failure != nil && failure.Fault != cache.Missing {
			failures = append(failures, failure)
		}
	}
	return definitions, failures
}

func definitionOf(row *cache.Row) (*apiextensionsv1.CustomResourceDefinition, error) {
	whole, err := row.Body.Unstructured()
	if err != nil {
		return nil, err
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	return definition, runtime.DefaultUnstructuredConverter.FromUnstructured(whole.Object, definition)
}
