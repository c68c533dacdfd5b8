package guard

import (
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// state is where the connection of a Target stands.
type state int

const (
	// connecting: the first list is not complete.
	connecting state = iota
	// listed: a list is complete, and no watch has been opened since.
	listed
	// watching: a watch is open.
	watching
	// lost: the watch has ended, or cannot be opened. People know only if it lasts.
	lost
	// denied: lost, and the server's answer is that we may not read the type.
	denied
	// gone: the server has no such type any more.
	gone
	// ended: the Target has ended with an error.
	ended
)

// connection is the state of one Target's connection, and the only copy of it.
// It is pure: it is given what happened, and when, and returns what people should
// know of it, as events without Target and time.
type connection struct {
	state state
	// complete says that a list has been complete once.
	complete bool
	// followed says that a watch has been open once, or has been lost.
	followed bool
	// down is since when nothing can be received; zero while all is well.
	down time.Time
	// reported says that people know that the first list is retried, or that the
	// connection is lost.
	reported bool
	// fault has been the only one since, in every answer; a success ends the row.
	fault cache.Fault
	since time.Time
	// err is the last failure since a success.
	err error
}

// progressed notes an answer that was good, such as one page of a list.
func (c *connection) progressed() { c.since, c.err = time.Time{}, nil }

// listComplete notes that a whole list has arrived.
func (c *connection) listComplete(now time.Time) []cache.Event {
	c.progressed()
	before := c.state
	c.state, c.complete = listed, true
	switch before {
	case gone:
		c.down, c.reported = time.Time{}, false
		return []cache.Event{{Type: cache.Returned}}
	case lost, denied:
		return c.restored(now)
	}
	c.reported = false
	return nil
}

// watchOpened notes that events can be received.
func (c *connection) watchOpened(now time.Time) []cache.Event {
	c.progressed()
	c.state, c.followed = watching, true
	return c.restored(now)
}

// restored reports the end of a time in which nothing could be received, if it
// was reported to have begun, or was long.
func (c *connection) restored(now time.Time) []cache.Event {
	if c.down.IsZero() {
		return nil
	}
	gap := now.Sub(c.down)
	report := c.reported || gap > reportedGap
	c.down, c.reported = time.Time{}, false
	if !report {
		return nil
	}
	return []cache.Event{{Type: cache.Connected, Gap: gap}}
}

// watchClosed notes that a watch has ended, and since when nothing came.
func (c *connection) watchClosed(since time.Time) {
	if c.state == watching {
		c.state, c.down, c.reported = lost, since, false
	}
}

// failed notes a failed request, and says what to do about it. reached says
// whether the server has ever answered anything.
func (c *connection) failed(now time.Time, reached bool, d Diagnosis, err error) (verdict, []cache.Event) {
	if c.since.IsZero() || c.fault != d.Fault {
		c.fault, c.since = d.Fault, now
	}
	c.err = err
	v := decide(c.phase(reached), d)
	if v == retry {
		return v, c.retried(now, err)
	}
	if grace := v.grace(); c.state == gone || now.Sub(c.since) < grace {
		c.doubt(now, v)
		return retry, nil
	}
	switch v {
	case endIfLasting:
		return end, nil
	case relistIfLasting:
		return relist, nil
	case goneIfLasting:
		c.state, c.followed = gone, true
		return v, []cache.Event{{Type: cache.Gone, Err: err}}
	}
	return v, nil
}

// doubt notes a fault that only decides something if it lasts.
func (c *connection) doubt(now time.Time, v verdict) {
	switch {
	case c.state == gone:
	case v == endIfLasting:
		c.interrupted(now, denied)
	default:
		c.interrupted(now, lost)
	}
}

// retried reports, once, that the first list is retried or the connection lost.
func (c *connection) retried(now time.Time, err error) []cache.Event {
	reported := c.reported
	switch c.state {
	case gone:
		return nil
	case connecting:
		c.reported = true
		if !reported {
			return []cache.Event{{Type: cache.Retrying, Err: err}}
		}
		return nil
	}
	c.interrupted(now, lost)
	c.reported = true
	if !reported {
		return []cache.Event{{Type: cache.Lost, Err: err}}
	}
	return nil
}

// interrupted notes that nothing can be received; where it is known already,
// since when stays as it was.
func (c *connection) interrupted(now time.Time, to state) {
	c.state, c.followed = to, true
	if c.down.IsZero() {
		c.down, c.reported = now, false
	}
}

// end notes that the Target has ended. It returns nothing the second time.
func (c *connection) end(err *cache.SyncError) []cache.Event {
	if c.state == ended {
		return nil
	}
	c.state = ended
	return []cache.Event{{Type: cache.Ended, Err: err}}
}

func (c *connection) phase(reached bool) phase {
	switch {
	case c.state != connecting && c.followed:
		return synced
	case c.state != connecting:
		return unwatched
	case reached:
		return syncing
	default:
		return firstContact
	}
}
