package source

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// youngest is how old a stream must be when the reflector sees its end. A
// younger one that brought nothing makes the reflector list everything anew.
const youngest = time.Second

// stream passes on the events of one watch. Of all errors only Expired comes
// through; after any other the stream just ends, so that the reflector watches
// again from where it was.
type stream struct {
	inner  watch.Interface
	result chan watch.Event
	cancel context.CancelFunc
	born   time.Time
	guard  *guard
}

// startStream starts the stream's goroutine. It ends when the watch ends, when
// ctx ends, and when the stream is stopped, which is by cancel, of ctx.
func startStream(ctx context.Context, cancel context.CancelFunc, inner watch.Interface, g *guard) *stream {
	s := &stream{inner: inner, result: make(chan watch.Event), cancel: cancel, born: time.Now(), guard: g}
	go s.run(ctx)
	return s
}

// Stop ends the stream. It may be called more than once.
func (s *stream) Stop() { s.cancel() }

// ResultChan is closed when the stream ends.
func (s *stream) ResultChan() <-chan watch.Event { return s.result }

func (s *stream) run(ctx context.Context) {
	defer close(s.result)
	defer s.inner.Stop()
	defer s.cancel()
	for {
		select {
		case <-ctx.Done():
			return
		case event, more := <-s.inner.ResultChan():
			if !more {
				s.age(ctx)
				return
			}
			if !s.pass(ctx, event) {
				return
			}
		}
	}
}

// pass hands on one event, and says whether the stream goes on.
func (s *stream) pass(ctx context.Context, event watch.Event) bool {
	if event.Type == watch.Error {
		s.fail(ctx, apierrors.FromObject(event.Object))
		return false
	}
	row, ok := event.Object.(*cache.Row)
	if !ok {
		s.fail(ctx, fmt.Errorf("the server sent %T in a watch event", event.Object))
		return false
	}
	if event.Type != watch.Bookmark {
		s.guard.counters.events.Add(1)
		s.guard.options.Transform(row)
	}
	s.send(ctx, event)
	return true
}

func (s *stream) send(ctx context.Context, event watch.Event) {
	select {
	case s.result <- event:
	case <-ctx.Done():
	}
}

// fail ends the stream after an error that came as an event.
func (s *stream) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if isConnectionLost(err) {
		s.age(ctx)
		return
	}
	fault := classify(err)
	s.guard.pace.failed(false, retryAfter(err))
	s.guard.options.Report(cache.Report{Op: cache.OpWatch, Err: err, Fault: fault})
	if fault == cache.Expired {
		s.send(ctx, watch.Event{Type: watch.Error, Object: &expired(err).ErrStatus})
		return
	}
	s.age(ctx)
}

// age holds back the end of a stream that is too young to end.
func (s *stream) age(ctx context.Context) {
	_ = sleep(ctx, youngest-time.Since(s.born))
}
