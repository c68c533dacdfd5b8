package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Why a watch is given up for a new list although the server would go on with it.
var (
	errMissed       = errors.New("what has happened since the last list is not known")
	errTypeReturned = errors.New("the type was missing and is back, its objects may be others")
	errUnversioned  = errors.New("without a resourceVersion a watch cannot go on from where another one ended")
	errUnanswered   = errors.New("the server does not answer a watch")
	errRewound      = errors.New("the server's resourceVersion is older than what it has sent: it was restored to an earlier state")
)

// WatchWithContext returns an open watch, or an Expired error. Where there is
// nothing to watch, it returns a watch that idles until the context ends.
func (g *Guard) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	switch {
	case g.options.ListOnly:
		return newIdle(ctx), nil
	case g.isGone():
		return nil, g.awaitReturn(ctx)
	case g.unversioned && g.watched:
		return nil, g.relistFor(errUnversioned)
	}
	for {
		if err := g.backoff.wait(ctx); err != nil {
			return nil, err
		}
		stream, err := g.open(ctx, options)
		if err == nil {
			return stream, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch g.failed(ctx, cache.OpWatch, err) {
		case end:
			<-ctx.Done()
			return nil, ctx.Err()
		case relist, goneIfLasting:
			return nil, g.relistFor(err)
		}
	}
}

// open opens a watch. Where it cannot show all that has happened since the last
// list, it is given up for a new list, which an Expired error asks for.
func (g *Guard) open(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	s, err := g.request(ctx, options)
	if err != nil {
		return nil, err
	}
	if g.missed {
		s.abandon()
		return nil, g.relistFor(errMissed)
	}
	if g.brokeOff.Swap(false) {
		if err := g.notRewound(ctx, options.ResourceVersion); err != nil {
			s.abandon()
			g.brokeOff.Store(true)
			return nil, err
		}
	}
	g.watched = true
	g.counts.watched()
	g.mu.Lock()
	g.emit(g.connection.watchOpened(time.Now()))
	g.mu.Unlock()
	s.start()
	return s, nil
}

// request makes one attempt. The stream has its own context, so that stopping it
// ends its connection. A server that accepts the request and never answers looks
// like a proxy that holds the answer back: each time it is waited for longer.
func (g *Guard) request(ctx context.Context, options metav1.ListOptions) (*stream, error) {
	var cancel context.CancelFunc
	var agreed time.Time
	if options.TimeoutSeconds == nil {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		limit := time.Duration(*options.TimeoutSeconds) * time.Second
		agreed = time.Now().Add(limit)
		ctx, cancel = context.WithTimeout(ctx, limit+overtime)
	}
	asked := time.Now()
	unanswered := time.AfterFunc(g.answerWithin, cancel)
	inner, err := g.source.WatchWithContext(ctx, options)
	if !unanswered.Stop() {
		if err == nil {
			inner.Stop()
		}
		g.answerWithin = min(2*g.answerWithin, maxAnswer)
		return nil, fmt.Errorf("%w: waited %v", errUnanswered, time.Since(asked).Round(time.Second))
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return newStream(ctx, cancel, inner, g, agreed), nil
}

// notRewound is an error if the server is not as far as it has been: after the
// restore of an older state a watch from then would be silent until the server
// has come to it again, and never report what is different.
func (g *Guard) notRewound(ctx context.Context, seen string) error {
	if seen == "" {
		return nil
	}
	now, err := g.source.LatestResourceVersion(ctx)
	if err != nil || now == "" {
		return err
	}
	// Versions that cannot be compared say nothing.
	if order, err := resourceversion.CompareResourceVersion(now, seen); err == nil && order < 0 {
		return g.relistFor(errRewound)
	}
	return nil
}

// awaitReturn asks for a type that is gone until it is back, and then returns
// the Expired error that makes the reflector list it.
func (g *Guard) awaitReturn(ctx context.Context) error {
	for {
		if err := g.backoff.wait(ctx); err != nil {
			return err
		}
		_, err := g.source.ListWithContext(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			return g.relistFor(errTypeReturned)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if g.failed(ctx, cache.OpWatch, err) == end {
			<-ctx.Done()
			return ctx.Err()
		}
	}
}

// asExpired finds the server's own Status of a resourceVersion that has expired.
func asExpired(err error) (*apierrors.StatusError, bool) {
	var status *apierrors.StatusError
	ok := errors.As(err, &status) && apierrors.IsResourceExpired(status)
	return status, ok
}
