package cmd

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// lookUpReferences replaces every @TYPE/OBJECT of --by by the values that the
// object has.
func (q *question) lookUpReferences(ctx context.Context) error {
	values, err := q.valuesOf(ctx, q.query.References(), q.namespaces())
	q.query = q.query.Resolve(values)
	return err
}

// namespaces are those of -n; none, which means that of the context, with -A.
func (o *resourceOptions) namespaces() []string {
	if o.request.AllNamespaces {
		return nil
	}
	return o.request.Namespaces
}

// valuesOf looks up the values of objects. One whose namespace is not given is
// looked for in namespaces.
func (q *question) valuesOf(ctx context.Context, references []index.Reference, namespaces []string) (map[index.Reference][]string, error) {
	values := map[index.Reference][]string{}
	for _, reference := range references {
		found, err := q.lookUp(ctx, reference, namespaces)
		if err != nil {
			return nil, err
		}
		values[reference] = found
	}
	return values, nil
}

// lookUp lists one object and reads its values in the index.
func (q *question) lookUp(ctx context.Context, reference index.Reference, namespaces []string) ([]string, error) {
	if reference.Namespace != "" {
		namespaces = []string{reference.Namespace}
	}
	request := resolve.Request{Args: []string{reference.Type + "/" + reference.Object}, Namespaces: namespaces}
	resolved, err := q.find(ctx, request)
	if err != nil {
		return nil, err
	}
	if len(resolved.Targets) != 1 {
		return nil, fmt.Errorf("%s can be in several namespaces: write @%s/NAMESPACE/%s", reference, reference.Type, reference.Object)
	}
	target := resolved.Targets[0]
	definition, err := q.registry.Lookup(target, reference.Index)
	if err != nil {
		return nil, err
	}
	row, err := q.get(ctx, target, definition)
	if err != nil {
		return nil, err
	}
	if definition.FollowsOwners {
		return q.rootOf(ctx, target, reference.Index, row)
	}
	return definition.Values(row), nil
}

// get lists the one object of a Target in the form that an index reads.
func (q *question) get(ctx context.Context, target cache.Target, reader index.Definition) (*cache.Row, error) {
	client, err := q.connection.client()
	if err != nil {
		return nil, err
	}
	p := plan.For(target, false, plan.Need{Reader: "a reference in --by", Form: reader.Needs})
	spec, err := specFor(p, client, q.pageSize)
	if err != nil {
		return nil, err
	}
	queue := informer.NewQueue(0)
	group, err := informer.Start(ctx, []informer.Spec{spec}, informer.Options{SyncTimeout: q.syncTimeout, Events: queue})
	if err != nil {
		return nil, err
	}
	defer group.Stop()
	connections := newConnections(q.streams.console, false, []cache.Target{target})
	defer connections.close()
	if err := connections.await(ctx, queue); err != nil {
		return nil, err
	}
	only := group.Informers()[0]
	if failure := only.Failure(); failure != nil {
		return nil, failure
	}
	rows := only.Rows(nil)
	switch len(rows) {
	case 0:
		return nil, apierrors.NewNotFound(target.Resource.GroupResource(), target.Name)
	case 1:
		return rows[0], nil
	}
	// In a dump a name alone means all namespaces.
	return nil, fmt.Errorf("%s is in several namespaces: write @TYPE/NAMESPACE/NAME", target)
}
