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
}

// Group is the running informers of one invocation.
type Group struct {
	informers []*Informer
	events    *Queue
	started   time.Time
	cancel    context.CancelFunc
	running   sync.WaitGroup
	ended     chan struct{}
}

// Start runs one informer for each spec until ctx ends or Stop is called.
func Start(ctx context.Context, specs []Spec, o Options) (*Group, error) {
	if o.Resync != 0 && o.Resync < MinResync {
		return nil, fmt.Errorf("the resync period must be at least %v, not %v", MinResync, o.Resync)
	}
	g := &Group{events: o.Events, started: time.Now(), ended: make(chan struct{})}
	for _, spec := range specs {
		i, err := newInformer(g, spec, o)
		if err != nil {
			return nil, err
		}
		g.informers = append(g.informers, i)
	}
	ctx, g.cancel = context.WithCancel(ctx)
	for _, i := range g.informers {
		g.running.Go(func() { i.run(ctx) })
	}
	go func() {
		g.running.Wait()
		o.Events.Close()
		close(g.ended)
	}()
	return g, nil
}

// Stop ends all informers and returns when they have ended.
func (g *Group) Stop() {
	g.cancel()
	<-g.ended
}

// Ended is closed when no informer runs any more.
func (g *Group) Ended() <-chan struct{} { return g.ended }

// Informers returns the informers in the order of their specs.
func (g *Group) Informers() []*Informer { return g.informers }

// WaitSettled returns when every Target has synced or ended, or with the
// context's error. Which have ended, and why, is for Failures to say.
func (g *Group) WaitSettled(ctx context.Context) error {
	for _, i := range g.informers {
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
	for _, i := range g.informers {
		if err := i.Failure(); err != nil {
			failures = append(failures, err)
		}
	}
	return failures
}
