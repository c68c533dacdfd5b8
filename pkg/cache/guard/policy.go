package guard

import (
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// phase is how far a Target has come, as far as it decides what a fault means.
type phase int

const (
	// firstContact: nothing of this invocation has been answered by the server yet.
	firstContact phase = iota
	// syncing: the server answers, this Target's first list is not complete.
	syncing
	// unwatched: the first list is complete, and no watch has been opened yet.
	unwatched
	// synced: the first list is complete, and the Target has been followed since,
	// or its connection has been lost.
	synced
)

// verdict is what to do about a failed request.
type verdict int

const (
	// relist: the resourceVersion has expired, only a new list helps.
	relist verdict = iota
	// relistIfLasting: retry in silence, and relist once nothing but this fault has
	// been met for laggingGrace.
	relistIfLasting
	// retry: try again; before the first list is complete people learn once that
	// it is retried, later the connection is lost until a request succeeds.
	retry
	// end: the Target ends with the error; other Targets go on.
	end
	// endIfLasting: retry in silence, and end once nothing but this fault has been
	// met for denialGrace.
	endIfLasting
	// goneIfLasting: retry in silence, and take the type to be gone once nothing
	// but this fault has been met for goneGrace.
	goneIfLasting
)

// grace is for how long a fault must have been the only one before a verdict
// about lasting faults is carried out.
func (v verdict) grace() time.Duration {
	switch v {
	case relistIfLasting:
		return laggingGrace
	case endIfLasting:
		return denialGrace
	case goneIfLasting:
		return goneGrace
	}
	return 0
}

// decide is the error policy. Until the first watch, a fault that will not go
// away by itself ends the Target at once. After it only the server's own word
// does: a lasting denial, or a request that the server no longer understands.
func decide(p phase, d Diagnosis) verdict {
	switch d.Fault {
	case cache.Expired:
		return relist
	case cache.Ahead:
		return relistIfLasting
	case cache.Invalid, cache.Unsupported:
		if p < synced || d.Authoritative {
			return end
		}
	case cache.Denied:
		switch {
		case p < synced:
			return end
		case d.Authoritative:
			return endIfLasting
		}
	case cache.NoCredentials:
		if p < synced {
			return end
		}
	case cache.Missing:
		if p < unwatched {
			return end
		}
		return goneIfLasting
	case cache.Unreachable:
		if p == firstContact {
			return end
		}
	case cache.Overdue:
		if p < unwatched {
			return end
		}
	}
	return retry
}
