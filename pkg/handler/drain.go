package handler

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Drain takes no more events, waits until those it has are handled or given up,
// retries included, and returns when Run has returned. (So ends a stream that has
// reported all that was asked for.)
//
// When ctx ends first, nothing more is started: the runs under way get the
// grace period to end by themselves, then SIGTERM, and after another grace
// period SIGKILL. What has failed and cannot be tried again is given up. (So
// ends a stream whose time is up: ctx has ended already.)
//
// It returns how many objects had changes that no run was started for.
func (h *Handler) Drain(ctx context.Context) (unhandled int) {
	h.close()
	select {
	case <-h.ended:
		return h.remaining()
	case <-ctx.Done():
	}
	unhandled = h.drop()
	grace := time.NewTimer(h.grace)
	defer grace.Stop()
	select {
	case <-h.ended:
	case <-grace.C:
		h.cancel(errTimeIsUp)
		<-h.ended
	}
	return unhandled
}

// close ends Add and, when there is nothing left to do, Run.
func (h *Handler) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for k, o := range h.objects {
		if o.resting && !o.queued && !o.running && len(o.events) > 0 {
			h.enqueue(k, o) // nothing rests any more
		}
	}
	h.endIfDone()
}

// cancel ends Run's context, if Run has begun.
func (h *Handler) cancel(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop != nil {
		h.stop(cause)
	}
}

// drop forgets what has not started, and gives up what has failed before.
func (h *Handler) drop() (unhandled int) {
	type abandoned struct {
		event cache.Event
		err   error
	}
	var failed []abandoned
	h.mu.Lock()
	h.dropping = true
	for k, o := range h.objects {
		if o.retrying {
			event := o.waiting.take()
			h.failed[event.Key()] = struct{}{}
			failed = append(failed, abandoned{event, o.failure})
		}
		if len(o.events) > 0 {
			unhandled++
		}
		o.waiting = waiting{}
		if !o.running {
			delete(h.objects, k)
		}
	}
	h.endIfDone()
	h.mu.Unlock()

	slices.SortFunc(failed, func(a, b abandoned) int {
		return cmp.Or(cmp.Compare(a.event.Row.Namespace, b.event.Row.Namespace), cmp.Compare(a.event.Row.Name, b.event.Row.Name))
	})
	for _, one := range failed {
		h.reportGivenUp(one.event, one.err)
	}
	return unhandled
}

// remaining counts the objects that a Run which was ended has left waiting.
func (h *Handler) remaining() (unhandled int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.objects {
		if len(o.events) > 0 {
			unhandled++
		}
	}
	return unhandled
}
