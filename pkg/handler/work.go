package handler

import (
	"context"
	"errors"
	"sync"

	"k8s.io/client-go/util/workqueue"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Run handles what is added until its context ends or Drain has been called
// and is done; it is called once. When the context ends, the runs under way
// are asked to end (SIGTERM) and killed after the grace period, with all the
// processes they started; Run returns after them. What they and the waiting
// events were about is left unhandled and not counted as failed. (Options.Processes
// does the same without the grace period.)
//
// The error is nil unless our own stdout or stderr could not be written: that
// ends Run too, and it is the writer's error.
func (h *Handler) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(h.processes.killed, func() { stop(nil) })()
	queue := h.begin(stop)
	defer close(h.ended)
	defer queue.ShutDown()
	defer context.AfterFunc(ctx, queue.ShutDown)()

	var workers sync.WaitGroup
	for range h.parallel {
		workers.Go(func() { h.work(ctx, queue) })
	}
	workers.Wait()
	h.close()

	var broken *brokenOutput
	if errors.As(context.Cause(ctx), &broken) {
		return broken.err
	}
	return nil
}

// begin makes the queue, whose delays need a goroutine that Run owns.
func (h *Handler) begin(stop context.CancelCauseFunc) workqueue.TypedRateLimitingInterface[key] {
	h.mu.Lock()
	h.stop = stop
	h.mu.Unlock()
	delaying := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[key]{Queue: h.ready})
	h.mu.Lock()
	h.delayed = delaying
	h.mu.Unlock()
	return workqueue.NewTypedRateLimitingQueueWithConfig(h.limiter, workqueue.TypedRateLimitingQueueConfig[key]{DelayingQueue: delaying})
}

// work handles one object after the other until there are no more.
func (h *Handler) work(ctx context.Context, queue workqueue.TypedRateLimitingInterface[key]) {
	for {
		k, over := queue.Get()
		if over || ctx.Err() != nil {
			return
		}
		h.handle(ctx, queue, k)
		queue.Done(k)
	}
}

func (h *Handler) handle(ctx context.Context, queue workqueue.TypedRateLimitingInterface[key], k key) {
	event, ok := h.take(k)
	if !ok {
		return
	}
	err := h.run(ctx, event)
	if broken := (*brokenOutput)(nil); errors.As(err, &broken) {
		h.stop(broken)
		return
	}
	if err == nil {
		h.succeeded(k, event)
		return
	}
	if h.stopped(ctx) {
		return // we ended it ourselves: that is no failure of the command's
	}
	if h.retry(k, event, err, queue) {
		return
	}
	h.reportGivenUp(event, err)
}

// stopped says that Run was ended for another reason than that the time was up.
func (h *Handler) stopped(ctx context.Context) bool {
	return h.processes.killed.Err() != nil || ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTimeIsUp)
}

// take starts the oldest event of an object, if there still is one: it may
// have been merged away, or handled before its delay was over.
func (h *Handler) take(k key) (cache.Event, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.objects[k]
	if o == nil || len(o.events) == 0 {
		return cache.Event{}, false
	}
	if o.resting {
		h.repeats.newest(&o.waiting)
	}
	o.queued = false
	if !h.closed && !o.retrying && h.repeats.rest(o.events[0]) > 0 {
		h.enqueue(k, o) // what came first has been merged away
		return cache.Event{}, false
	}
	o.running, o.resting = true, false
	return o.waiting.take(), true
}

func (h *Handler) succeeded(k key, event cache.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.failed, event.Key())
	h.done(event)
	h.repeats.succeeded(event)
	o := h.objects[k]
	o.running, o.failure = false, nil
	h.limiter.Forget(k)
	h.proceed(k, o)
}
