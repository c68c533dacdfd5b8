package related

import (
	"context"
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// Spec is one informer of a related type: it keeps metadata, and these indexes.
type Spec struct {
	Target  cache.Target
	Indexes []index.Definition
}

// Cluster is how informers of related types come to be.
type Cluster interface {
	// Find returns where objects of a type, named as a resource argument, are looked
	// for: in one namespace, or in all where it is empty.
	Find(ctx context.Context, resource, namespace string) ([]cache.Target, error)
	// Start runs informers, which report to the queue, and returns when each has
	// synced or ended. What was reported until then has been taken from the queue.
	Start(ctx context.Context, specs []Spec) (*informer.Group, *informer.Queue, error)
	// Report takes, while the answer is followed, the transitions of the connections,
	// and a Reconsider event after each change that answers may depend on.
	Report(cache.Event)
}

// pool runs the informers of related types until it is closed.
type pool struct {
	cluster Cluster
	groups  []*informer.Group
	readers sync.WaitGroup
}

// start starts informers. matters says which events of objects answers depend on.
func (p *pool) start(ctx context.Context, specs []Spec, matters func(cache.Event) bool) ([]*informer.Informer, error) {
	group, queue, err := p.cluster.Start(ctx, specs)
	if err != nil {
		return nil, err
	}
	p.groups = append(p.groups, group)
	p.readers.Go(func() { p.read(queue, matters) })
	return group.Informers(), nil
}

// read reports what matters, until the informers have ended.
func (p *pool) read(queue *informer.Queue, matters func(cache.Event) bool) {
	for {
		event, ok, err := queue.Next(context.Background()) // it closes with its group
		switch {
		case err != nil || !ok:
			return
		case event.Row == nil && event.Type != cache.Synced:
			p.cluster.Report(event)
		case event.Row != nil && event.Type != cache.Resync && matters(event):
			p.cluster.Report(cache.Event{Type: cache.Reconsider, Time: event.Time})
		}
	}
}

// stopLast ends the informers that were started last.
func (p *pool) stopLast() {
	last := len(p.groups) - 1
	p.groups[last].Stop()
	p.groups = p.groups[:last]
}

// Close ends the informers and returns when they have ended.
func (p *pool) Close() {
	for _, group := range p.groups {
		group.Stop()
	}
	p.readers.Wait()
}
