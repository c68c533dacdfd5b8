package informer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// MinResync is the shortest resync period client-go's informers can keep.
const MinResync = time.Second

// Options are what the informers of one invocation have in common.
type Options struct {
	// Resync is the period after which every cached object is handed to the
	// handlers again; 0 is never. It needs Objects, and is at least MinResync.
	Resync time.Duration
	// SyncTimeout ends a Target that makes no progress with its first list for
	// so long; 0 is never.
	SyncTimeout time.Duration
	// Events gets every event, in order; it is closed when all Targets have ended.
	Events *Queue
	// Objects says that the events of objects are wanted, too, not only Synced and
	// the transitions of connections.
	Objects bool
	// Joining are run as part of the group, which does not end before they have. Each
	// may Add informers, until it returns.
	Joining []func(ctx context.Context, g *Group)
}

// Group is the running informers of one invocation.
type Group struct {
	options Options
	events  *Queue
	started time.Time
	cancel  context.CancelFunc
	running sync.WaitGroup
	ended   chan struct{}
	// joined is closed when none is Joining any more.
	joined chan struct{}

	mu        sync.Mutex // guards what follows
	informers []*Informer
}

// Start runs one informer for each spec until ctx ends or Stop is called.
func Start(ctx context.Context, specs []Spec, o Options) (*Group, error) {
	if o.Resync != 0 && o.Resync < MinResync {
		return nil, fmt.Errorf("the resync period must be at least %v, not %v", MinResync, o.Resync)
	}
	g := &Group{options: o, events: o.Events, started: time.Now(), ended: make(chan struct{}), joined: make(chan struct{})}
	ctx, g.cancel = context.WithCancel(ctx)
	if err := g.Add(ctx, specs, nil); err != nil {
		g.cancel()
		return nil, err
	}
	var joining sync.WaitGroup
	for _, join := range o.Joining {
		joining.Go(func() { join(ctx, g) })
	}
	go func() {
		joining.Wait()
		close(g.joined)
		g.running.Wait()
		o.Events.Close()
		close(g.ended)
	}()
	return g, nil
}

// Add runs more informers until ctx, which is the group's, ends. before, where set, is
// called with them before any of them runs, but not where there is an error.
func (g *Group) Add(ctx context.Context, specs []Spec, before func([]*Informer)) error {
	added := make([]*Informer, len(specs))
	for n, spec := range specs {
		var err error
		if added[n], err = newInformer(g, spec, g.options); err != nil {
			return err
		}
	}
	g.mu.Lock()
	g.informers = append(g.informers, added...)
	g.mu.Unlock()
	if before != nil {
		before(added)
	}
	for _, i := range added {
		g.running.Go(func() { i.run(ctx) })
	}
	return nil
}

// Stop ends all informers and returns when they have ended.
func (g *Group) Stop() {
	g.cancel()
	<-g.ended
}

// Ended is closed when no informer runs any more.
func (g *Group) Ended() <-chan struct{} { return g.ended }

// Informers returns the informers in the order of their specs; those that were added
// later come last.
func (g *Group) Informers() []*Informer {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.informers[:len(g.informers):len(g.informers)]
}

// WaitSettled returns when none is Joining any more and every Target has synced or
// ended, or with the context's error. Which have ended, and why, is for Failures to say.
func (g *Group) WaitSettled(ctx context.Context) error {
	select {
	case <-g.joined:
	case <-ctx.Done():
	}
	for _, i := range g.Informers() {
		select {
		case <-i.synced:
		case <-i.failed:
		case <-ctx.Done():
		}
	}
	// Targets that ended with ctx have no failure, and need not be complete.
	return ctx.Err()
}

// Failures returns why Targets have ended by themselves, in the order of specs.
func (g *Group) Failures() []*cache.SyncError {
	var failures []*cache.SyncError
	for _, i := range g.Informers() {
		if err := i.Failure(); err != nil {
			failures = append(failures, err)
		}
	}
	return failures
}
