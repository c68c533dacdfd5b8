package informer

import (
	"fmt"
	"sync"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// health follows one Target by what its ListerWatcher reports, and carries out
// the policy: it says what people should know, and ends the Target.
type health struct {
	group   *Group
	target  cache.Target
	timeout time.Duration

	mu       sync.Mutex
	end      func(error)
	deadline *time.Timer
	listed   bool
	watched  bool
	retrying bool
	lost     bool
	gone     bool
	// deniedSince is when an unbroken row of denials began.
	deniedSince time.Time
	lastErr     error
	objects     int
	remaining   int64
}

func newHealth(g *Group, target cache.Target, syncTimeout time.Duration) *health {
	return &health{group: g, target: target, timeout: syncTimeout}
}

// start lets the policy end the Target, and limits the time without progress.
func (h *health) start(end func(error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end = end
	if h.timeout > 0 {
		h.deadline = time.AfterFunc(h.timeout, h.timedOut)
	}
}

// stop ends the limit. A Target that ends by itself leaves others behind, whose
// connection may be good; where all end, there is nothing to say of connections.
func (h *health) stop(byItself bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopDeadline()
	h.group.leave(h.lost && byItself, Notice{Kind: Back, Target: h.target})
	h.lost = false
}

// hasListed says whether the first list is complete.
func (h *health) hasListed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listed
}

func (h *health) stopDeadline() {
	if h.deadline != nil {
		h.deadline.Stop()
		h.deadline = nil
	}
}

// report takes what the ListerWatcher says of one request.
func (h *health) report(r cache.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Err != nil {
		h.failed(r)
		return
	}
	h.succeeded(r)
}

func (h *health) succeeded(r cache.Report) {
	h.group.reached.Store(true)
	h.deniedSince = time.Time{}
	if r.Op == cache.OpList {
		h.listProgress(r)
	} else {
		h.watched = true
	}
	if h.lost && r.Done {
		h.lost = false
		h.group.connection(-1, Notice{Kind: Back, Target: h.target})
	}
}

func (h *health) listProgress(r cache.Report) {
	h.objects, h.remaining = r.Objects, r.Remaining
	if h.deadline != nil {
		h.deadline.Reset(h.timeout)
	}
	if !r.Done {
		return
	}
	h.listed = true
	h.stopDeadline()
	if h.gone {
		h.gone = false
		h.group.tell(Notice{Kind: Returned, Target: h.target})
	}
}

func (h *health) failed(r cache.Report) {
	h.lastErr = r.Err
	switch decide(h.phase(), r.Fault) {
	case retry:
	case retryAloud:
		if !h.retrying {
			h.retrying = true
			h.group.tell(Notice{Kind: Retrying, Target: h.target, Err: r.Err})
		}
	case end:
		h.end(&cache.SyncError{Target: h.target, Op: r.Op, Fault: r.Fault, Err: r.Err})
	case endIfLasting:
		h.denied(r)
	case lost:
		if !h.lost {
			h.lost = true
			h.group.connection(+1, Notice{Kind: Lost, Target: h.target, Err: r.Err})
		}
	case gone:
		if !h.gone {
			h.gone = true
			h.group.tell(Notice{Kind: Gone, Target: h.target, Err: r.Err})
		}
	}
}

func (h *health) denied(r cache.Report) {
	if h.deniedSince.IsZero() {
		h.deniedSince = time.Now()
	}
	if time.Since(h.deniedSince) >= denialGrace {
		h.end(&cache.SyncError{Target: h.target, Op: r.Op, Fault: r.Fault, Err: r.Err})
	}
}

func (h *health) phase() phase {
	switch {
	// A connection that was lost before its watch had opened was good, too: what
	// a server says that comes back is not yet the last word.
	case h.listed && (h.watched || h.lost):
		return synced
	case h.listed:
		return listed
	case h.group.reached.Load():
		return syncing
	default:
		return firstContact
	}
}

// timedOut ends a Target whose first list has made no progress for too long.
func (h *health) timedOut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listed {
		return
	}
	err := fmt.Errorf("timed out waiting for %s to sync: no progress for %v", h.target, h.timeout)
	if h.lastErr != nil {
		err = fmt.Errorf("%w: %w", err, h.lastErr)
	}
	h.end(&cache.SyncError{Target: h.target, Op: cache.OpList, Fault: cache.Transient, TimedOut: true, Err: err})
}

func (h *health) progress() (objects int, remaining int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.objects, h.remaining
}
