package guard

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// stream passes on the events of one watch. Of all errors only Expired comes
// through; after any other the stream just ends, so that the reflector watches
// again from where it was.
type stream struct {
	guard  *Guard
	inner  watch.Interface
	result chan watch.Event
	ctx    context.Context //nolint:containedctx // a stream's life is its context
	cancel context.CancelFunc
	// born is when the stream was opened, agreed when the server is to end it (zero
	// if never), received when the last event came.
	born, agreed, received time.Time
}

// newStream makes a stream of ctx, which cancel ends. Either start or abandon has
// to be called.
func newStream(ctx context.Context, cancel context.CancelFunc, inner watch.Interface, g *Guard, agreed time.Time) *stream {
	now := time.Now()
	return &stream{
		guard: g, inner: inner, result: make(chan watch.Event), ctx: ctx, cancel: cancel,
		born: now, agreed: agreed, received: now,
	}
}

// start starts the stream's goroutine. It ends when the watch ends, when the
// context ends, and when the stream is stopped.
func (s *stream) start() { go s.run() }

// abandon ends a stream that was not started.
func (s *stream) abandon() {
	s.cancel()
	s.inner.Stop()
}

// Stop ends the stream. It may be called more than once.
func (s *stream) Stop() { s.cancel() }

// ResultChan is closed when the stream ends.
func (s *stream) ResultChan() <-chan watch.Event { return s.result }

func (s *stream) run() {
	defer close(s.result)
	defer s.inner.Stop()
	defer s.cancel()
	for {
		select {
		case <-s.ctx.Done():
			if context.Cause(s.ctx) == context.DeadlineExceeded { //nolint:errorlint // the context's own
				s.closed(Diagnosis{Unnoticed: true})
			}
			return
		case reason := <-s.guard.relisting:
			s.guard.counts.because(RelistRequested)
			s.send(watch.Event{Type: watch.Error, Object: &expired(reason).ErrStatus})
			return
		case event, more := <-s.inner.ResultChan():
			if !more {
				s.closed(Diagnosis{})
				s.age()
				return
			}
			if !s.pass(event) {
				return
			}
		}
	}
}

// pass hands on one event, and says whether the stream goes on.
func (s *stream) pass(event watch.Event) bool {
	if event.Type == watch.Error {
		s.fail(apierrors.FromObject(event.Object))
		return false
	}
	s.received = time.Now()
	row, ok := event.Object.(*cache.Row)
	if !ok {
		s.fail(fmt.Errorf("the server sent %T in a watch event", event.Object))
		return false
	}
	s.guard.counts.received(event.Type, s.guard.options.Target.Shard.Holds(row))
	if !s.guard.options.Target.Shard.Holds(row) {
		// Nothing to report but how far the server is.
		event.Type = watch.Bookmark
	}
	if event.Type != watch.Bookmark {
		s.guard.options.Transform(row)
		if !s.guard.namesakes.Watched(event.Type, row) {
			s.fail(errNamesakes)
			return false
		}
	}
	if !s.send(event) {
		return false
	}
	if event.Type != watch.Bookmark {
		s.guard.hand(row)
	}
	return true
}

// hand remembers the row that was handed to the reflector last.
func (g *Guard) hand(row *cache.Row) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.handed = row
}

// send says whether the event was taken, before the stream's end.
func (s *stream) send(event watch.Event) bool {
	select {
	case s.result <- event:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// fail ends the stream after an error that came as an event.
func (s *stream) fail(err error) {
	if s.ctx.Err() != nil {
		return
	}
	d := s.guard.source.Diagnose(err)
	s.closed(d)
	if d.Interrupted {
		s.age()
		return
	}
	switch s.guard.failed(s.ctx, cache.OpWatch, err) {
	case relist:
		s.send(watch.Event{Type: watch.Error, Object: &s.guard.relistFor(err).ErrStatus})
	default:
		s.age()
	}
}

// closed notes the end of the watch, and since when nothing came.
func (s *stream) closed(d Diagnosis) {
	now := time.Now()
	since := now
	if d.Unnoticed {
		since = s.received
		if inner, ok := s.inner.(heardOf); ok && inner.LastReceived().After(since) {
			since = inner.LastReceived()
		}
	}
	if s.agreed.IsZero() || now.Before(s.agreed) {
		s.guard.brokeOff.Store(true)
	}
	s.guard.mu.Lock()
	defer s.guard.mu.Unlock()
	s.guard.connection.watchClosed(since)
}

// age holds back the end of a stream that is too young to end.
func (s *stream) age() { _ = sleep(s.ctx, youngest-time.Since(s.born)) }
