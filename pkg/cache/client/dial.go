package client

import (
	"context"
	"errors"
	"net"
	"sync"
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// newDialer returns a dialer that gives up before a user does, and that notices
// that a peer is gone even when nothing is sent.
func newDialer() *net.Dialer {
	return &net.Dialer{
		Timeout: dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount,
		},
	}
}

// contact remembers whether a server was ever reached. Until then the first
// failure stands for all: a server that is not there is found out once, not once
// for every request. After a first success each dial is tried for real.
type contact struct {
	mu      sync.Mutex
	made    bool
	failure error
}

func (c *contact) dial(ctx context.Context, network, address string, dial dialFunc) (net.Conn, error) {
	if err := c.known(); err != nil {
		return nil, err
	}
	conn, err := dial(ctx, network, address)
	c.note(err)
	return conn, err
}

// known returns the failure that makes a further attempt pointless.
func (c *contact) known() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made {
		return nil
	}
	return c.failure
}

// forget has the next attempt made for real.
func (c *contact) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = nil
}

func (c *contact) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.made = true
	case errors.Is(err, context.Canceled):
		// The caller gave up; nothing is known of the server.
	case c.failure == nil:
		c.failure = err
	}
}
