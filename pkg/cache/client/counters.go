package client

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Stats is what an invocation has cost.
type Stats struct {
	// Lists (pages), Watches and Gets are our own requests; Discovery are all
	// others that went through the configured rest.Config.
	Lists, Watches, Gets, Discovery int64
	// BytesReceived is what came over the wire: compressed, encrypted.
	BytesReceived int64
}

// Plus is what both have cost.
func (s Stats) Plus(other Stats) Stats {
	return Stats{
		Lists: s.Lists + other.Lists, Watches: s.Watches + other.Watches, Gets: s.Gets + other.Gets,
		Discovery: s.Discovery + other.Discovery, BytesReceived: s.BytesReceived + other.BytesReceived,
	}
}

type counters struct {
	// asked counts our own requests.
	asked     cache.Traffic
	discovery atomic.Int64
	bytes     atomic.Int64
	// pages counts the answers to questions of discovery that no API server gives.
	pages atomic.Int64
	// answered is whether the server has answered a request, be it with an error.
	answered atomic.Bool
}

func (c *counters) snapshot() Stats {
	return Stats{
		Lists:     c.asked.Requests(cache.ListRequest),
		Watches:   c.asked.Requests(cache.WatchRequest),
		Gets:      c.asked.Requests(cache.GetRequest),
		Discovery: c.discovery.Load(),

		BytesReceived: c.bytes.Load(),
	}
}

// note notes what came of a request: any answer is one of the server, or of what
// stands for it.
func (c *counters) note(err error) {
	if err == nil {
		c.answered.Store(true)
	}
}

// isAPIAnswer reports whether an answer can be one of an API server, by its type: the
// pages of gateways are HTML or text. A refusal of credentials, or of the whole
// request, counts as an answer whatever its type.
func isAPIAnswer(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusNotModified, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
		return true
	}
	contentType := response.Header.Get("Content-Type")
	return strings.Contains(contentType, "json") || strings.Contains(contentType, "protobuf")
}

// exchange goes with the context of one of our requests: it has what the request is
// counted as, and brings back the error of the transport.
type exchange struct {
	kind cache.Request
	err  error
	// contentType is that of the last answer.
	contentType string
	// conn is the connection that the last attempt was sent on; nil before.
	conn atomic.Pointer[countedConn]
}

type exchangeKey struct{}

func withExchange(ctx context.Context, kind cache.Request) (context.Context, *exchange) {
	x := &exchange{kind: kind}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		conn := got.Conn
		if secure, ok := conn.(*tls.Conn); ok {
			conn = secure.NetConn()
		}
		if counted, ok := conn.(*countedConn); ok {
			x.conn.Store(counted)
		}
	}})
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
		response, err := t.next.RoundTrip(request)
		t.counters.note(err)
		if err == nil && !isAPIAnswer(response) {
			t.counters.pages.Add(1)
		}
		return response, err
	}
	traffic := cache.TrafficOf(request.Context())
	t.counters.asked.Requested(x.kind)
	traffic.Requested(x.kind)
	response, err := t.next.RoundTrip(request)
	t.counters.note(err)
	if err == nil && traffic != nil {
		response.Body = &countedBody{response.Body, traffic}
	}
	x.err, x.contentType = nil, ""
	if err == nil {
		x.contentType = response.Header.Get("Content-Type")
	} else {
		// As http.Client words it, which is what kubectl's messages are made of.
		x.err = &url.Error{Op: "Get", URL: request.URL.Redacted(), Err: err}
	}
	return response, err
}

// WrappedRoundTripper lets apimachinery find the transport, to close what is idle.
func (t *countedTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

var _ utilnet.RoundTripperWrapper = (*countedTransport)(nil)

// countedBody counts what is read of a body for who has asked.
type countedBody struct {
	io.ReadCloser
	traffic *cache.Traffic
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.traffic.Received(n)
	return n, err
}

// countedConn counts what is received, and notes when.
type countedConn struct {
	net.Conn
	received *atomic.Int64
	// last is when something was received last, in nanoseconds of Unix time.
	last atomic.Int64
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.received.Add(int64(n))
		c.last.Store(time.Now().UnixNano())
	}
	return n, err
}
