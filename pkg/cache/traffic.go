package cache

import (
	"context"
	"sync/atomic"
)

// Request is a kind of request that reads objects.
type Request int

const (
	ListRequest Request = iota
	WatchRequest
	GetRequest
	requestKinds
)

// Traffic counts the requests that are made for somebody, each attempt once, and the
// bytes of the answers' bodies. A nil Traffic counts nothing.
type Traffic struct {
	requests [requestKinds]atomic.Int64
	received atomic.Int64
}

// Requested counts a request.
func (t *Traffic) Requested(kind Request) {
	if t != nil {
		t.requests[kind].Add(1)
	}
}

// Received counts bytes of a body, as they are once they are decompressed.
func (t *Traffic) Received(bytes int) {
	if t != nil {
		t.received.Add(int64(bytes))
	}
}

// Requests returns how many requests of a kind have been made.
func (t *Traffic) Requests(kind Request) int64 { return t.requests[kind].Load() }

// Bytes returns how many bytes of bodies have been received.
func (t *Traffic) Bytes() int64 { return t.received.Load() }

type trafficKey struct{}

// WithTraffic has all requests that are made with the context counted. It goes with
// the context since connections, and what selects between several sources, are shared
// or stand between who asks and who makes the request.
func WithTraffic(ctx context.Context, t *Traffic) context.Context {
	return context.WithValue(ctx, trafficKey{}, t)
}

// TrafficOf is what counts the requests of a context; nil where nothing does.
func TrafficOf(ctx context.Context) *Traffic {
	t, _ := ctx.Value(trafficKey{}).(*Traffic)
	return t
}
