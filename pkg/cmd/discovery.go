package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilwait "k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// find resolves a request, for as long as the server goes on answering: what
// --sync-timeout is for lists, it is for discovery. A dump takes the time it takes.
func (q *question) find(ctx context.Context, request resolve.Request) (resolve.Result, error) {
	connection, timeout := q.connection, q.syncTimeout
	if connection.dump != nil {
		return q.resolver.Resolve(ctx, request)
	}
	if timeout <= 0 {
		return q.retried(ctx, request)
	}
	limited, cancel := untilStalled(ctx, timeout, connection.Stats)
	defer cancel()
	resolved, err := q.retried(limited, request)
	if err != nil && errors.Is(context.Cause(limited), errStalled) {
		return resolved, &timedOut{errStalled, fmt.Sprintf("no progress for %v", timeout)}
	}
	return resolved, err
}

// gatewayGrace is for how long something that is no API server may answer for one.
const gatewayGrace = 5 * time.Second

// retried resolves a request, again and again for --sync-timeout while the server,
// which has answered once, fails in ways that pass.
func (q *question) retried(ctx context.Context, request resolve.Request) (resolve.Result, error) {
	connection := q.connection
	backoff := utilwait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Cap: 5 * time.Second, Steps: math.MaxInt}
	began := time.Now()
	for attempt := 0; ; attempt++ {
		pages := connection.Pages()
		resolved, err := q.resolver.Resolve(ctx, request)
		limit := q.syncTimeout
		switch {
		case !connection.Reached():
			return resolved, err
		case err != nil && connection.Pages() > pages:
			limit = gatewayGrace // it may be that no API server is there at all
		case !passes(err, resolved.Unresolved):
			return resolved, err
		}
		if limit > 0 && time.Since(began) >= limit {
			return resolved, err
		}
		if attempt == 0 {
			q.streams.console.say("waiting for the resource types of the server: %s; trying again",
				words(cmp.Or(err, errors.Join(resolved.Unresolved...))))
		}
		select {
		case <-time.After(backoff.Step()):
			q.resolver.Refresh()
		case <-ctx.Done():
			return resolved, err
		}
	}
}

// passes says whether discovery is worth trying again: it failed as a whole, or a
// connection broke while one group was read. A group whose server is down is not
// waited for.
func passes(err error, unresolved []error) bool {
	var discovery *resolve.DiscoveryError
	for _, one := range append([]error{err}, unresolved...) {
		switch {
		case one == nil:
		case !errors.As(one, &discovery):
			if client.IsPassing(one) {
				return true
			}
		default:
			for _, reason := range discovery.Failed {
				if !errors.As(reason, new(apierrors.APIStatus)) && client.IsPassing(reason) {
					return true
				}
			}
		}
	}
	return false
}

// untilStalled returns a context that ends, by errStalled, when the server has been
// asked and nothing has been received for so long. What is done without the server,
// such as reading cached discovery, takes the time it takes.
func untilStalled(ctx context.Context, timeout time.Duration, stats func() client.Stats) (context.Context, context.CancelFunc) {
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
