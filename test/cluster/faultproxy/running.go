package faultproxy

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// running are the requests that are being served.
type running struct {
	mu  sync.Mutex
	all map[*exchange]struct{}
}

// exchange is one request that is being served.
type exchange struct {
	request Request
	cancel  context.CancelFunc
	// ended is closed when the answer is to end as if the server had ended it.
	ended chan struct{}

	mu   sync.Mutex
	body io.Closer // of the server's answer, once there is one
}

type exchangeKey struct{}

// add registers a request; done has to be called when it has been served.
func (r *running) add(incoming *http.Request, request Request) (_ *http.Request, done func()) {
	ctx, cancel := context.WithCancel(incoming.Context())
	e := &exchange{request: request, cancel: cancel, ended: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[*exchange]struct{}{}
	}
	r.all[e] = struct{}{}
	return incoming.WithContext(context.WithValue(ctx, exchangeKey{}, e)), func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.all, e)
	}
}

// attach lets an answer of the server be ended. One that was to end before the server
// had begun it ends at once: a quiet watch has nothing to read that would show it.
func (r *running) attach(response *http.Response) {
	e, ok := response.Request.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.body = response.Body
	response.Body = &endable{response.Body, e.ended}
	select {
	case <-e.ended:
		_ = e.body.Close() // its Read says that it has ended
	default:
	}
}

// endable is a body that can be ended before its end.
type endable struct {
	io.ReadCloser
	ended <-chan struct{}
}

func (b *endable) Read(buf []byte) (int, error) {
	n, err := b.ReadCloser.Read(buf)
	select {
	case <-b.ended:
		return 0, io.EOF
	default:
		return n, err
	}
}

// End ends the answers that are being given to requests that match, in good
// order, as an API server ends a watch whose time is up. It returns how many.
func (p *HTTP) End(match Match) int {
	return p.running.each(match, func(e *exchange) {
		select {
		case <-e.ended:
			return
		default:
			close(e.ended)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.body != nil {
			_ = e.body.Close() // its Read says that it has ended
		}
	})
}

// Abort breaks off the answers that are being given to requests that match: in
// HTTP/2 their streams are reset, in HTTP/1.1 their connections. It returns how
// many.
func (p *HTTP) Abort(match Match) int {
	return p.running.each(match, func(e *exchange) { e.cancel() })
}

func (r *running) each(match Match, do func(*exchange)) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := 0
	for e := range r.all {
		if match(e.request) {
			do(e)
			found++
		}
	}
	return found
}
