package guard

import (
	"context"
	"math"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// The times by which a guard goes. wait.Backoff names the first five.
const (
	// backoffDuration is the first delay after a failure, backoffFactor what each
	// further one is multiplied by: no more than two requests a second.
	backoffDuration = 500 * time.Millisecond
	backoffFactor   = 2
	// backoffJitter is the greatest part of a delay that is added at random, so that
	// many Targets do not ask at once.
	backoffJitter = 0.2
	// backoffCap is the longest delay while a server may come back at any moment,
	// goneCap while a type is looked for that may never return.
	backoffCap = 5 * time.Second
	goneCap    = 10 * time.Second
	// backoffReset is how long nothing must have failed for the delays to start anew.
	backoffReset = 5 * time.Second
	// retryAfterCap bounds what a server may ask for by Retry-After.
	retryAfterCap = 30 * time.Second

	// denialGrace is for how long a synced Target bears to be denied: an API server
	// that has just started refuses its users until its authorizer has synced.
	denialGrace = 5 * time.Second
	// goneGrace is how long discovery must have lacked a type that was there: one of
	// several API servers may be late to know it.
	goneGrace = 3 * time.Second
	// laggingGrace is for how long a server may not know a resourceVersion yet: one
	// of several may be behind. After it the version is of a history that is no more.
	laggingGrace = 5 * time.Second
	// reportedGap is how long nothing can be received before people learn of it,
	// also when the connection heals by itself.
	reportedGap = 2 * time.Second

	// minAnswer is how long a watch waits for its answer to begin, maxAnswer how long
	// at most. Some proxies hold an answer back until there is an event: a bookmark
	// comes every minute.
	minAnswer = 10 * time.Second
	maxAnswer = 80 * time.Second

	// youngest is how old a stream must be when the reflector sees its end. A
	// younger one that brought nothing makes the reflector list everything anew.
	youngest = time.Second
	// overtime is how long after its agreed end a stream is ended from our side: it
	// covers servers that forget to, and connections that died unnoticed.
	overtime = 30 * time.Second
)

// backoff spaces out the requests of one guard after failures. It is safe for use
// by several goroutines.
type backoff struct {
	// jitter is backoffJitter, but in tests.
	jitter float64

	mu        sync.Mutex
	delays    wait.Backoff
	gone      wait.Backoff
	notBefore time.Time
}

// failed puts off the next request. A type that is gone is looked for slowly; a
// server that asks for more time gets it.
func (b *backoff) failed(gone bool, atLeast time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if now.Sub(b.notBefore) >= backoffReset {
		b.delays, b.gone = b.upTo(backoffCap), b.upTo(goneCap)
	}
	delays := &b.delays
	if gone {
		delays = &b.gone
	}
	b.notBefore = now.Add(max(delays.Step(), min(atLeast, retryAfterCap)))
}

// by has the next request made at the given time if it would come later.
func (b *backoff) by(latest time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if latest.Before(b.notBefore) {
		b.notBefore = latest
	}
}

func (b *backoff) upTo(limit time.Duration) wait.Backoff { return delays(b.jitter, limit) }

// Delays are those between two requests to a server that may come back at any moment.
func Delays() wait.Backoff { return delays(backoffJitter, backoffCap) }

func delays(jitter float64, limit time.Duration) wait.Backoff {
	return wait.Backoff{Duration: backoffDuration, Factor: backoffFactor, Jitter: jitter, Steps: math.MaxInt, Cap: limit}
}

// wait returns when the next request may be made, or with the context's error.
func (b *backoff) wait(ctx context.Context) error {
	b.mu.Lock()
	delay := time.Until(b.notBefore)
	b.mu.Unlock()
	if delay <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	return sleep(ctx, delay)
}

// sleep returns early, with the context's error, if the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
