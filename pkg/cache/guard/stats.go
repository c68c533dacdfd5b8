package guard

import (
	"errors"
	"maps"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Relist is why a list was begun after a first one was complete.
type Relist string

const (
	// RelistExpired: the server has no history from the resourceVersion on.
	RelistExpired Relist = "Expired"
	// RelistAhead: the server has not come to the resourceVersion for some time.
	RelistAhead Relist = "Ahead"
	// RelistRewound: the server was restored to an earlier state.
	RelistRewound Relist = "Rewound"
	// RelistMissed: it is not known what has happened since the last list.
	RelistMissed Relist = "Missed"
	// RelistUnversioned: lists have no resourceVersion, from which to watch again.
	RelistUnversioned Relist = "Unversioned"
	// RelistTypeGone: the server does not have the type any more.
	RelistTypeGone Relist = "TypeGone"
	// RelistTypeReturned: the server has the type again.
	RelistTypeReturned Relist = "TypeReturned"
	// RelistRequested: the cache was found to be wrong, see Guard.Relist.
	RelistRequested Relist = "Requested"
	// RelistWatchFailed: a watch ended in a way that the reflector itself lists after.
	RelistWatchFailed Relist = "WatchFailed"
)

// RelistReasons are all reasons.
func RelistReasons() []Relist {
	return []Relist{
		RelistExpired, RelistAhead, RelistRewound, RelistMissed, RelistUnversioned,
		RelistTypeGone, RelistTypeReturned, RelistRequested, RelistWatchFailed,
	}
}

// Stats is what a guard has done.
type Stats struct {
	// Lists are complete lists, Pages the answers that they came in. Watches are those
	// that were opened, Bookmarks and Events what they have brought.
	Lists, Pages, Watches, Bookmarks int64
	Events                           Events
	// Replaced are the objects that complete lists have given to the reflector.
	Replaced int64
	// Relists are the lists begun after a first one was complete, by their reasons.
	Relists map[Relist]int64
	// Failures are failed requests and watches that ended with an error, Losses how
	// often the connection was reported as lost.
	Failures, Losses int64
}

// Events are those of watches.
type Events struct{ Added, Modified, Deleted int64 }

// Sum is the number of all events.
func (e Events) Sum() int64 { return e.Added + e.Modified + e.Deleted }

// Plus adds what another guard has done.
func (s Stats) Plus(o Stats) Stats {
	s.Lists, s.Pages, s.Watches, s.Bookmarks = s.Lists+o.Lists, s.Pages+o.Pages, s.Watches+o.Watches, s.Bookmarks+o.Bookmarks
	s.Events.Added, s.Events.Modified, s.Events.Deleted = s.Events.Added+o.Events.Added, s.Events.Modified+o.Events.Modified, s.Events.Deleted+o.Events.Deleted
	s.Replaced, s.Failures, s.Losses = s.Replaced+o.Replaced, s.Failures+o.Failures, s.Losses+o.Losses
	relists := map[Relist]int64{}
	maps.Copy(relists, s.Relists)
	for reason, count := range o.Relists {
		relists[reason] += count
	}
	s.Relists = relists
	return s
}

// Relisted is the number of all re-lists.
func (s Stats) Relisted() (sum int64) {
	for _, count := range s.Relists {
		sum += count
	}
	return sum
}

// Stats returns what the guard has done so far.
func (g *Guard) Stats() Stats {
	g.counts.mu.Lock()
	defer g.counts.mu.Unlock()
	stats := g.counts.stats
	stats.Relists = maps.Clone(stats.Relists)
	return stats
}

// counts are the Stats of a guard that works.
type counts struct {
	mu    sync.Mutex
	stats Stats
	// next is the reason of the list that is to come.
	next Relist
}

func (c *counts) change(change func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.stats)
}

func (c *counts) watched() { c.change(func(s *Stats) { s.Watches++ }) }
func (c *counts) lost()    { c.change(func(s *Stats) { s.Losses++ }) }

// page counts a page, and a list that it completes with so many objects.
func (c *counts) page(complete bool, objects int64) {
	c.change(func(s *Stats) {
		s.Pages++
		if complete {
			s.Lists++
			s.Replaced += objects
		}
	})
}

// received counts what a watch brings. What is of another shard is no event.
func (c *counts) received(event watch.EventType, ours bool) {
	c.change(func(s *Stats) {
		switch {
		case event == watch.Bookmark:
			s.Bookmarks++
		case !ours:
		case event == watch.Added:
			s.Events.Added++
		case event == watch.Modified:
			s.Events.Modified++
		case event == watch.Deleted:
			s.Events.Deleted++
		}
	})
}

// failed counts a failure. Where a new list is to come already, no request has failed:
// the guard has given it up.
func (c *counts) failed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == "" {
		c.stats.Failures++
	}
}

// because notes why the next list is begun. The guard's own reasons go through the
// reflector as expired, and stay what they were.
func (c *counts) because(reason Relist) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if reason != RelistExpired || c.next == "" {
		c.next = reason
	}
}

// relisted counts a list that is begun after a first one was complete.
func (c *counts) relisted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == "" {
		c.next = RelistWatchFailed
	}
	if c.stats.Relists == nil {
		c.stats.Relists = map[Relist]int64{}
	}
	c.stats.Relists[c.next]++
	c.next = ""
}

// relistFor is the error on which a reflector lists anew, and notes why it does.
func (g *Guard) relistFor(err error) *apierrors.StatusError {
	g.counts.because(g.reasonOf(err))
	return expired(err)
}

func (g *Guard) reasonOf(err error) Relist {
	for reason, known := range map[Relist]error{
		RelistMissed: errMissed, RelistTypeReturned: errTypeReturned, RelistUnversioned: errUnversioned, RelistRewound: errRewound,
	} {
		if errors.Is(err, known) {
			return reason
		}
	}
	switch g.source.Diagnose(err).Fault {
	case cache.Missing:
		return RelistTypeGone
	case cache.Ahead:
		return RelistAhead
	case cache.Expired:
		return RelistExpired
	}
	return RelistWatchFailed
}
