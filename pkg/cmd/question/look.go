package question

import (
	"context"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
)

// LookIn lists the objects of a Target, once.
func (q *Question) LookIn(ctx context.Context, target cache.Target, form cache.Representation) ([]*cache.Row, error) {
	looks, err := q.look(ctx, q.syncTimeout, form, target)
	if err != nil {
		return nil, err
	}
	if failure := looks[0].Failure(); failure != nil {
		return nil, failure
	}
	return looks[0].Rows(nil), nil
}

// look lists the objects of Targets of one cluster, once and side by side, by an informer
// for each.
func (q *Question) look(ctx context.Context, timeout time.Duration, form cache.Representation, targets ...cache.Target) ([]*informer.Informer, error) {
	client, err := q.In(targets[0]).Connection.client()
	if err != nil {
		return nil, err
	}
	specs := make([]informer.Spec, len(targets))
	for n, target := range targets {
		p := plan.For(target, false, plan.Need{Reader: "a look at one object", Form: form})
		if specs[n], err = specFor(p, client, q.pageSize); err != nil {
			return nil, err
		}
	}
	queue := informer.NewQueue(0)
	group, err := informer.Start(ctx, specs, informer.Options{SyncTimeout: timeout, Events: queue})
	if err != nil {
		return nil, err
	}
	q.Recorder.Add(group)
	defer q.Recorder.Release(group)
	defer group.Stop()
	connections := NewConnections(q.Streams.Console, false, targets)
	defer connections.Close()
	if err := connections.Await(ctx, queue); err != nil {
		return nil, err
	}
	return group.Informers(), nil
}
