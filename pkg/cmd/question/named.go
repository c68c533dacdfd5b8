package question

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// named is one object that is asked for by name, in whichever namespaces.
type named struct {
	context string
	schema.GroupResource
	name string
}

func nameOfTarget(t cache.Target) named {
	return named{t.Context, t.Resource.GroupResource(), t.Name}
}

// NotFound returns the server's errors for named objects that are not there: one for
// each name that is in none of the namespaces asked for. What a selector leaves out is
// there, as kubectl has it.
func (q *Question) NotFound(ctx context.Context, group *informer.Group) ([]error, error) {
	there := map[named]bool{}
	missing := map[named][]string{}
	var order []named
	for _, i := range group.Informers() {
		if i.Target.Name == "" || i.Failure() != nil {
			continue
		}
		key := nameOfTarget(i.Target)
		found, err := q.isThere(ctx, i)
		switch {
		case err != nil:
			return nil, err
		case found:
			there[key] = true
			continue
		case missing[key] == nil:
			order = append(order, key)
		}
		missing[key] = append(missing[key], i.Target.Namespace)
	}
	var errs []error
	for _, key := range order {
		if !there[key] {
			errs = append(errs, notFoundIn(key, missing[key]))
		}
	}
	return errs, nil
}

// notFoundIn is the server's error for an object, which says the namespaces where
// there are several.
func notFoundIn(key named, namespaces []string) error {
	err := apierrors.NewNotFound(key.GroupResource, key.name)
	if len(namespaces) > 1 {
		err.ErrStatus.Message += fmt.Sprintf(" in namespaces %s", strings.Join(namespaces, ", "))
	}
	if key.context != "" {
		return &cache.ContextError{Context: key.context, Err: err}
	}
	return err
}

// isThere says whether the server has the object of a Target, matching or not.
func (q *Question) isThere(ctx context.Context, i *informer.Informer) (bool, error) {
	if len(i.Indexer().ListKeys()) > 0 {
		return true, nil
	}
	return q.isLeftOut(ctx, i.Target)
}

// isLeftOut says whether the server has an object that is asked for by name, by a
// file, and may not match the selector.
func (q *Question) isLeftOut(ctx context.Context, t cache.Target) (bool, error) {
	if t.Name == "" || t.LabelSelector == "" {
		return false, nil
	}
	t.LabelSelector = ""
	rows, err := q.LookIn(ctx, t, cache.Metadata)
	return len(rows) > 0, err
}

// Expected are the Targets whose objects a wait has to see: not those that are there
// and are left out by a selector.
func (q *Question) Expected(ctx context.Context) ([]cache.Target, error) {
	var expected []cache.Target
	for _, target := range q.Targets() {
		leftOut, err := q.isLeftOut(ctx, target)
		if err != nil {
			return nil, err
		}
		if !leftOut {
			expected = append(expected, target)
		}
	}
	return expected, nil
}
