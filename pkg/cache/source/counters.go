package source

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Stats is what an invocation has cost.
type Stats struct {
	// Lists (pages), Watches and Gets are our own requests; Discovery are all
	// others that went through the configured rest.Config.
	Lists, Watches, Gets, Discovery int64
	// BytesReceived is what came over the wire: compressed, encrypted.
	BytesReceived int64
	// Events are the added, modified and deleted events of all watches.
	Events int64
	// Relists are lists begun after a first one was complete.
	Relists int64
}

type counters struct {
	lists, watches, gets, discovery atomic.Int64
	bytes, events, relists          atomic.Int64
}

func (c *counters) snapshot() Stats {
	return Stats{
		Lists: c.lists.Load(), Watches: c.watches.Load(), Gets: c.gets.Load(), Discovery: c.discovery.Load(),
		BytesReceived: c.bytes.Load(), Events: c.events.Load(), Relists: c.relists.Load(),
	}
}

// exchange goes with the context of one of our requests: it says where the
// request is counted, and brings back the error of the transport.
type exchange struct {
	count *atomic.Int64
	err   error
}

type exchangeKey struct{}

func withExchange(ctx context.Context, count *atomic.Int64) (context.Context, *exchange) {
	x := &exchange{count: count}
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// countedTransport counts requests, each attempt once.
type countedTransport struct {
	next     http.RoundTripper
	counters *counters
}

func (t *countedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	x, ours := request.Context().Value(exchangeKey{}).(*exchange)
	if !ours {
		t.counters.discovery.Add(1)
		return t.next.RoundTrip(request)
	}
	x.count.Add(1)
	response, err := t.next.RoundTrip(request)
	x.err = nil
	if err != nil {
		// As http.Client words it, which is what kubectl's messages are made of.
		x.err = &url.Error{Op: "Get", URL: request.URL.String(), Err: err}
	}
	return response, err
}

// WrappedRoundTripper lets apimachinery find the transport, to close what is idle.
func (t *countedTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

var _ utilnet.RoundTripperWrapper = (*countedTransport)(nil)

type countedConn struct {
	net.Conn
	received *atomic.Int64
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}
