package source

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// overtime is how long after its agreed end a stream is ended from our side. It
// covers servers that forget to, and connections that died unnoticed.
const overtime = 30 * time.Second

var errTypeReturned = errors.New("the type was missing and is back, its objects may be others")

// WatchWithContext returns an open watch, or an Expired error. Where there is
// nothing to watch, it returns a watch that idles until the context ends.
func (g *guard) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if g.options.ListOnly {
		return newIdle(ctx), nil
	}
	if g.gone {
		return nil, g.awaitReturn(ctx)
	}
	for {
		if err := g.pace.wait(ctx); err != nil {
			return nil, err
		}
		stream, err := g.open(ctx, options)
		if err == nil {
			return g.opened(stream)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		fault := g.failed(cache.OpWatch, err)
		switch {
		case fault == cache.Expired:
			return nil, expired(err)
		case fault == cache.Unsupported:
			return newIdle(ctx), nil
		case fault == cache.Missing && g.believedGone():
			// The list that follows finds the type missing too, and is made empty.
			g.pace.skip()
			return nil, expired(err)
		}
	}
}

// opened reports a watch. After the type was missing nobody knows what the
// watch has missed: then the watch is given up for a new list.
func (g *guard) opened(s *stream) (watch.Interface, error) {
	g.options.Report(cache.Report{Op: cache.OpWatch, Done: true})
	if !g.missed {
		return s, nil
	}
	s.Stop()
	return nil, expired(errTypeReturned)
}

// awaitReturn asks for a type that is gone until it is back, and then returns
// the Expired error that makes the reflector list it.
func (g *guard) awaitReturn(ctx context.Context) error {
	for {
		if err := g.pace.wait(ctx); err != nil {
			return err
		}
		_, err := g.raw.ListWithContext(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			g.gone, g.missing = false, time.Time{}
			return expired(errTypeReturned)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.failed(cache.OpWatch, err)
	}
}

// open makes one attempt. The stream has its own context, so that stopping it
// ends its connection.
func (g *guard) open(ctx context.Context, options metav1.ListOptions) (*stream, error) {
	var cancel context.CancelFunc
	if options.TimeoutSeconds == nil {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(*options.TimeoutSeconds)*time.Second+overtime)
	}
	inner, err := g.raw.WatchWithContext(ctx, options)
	if err != nil {
		cancel()
		return nil, err
	}
	return startStream(ctx, cancel, inner, g), nil
}
