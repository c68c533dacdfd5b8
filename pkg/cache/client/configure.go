package client

import (
	"context"
	"net"
	"net/http"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// Connection is what one invocation shares of one cluster: what came of the
// first contact, and the counts of what was asked. The zero value is ready to
// use; a Connection must not be copied.
type Connection struct {
	contact  contact
	counters counters
}

// Configure returns a copy of config for every client of the invocation, the
// discovery client among them. It fits cli-runtime's ConfigFlags.WrapConfigFn.
//
// The copy dials through c: a connection that cannot be made fails within 4
// seconds, and while none has ever been made, all later attempts fail at once
// with the error of the first, so that the many attempts of discovery end
// together. A Dial that config has is kept, with its own time-out. There is no
// client-side rate limit: the server's priority and fairness protects it.
// Compression, proxy and Timeout stay as they are. Nothing but reads is sent. Apply it once to a config,
// since each time adds to the counts.
func (c *Connection) Configure(config *rest.Config) *rest.Config {
	return c.configure(config, func(next http.RoundTripper) http.RoundTripper { return &readOnly{next: next} })
}

// configure is Configure; guarded refuses requests that must not be sent.
func (c *Connection) configure(config *rest.Config, guarded func(http.RoundTripper) http.RoundTripper) *rest.Config {
	out := rest.CopyConfig(config)
	out.QPS = -1
	out.RateLimiter = nil
	dial := config.Dial
	if dial == nil {
		dial = newDialer().DialContext
	}
	out.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := c.contact.dial(ctx, network, address, dial)
		if err != nil {
			return nil, err
		}
		return &countedConn{Conn: conn, received: &c.counters.bytes}, nil
	}
	out.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &countedTransport{next: guarded(next), counters: &c.counters}
	})
	return out
}

// Client makes ListerWatchers that share one http.Client.
type Client struct {
	config     *rest.Config
	httpClient *http.Client
	counters   *counters
	codecs     codecs
	server     *serverVersion
	// listTimeout bounds each single list request; 0 means no bound.
	listTimeout time.Duration
}

// NewClient returns a Client for a config that c has configured. The config's
// Timeout, which would end every watch too, becomes the bound of each list
// request. The error is one of the config: certificates, host, credentials.
func (c *Connection) NewClient(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	timeout := config.Timeout
	config.Timeout = 0
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &Client{
		config:      config,
		httpClient:  httpClient,
		counters:    &c.counters,
		codecs:      newCodecs(),
		server:      &serverVersion{},
		listTimeout: timeout,
	}, nil
}

// Close closes the connections that no request uses any more.
func (c *Client) Close() { utilnet.CloseIdleConnectionsFor(c.httpClient.Transport) }

// Reached reports whether the server has answered any request, with success or an error.
func (c *Connection) Reached() bool { return c.counters.answered.Load() }

// Redial has the server, which could not be reached, dialed anew by the next request.
func (c *Connection) Redial() { c.contact.forget() }

// Pages returns how many questions of discovery were answered by something else
// than an API server, such as a gateway.
func (c *Connection) Pages() int64 { return c.counters.pages.Load() }

// Stats returns what has been asked and received so far.
func (c *Connection) Stats() Stats { return c.counters.snapshot() }
