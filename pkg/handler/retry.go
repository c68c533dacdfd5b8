package handler

import (
	"errors"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The first retry comes after minDelay, each further one after twice the time,
// up to maxDelay.
const (
	minDelay = 500 * time.Millisecond
	maxDelay = time.Minute
)

// retry decides what follows a failed run: a newer event at once, the same
// event after a delay, or nothing, for which it returns false.
func (h *Handler) retry(k key, event cache.Event, err error, queue workqueue.TypedRateLimitingInterface[key]) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.objects[k]
	o.running, o.failure = false, err
	o.putBack(event)
	if o.retrying && !h.dropping && (h.retries < 0 || h.limiter.NumRequeues(k) < h.retries) {
		queue.AddRateLimited(k)
		return true
	}
	replaced := !o.retrying
	if !replaced {
		o.waiting.take()
		h.failed[event.Key()] = struct{}{}
	}
	h.limiter.Forget(k)
	h.proceed(k, o)
	return replaced
}

// reportGivenUp says that an event will not be tried again. No lock is held.
func (h *Handler) reportGivenUp(event cache.Event, err error) {
	if h.givenUp == nil {
		return
	}
	code := codeCannotRun
	if ended := (*failure)(nil); errors.As(err, &ended) {
		code = ended.code
	}
	h.givenUp(event, code, err)
}
