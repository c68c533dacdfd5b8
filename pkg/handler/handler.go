package handler

import (
	"cmp"
	"context"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Handler runs a command for each object that changes.
//
// There is one run at a time for each object, and its changes are handled in
// order. Changes that come while it waits or runs are merged into the newest
// state, but a deletion is always handled, and before the object that took the
// deleted one's name. An object created and deleted before a run had it leaves
// nothing.
//
// A failed run is repeated with the same event after a growing delay. A newer
// event of the object takes the failed one's place at once, and its retries
// are counted from the start; a resync does not. After the last retry the event is
// given up. Other objects are never held up by any of this.
type Handler struct {
	parallel  int
	retries   int
	grace     time.Duration
	processes *Processes
	givenUp   func(event cache.Event, code int, err error)
	done      func(cache.Event)
	// run handles one event. It ends soon after its context does.
	run func(context.Context, cache.Event) error

	// ready holds the keys whose turn it is; limiter counts failures and sets
	// the delays. Run joins them to one rate-limited queue.
	ready   *workqueue.Typed[key]
	limiter workqueue.TypedRateLimiter[key]
	ended   chan struct{}

	mu      sync.Mutex // guards what follows
	repeats *repeats
	// delayed takes keys whose turn comes later; nil before Run.
	delayed workqueue.TypedDelayingInterface[key]
	objects map[key]*object
	// failed are the objects whose newest event was given up.
	failed map[cache.ObjectKey]struct{}
	closed bool
	// dropping says that what has not started yet never will.
	dropping bool
	stop     context.CancelCauseFunc
}

// object is what there is to do for one key; it is forgotten when that is done.
type object struct {
	waiting
	// queued says that its key is ready. (The workqueue would take it once more
	// from whoever adds between a worker's Get and take, and a retry would
	// come without its delay.)
	queued  bool
	running bool
	// resting says that its key is to be ready when its cooldown is over.
	resting bool
	// failure is why the first waiting event is to be tried again.
	failure error
}

// New looks the command up and returns a handler that waits for Run. The error
// is an option that cannot be, or says why the command cannot be run.
func New(o Options) (*Handler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	path, err := lookUp(o.Command[0])
	if err != nil {
		return nil, err
	}
	o.Processes = cmp.Or(o.Processes, NewProcesses())
	return newHandler(o, newProgram(path, o).run), nil
}

func newHandler(o Options, run func(context.Context, cache.Event) error) *Handler {
	if o.Done == nil {
		o.Done = func(cache.Event) {}
	}
	return &Handler{
		parallel:  o.Parallel,
		retries:   o.Retries,
		grace:     o.GracePeriod,
		processes: cmp.Or(o.Processes, NewProcesses()),
		givenUp:   o.GivenUp,
		done:      o.Done,
		run:       run,
		ready:     workqueue.NewTyped[key](),
		limiter:   workqueue.NewTypedItemExponentialFailureRateLimiter[key](minDelay, maxDelay),
		ended:     make(chan struct{}),
		repeats:   newRepeats(o),
		objects:   map[key]*object{},
		failed:    map[cache.ObjectKey]struct{}{},
	}
}

// Add hands over an event, before or while Run runs, and never waits. Memory
// is bounded by the number of objects: see Handler for what is merged.
// Events without an object (SYNCED) and events after the end are ignored.
func (h *Handler) Add(event cache.Event) {
	if event.Row == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	k := keyOf(event)
	o := h.objects[k]
	if o == nil {
		o = &object{}
		h.objects[k] = o
	}
	if void := o.add(event); void {
		h.done(event)
	}
	if o.running || o.retrying {
		return // the end of the run, or of the delay, goes on with it
	}
	h.limiter.Forget(k)
	h.proceed(k, o)
}

// proceed queues an object that has something to handle, and forgets another.
// h.mu is held.
func (h *Handler) proceed(k key, o *object) {
	for len(o.events) > 0 && h.repeats.isRepeat(o.events[0]) {
		h.done(o.waiting.take())
	}
	if len(o.events) > 0 {
		if !o.queued {
			h.enqueue(k, o)
		}
		return
	}
	delete(h.objects, k)
	h.endIfDone()
}

// enqueue makes a key ready, now or when its object has rested. h.mu is held.
func (h *Handler) enqueue(k key, o *object) {
	rest := h.repeats.rest(o.events[0])
	o.resting = rest > 0 && h.delayed != nil && !h.closed
	if o.resting {
		h.delayed.AddAfter(k, rest)
		return
	}
	o.queued = true
	h.ready.Add(k)
}

// endIfDone lets the workers go when there will be nothing more. h.mu is held.
func (h *Handler) endIfDone() {
	if h.closed && len(h.objects) == 0 {
		h.ready.ShutDown()
	}
}

// Pending returns how many objects wait, run or are to be tried again.
func (h *Handler) Pending() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.objects)
}

// Owes says whether something is left to do for an object, or was given up. It may say
// so of an object for another one of the same name.
func (h *Handler) Owes(object cache.ObjectKey) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, failed := h.failed[object]
	object.Identity = object.Anonymous()
	return failed || h.objects[object] != nil
}

// Failed returns how many objects were given up and not handled since: a later
// run without failure for the same object (after a resync, say) makes up for
// it, a run for another one of the same name does not.
func (h *Handler) Failed() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.failed)
}
