package informer

import (
	"container/list"
	"context"
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// DefaultMaxPending is how many events wait one by one for a slow reader.
const DefaultMaxPending = 10_000

// Queue holds the events between the handlers, which never wait, and one
// reader, which may be slow. Up to max events wait one by one. Beyond that a
// new event of an object that has one waiting is merged into it, so that at
// most a few events an object wait, however long the reader takes.
//
// See cache.Coalesce for what a merge keeps.
type Queue struct {
	max int

	mu      sync.Mutex
	waiting *list.List // of *cache.Event, oldest first
	last    map[cache.ObjectKey]*list.Element
	wake    chan struct{}
	stats   QueueStats
	// reported are the merges that Merged has returned.
	reported int64
	closed   bool
}

// NewQueue returns a queue in which at most max events wait unmerged; 0 and
// below means DefaultMaxPending.
func NewQueue(max int) *Queue {
	if max <= 0 {
		max = DefaultMaxPending
	}
	return &Queue{
		max:     max,
		waiting: list.New(),
		last:    map[cache.ObjectKey]*list.Element{},
		wake:    make(chan struct{}, 1),
	}
}

// Push adds an event and never blocks. After Close it does nothing.
func (q *Queue) Push(event cache.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	defer q.signal()
	q.stats.Pushed++
	if event.Row == nil {
		q.append(event)
		return
	}
	key := event.Key()
	if prior := q.last[key]; prior != nil && q.waiting.Len() >= q.max && q.merge(key, prior, event) {
		q.stats.Merged++
		return
	}
	q.last[key] = q.append(event)
}

// append adds an event as the newest; q.mu is held.
func (q *Queue) append(event cache.Event) *list.Element {
	added := q.waiting.PushBack(&event)
	q.stats.Most = max(q.stats.Most, q.waiting.Len())
	return added
}

// merge coalesces next with the waiting event of the same object, and says whether
// it could.
func (q *Queue) merge(key cache.ObjectKey, prior *list.Element, next cache.Event) bool {
	switch merged := cache.Coalesce(*prior.Value.(*cache.Event), next); len(merged) {
	case 0:
		q.waiting.Remove(prior)
		delete(q.last, key)
	case 1:
		prior.Value = &merged[0]
	default:
		return false
	}
	return true
}

// signal wakes the reader; q.mu is held.
func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Next returns the next event, waiting for one. It ends with the context's
// error, or with ok false when the queue is closed and empty.
func (q *Queue) Next(ctx context.Context) (event cache.Event, ok bool, err error) {
	for {
		if event, ok, closed := q.pop(); ok || closed {
			return event, ok, nil
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return cache.Event{}, false, ctx.Err()
		}
	}
}

// Poll returns the next event if one waits.
func (q *Queue) Poll() (event cache.Event, ok bool) {
	event, ok, _ = q.pop()
	return event, ok
}

// Ready receives when there may be something to Poll.
func (q *Queue) Ready() <-chan struct{} { return q.wake }

// pop takes the oldest waiting event.
func (q *Queue) pop() (event cache.Event, ok, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	oldest := q.waiting.Front()
	if oldest == nil {
		return cache.Event{}, false, q.closed
	}
	popped := q.waiting.Remove(oldest).(*cache.Event)
	if popped.Row != nil {
		if key := popped.Key(); q.last[key] == oldest {
			delete(q.last, key)
		}
	}
	return *popped, true, false
}

// Merged returns how many events have been merged since it was last asked.
func (q *Queue) Merged() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	merged := q.stats.Merged - q.reported
	q.reported = q.stats.Merged
	return int(merged)
}

// QueueStats is what a Queue holds and has done.
type QueueStats struct {
	// Pushed are all events, Merged those of them that were merged into others.
	Pushed, Merged int64
	// Waiting are the events that wait now, Most the most that have waited at once.
	Waiting, Most int
}

// Stats returns what the queue holds and has done so far.
func (q *Queue) Stats() QueueStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	stats := q.stats
	stats.Waiting = q.waiting.Len()
	return stats
}

// Len returns how many events wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting.Len()
}

// Close lets Next return what waits and then end.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}
