package stats

import (
	"slices"
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// Recorder knows all informers of an invocation. Its zero value is one that knows
// none; it may be used by several goroutines.
type Recorder struct {
	mu     sync.Mutex
	groups []*informer.Group
	// stopped is what informers have done that were released, for each of their
	// Targets, which are in the order in which the first of each was.
	stopped map[cache.Target]informer.Stats
	targets []cache.Target
	// queue is what the queues of those have done.
	queue informer.QueueStats
}

// Add adds informers that have been started.
func (r *Recorder) Add(group *informer.Group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.groups = append(r.groups, group)
}

// Release forgets informers that have been stopped and their objects, but not what
// they have done.
func (r *Recorder) Release(group *informer.Group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.Index(r.groups, group)
	if at < 0 {
		return
	}
	r.groups = slices.Delete(r.groups, at, at+1)
	for _, i := range group.Informers() {
		done := i.Stats()
		done.Objects = 0
		before, known := r.stopped[i.Target]
		if !known {
			r.targets = append(r.targets, i.Target)
		}
		if r.stopped == nil {
			r.stopped = map[cache.Target]informer.Stats{}
		}
		r.stopped[i.Target] = before.Plus(done)
	}
	r.queue = plus(r.queue, group.QueueStats())
	r.queue.Waiting = 0
}

// plus adds up two queues. At most as many events wait in both as in each.
func plus(a, b informer.QueueStats) informer.QueueStats {
	return informer.QueueStats{
		Pushed: a.Pushed + b.Pushed, Merged: a.Merged + b.Merged,
		Waiting: a.Waiting + b.Waiting, Most: max(a.Most, b.Most),
	}
}

// Groups returns the informers that have not been released.
func (r *Recorder) Groups() []*informer.Group {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.groups)
}

// Total adds up what all informers hold and have done.
func (r *Recorder) Total() informer.Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	var total informer.Stats
	for _, target := range r.targets {
		total = total.Plus(r.stopped[target])
	}
	for _, group := range r.groups {
		for _, i := range group.Informers() {
			total = total.Plus(i.Stats())
		}
	}
	return total
}

// Document describes all informers; cost is what the invocation has cost by now.
func (r *Recorder) Document(cost client.Stats) Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := Document{Informers: []Informer{}, Queues: []Queue{}}
	var total informer.Stats
	queues := r.queue
	for n, group := range r.groups {
		for _, i := range group.Informers() {
			stats := i.Stats()
			total = total.Plus(stats)
			d.Informers = append(d.Informers, describe(i, stats, n))
		}
		d.Queues = append(d.Queues, queue(group.QueueStats()))
		queues = plus(queues, group.QueueStats())
	}
	for _, target := range r.targets {
		stats := r.stopped[target]
		total = total.Plus(stats)
		d.Informers = append(d.Informers, Informer{Target: targetOf(target), State: Stopped, Informers: stats.Informers, Done: done(stats)})
	}
	d.Sum = Sum{
		Informers: total.Informers, Objects: total.Objects, Done: done(total), Queue: queue(queues),
		BytesReceived: cost.BytesReceived,
	}
	d.Sum.Requests = Requests{List: cost.Lists, Watch: cost.Watches, Get: cost.Gets, Discovery: &cost.Discovery}
	return d
}
