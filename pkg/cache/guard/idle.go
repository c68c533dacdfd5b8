package guard

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// idle is the watch of what cannot be watched: it has no events, and ends with
// its context.
type idle struct {
	result chan watch.Event
	end    func()
}

func newIdle(ctx context.Context) *idle {
	result := make(chan watch.Event)
	end := sync.OnceFunc(func() { close(result) })
	forget := context.AfterFunc(ctx, end)
	return &idle{result: result, end: func() { forget(); end() }}
}

// Stop ends the watch. It may be called more than once.
func (i *idle) Stop() { i.end() }

// ResultChan is closed when the watch ends.
func (i *idle) ResultChan() <-chan watch.Event { return i.result }
