package informer

import (
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// phase is how far a Target has come; it decides what an error means.
type phase int

const (
	// firstContact: nothing of this invocation has reached the server yet.
	firstContact phase = iota
	// syncing: the server answers, this Target's first list is not complete.
	syncing
	// listed: the first list is complete, and no watch has been opened yet.
	listed
	// synced: the first list is complete and has been followed by a watch.
	synced
)

// verdict is what to do about a failed request.
type verdict int

const (
	// retry: the ListerWatcher tries again, nothing is said.
	retry verdict = iota
	// retryAloud: the same, and people are told once that we are waiting.
	retryAloud
	// end: the Target ends with the error; other Targets go on.
	end
	// endIfLasting: as end, once the fault has lasted for denialGrace.
	endIfLasting
	// lost: the connection is lost; the cache stays, the ListerWatcher tries again.
	lost
	// gone: the type is gone; it is looked for again at a slow pace.
	gone
)

// denialGrace is for how long a synced Target bears to be denied: an API server
// that has just started refuses its users until its authorizer has synced.
const denialGrace = 5 * time.Second

// decide is the error policy. Before the first watch a fault that will not go
// away by itself ends the Target at once; after it nothing does but a lasting
// denial and a request the server no longer understands.
func decide(p phase, fault cache.Fault) verdict {
	switch fault {
	case cache.Expired:
		return retry
	case cache.Invalid, cache.Unsupported:
		return end
	case cache.Denied:
		if p == synced {
			return endIfLasting
		}
		return end
	case cache.Missing:
		if p < listed {
			return end
		}
		return gone
	case cache.Unreachable:
		if p == firstContact {
			return end
		}
	case cache.Overdue:
		if p < listed {
			return end
		}
	}
	if p < listed {
		return retryAloud
	}
	return lost
}
