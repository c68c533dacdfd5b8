package handler

import (
	"context"
	"sync"
)

// turn is a run's right to write to our stdout and stderr, which one run at a
// time has.
type turn struct {
	ctx context.Context
	// token is what all runs share: room for one.
	token chan struct{}

	// mu is held while the turn is waited for, by one stream of the run for both.
	mu   sync.Mutex
	held bool
}

// take waits for the turn, or until the context of the run's output ends.
func (t *turn) take() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		return nil
	}
	select {
	case t.token <- struct{}{}:
		t.held = true
		return nil
	case <-t.ctx.Done():
		return errNotRead
	}
}

// give lets the next run have its turn.
func (t *turn) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		<-t.token
		t.held = false
	}
}
