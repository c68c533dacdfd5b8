package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/source"
)

// errStalled is the cause with which a server that says nothing more ends the
// questions for its types.
var errStalled = errors.New("timed out waiting for the server to say which resource types it has")

// find resolves a request, for as long as the server goes on answering: what
// --sync-timeout is for lists, it is for discovery. A dump takes the time it takes.
func (q *question) find(ctx context.Context, request resolve.Request) (resolve.Result, error) {
	connection, timeout := q.ask.connection, q.ask.syncTimeout
	if connection.dump != nil || timeout <= 0 {
		return q.resolver.Resolve(ctx, request)
	}
	limited, cancel := untilStalled(ctx, timeout, connection.Stats)
	defer cancel()
	resolved, err := q.resolver.Resolve(limited, request)
	if err != nil && errors.Is(context.Cause(limited), errStalled) {
		return resolved, &timedOut{errStalled, fmt.Sprintf("no progress for %v", timeout)}
	}
	return resolved, err
}

// untilStalled returns a context that ends, by errStalled, when the server has been
// asked and nothing has been received for so long. What is done without the server,
// such as reading cached discovery, takes the time it takes.
func untilStalled(ctx context.Context, timeout time.Duration, stats func() source.Stats) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		ticker := time.NewTicker(max(timeout/8, time.Millisecond))
		defer ticker.Stop()
		last, since := stats(), time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				switch seen := stats(); {
				case seen.Discovery == 0, seen.BytesReceived != last.BytesReceived:
					last, since = seen, now
				case now.Sub(since) >= timeout:
					cancel(errStalled)
				}
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
