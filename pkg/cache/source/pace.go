package source

import (
	"context"
	"math"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	firstDelay = 200 * time.Millisecond
	// quickDelay is the longest wait while a server may come back at any moment,
	// slowDelay while a type is looked for that may never return.
	quickDelay = 5 * time.Second
	slowDelay  = 10 * time.Second
	// patience bounds what a server may ask for by Retry-After.
	patience = 30 * time.Second
	// healthy is how long all must have gone well for the delays to start anew.
	healthy = 5 * time.Second
)

// pace spaces out the requests of one guard after failures: a wait that doubles
// from 200 ms, until nothing has failed for 5 seconds. It is safe for use by
// several goroutines.
type pace struct {
	// jitter is the greatest part of a delay that is added at random.
	jitter float64

	mu          sync.Mutex
	quick, slow wait.Backoff
	notBefore   time.Time
}

// failed puts off the next request. A type that is gone is looked for slowly; a
// server that asks for more time gets it.
func (p *pace) failed(slow bool, atLeast time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.notBefore) >= healthy {
		p.quick, p.slow = p.backoff(quickDelay), p.backoff(slowDelay)
	}
	backoff := &p.quick
	if slow {
		backoff = &p.slow
	}
	p.notBefore = now.Add(max(backoff.Step(), min(atLeast, patience)))
}

// skip lets the next request go at once: it is another one than failed.
func (p *pace) skip() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notBefore = time.Now()
}

func (p *pace) backoff(longest time.Duration) wait.Backoff {
	return wait.Backoff{Duration: firstDelay, Factor: 2, Jitter: p.jitter, Steps: math.MaxInt, Cap: longest}
}

// wait returns when the next request may be made, or with the context's error.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	delay := time.Until(p.notBefore)
	p.mu.Unlock()
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
