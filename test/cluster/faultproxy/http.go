package faultproxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/loopback"
)

// HTTP forwards requests to an API server, notes each, and answers those that
// it was told to answer itself. It speaks HTTP/1.1 to the server, and to clients
// unless HTTPOptions say otherwise. Its methods may be called from any goroutine.
type HTTP struct {
	url      string
	addr     string
	forward  *httputil.ReverseProxy
	outgoing *http.Transport
	server   *http.Server

	mu    sync.Mutex // guards ended
	ended bool
	// busy counts the accepting goroutine and the requests; none is added once
	// ended is set.
	busy sync.WaitGroup

	dropBookmark atomic.Bool
	swallows     atomic.Pointer[func(event []byte) bool]
	requests     recorder
	answers      answers
	running      running
}

// HTTPOptions say what an HTTP proxy stands between.
type HTTPOptions struct {
	// Target is the server's URL.
	Target string
	// RootCAs are what the server's certificate is checked against; they matter
	// for an https Target only.
	RootCAs *x509.CertPool
	// Certificate is what clients are shown. Without one, the proxy speaks plain
	// HTTP.
	Certificate *tls.Certificate
	// HTTP2 offers HTTP/2 to clients, as API servers do; it needs a Certificate.
	HTTP2 bool
}

// ListenHTTP starts a proxy on a free loopback port. It ends when ctx is done
// or Close is called.
func ListenHTTP(ctx context.Context, options HTTPOptions) (*HTTP, error) {
	target, err := url.Parse(options.Target)
	if err != nil {
		return nil, err
	}
	listener, err := loopback.Listen()
	if err != nil {
		return nil, err
	}
	// Compression is left to the two ends, and streams are passed on as they come.
	p := &HTTP{outgoing: &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: options.RootCAs},
		DisableCompression:  true,
		MaxIdleConnsPerHost: 100,
	}}
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if p.lost(r.In) != nil {
				// What we look into has to come uncompressed.
				r.Out.Header.Del("Accept-Encoding")
			}
		},
		Transport:      p.outgoing,
		FlushInterval:  -1,
		ModifyResponse: p.filter,
		// A server that cannot be reached is a connection that breaks.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     quiet,
	}
	p.server = &http.Server{Handler: p, ErrorLog: quiet}
	p.start(ctx, listener, options)
	return p, nil
}

func (p *HTTP) start(ctx context.Context, listener net.Listener, options HTTPOptions) {
	p.addr = listener.Addr().String()
	p.url = "http://" + p.addr
	if options.Certificate != nil {
		p.url = "https://" + p.addr
		config := &tls.Config{Certificates: []tls.Certificate{*options.Certificate}}
		if options.HTTP2 {
			config.NextProtos = []string{"h2", "http/1.1"}
		}
		listener = tls.NewListener(listener, config)
	}
	stop := context.AfterFunc(ctx, p.end)
	p.busy.Go(func() {
		defer stop()
		_ = p.server.Serve(listener) // it ends when it is closed, and says no more than that
	})
}

// URL returns the proxy's URL.
func (p *HTTP) URL() string { return p.url }

// Addr returns the proxy's host and port, as a TCP proxy in front needs it.
func (p *HTTP) Addr() string { return p.addr }

// DropClosingBookmark says whether streaming lists lose the bookmark that ends
// their initial events; nothing else of them is changed. It applies to streams
// that begin after the call.
func (p *HTTP) DropClosingBookmark(drop bool) { p.dropBookmark.Store(drop) }

// Swallow has watches that begin after the call lose the events that drops says, of which
// it sees the bytes: of strings, they are the same in JSON and in protobuf. It is called
// from several goroutines.
func (p *HTTP) Swallow(drops func(event []byte) bool) { p.swallows.Store(&drops) }

// Close ends the proxy and the requests it serves, and returns when they are gone.
func (p *HTTP) Close() {
	p.end()
	p.busy.Wait()
	p.outgoing.CloseIdleConnections()
}

func (p *HTTP) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	_ = p.server.Close() // it has no error that matters to the one who closes
}

// begin counts a request, unless the proxy has ended.
func (p *HTTP) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.busy.Add(1)
	}
	return !p.ended
}

// ServeHTTP is the proxy's side towards clients.
func (p *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.begin() {
		panic(http.ErrAbortHandler)
	}
	defer p.busy.Done()
	request, err := newRequest(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.requests.add(request)
	r, done := p.running.add(r, request)
	defer done()
	if answer := p.answers.take(request); answer != nil {
		answer.ServeHTTP(w, r)
		return
	}
	p.forward.ServeHTTP(w, r)
}

// lost says which events of a request's answer are lost; nil for none.
func (p *HTTP) lost(request *http.Request) func(event []byte) bool {
	query := request.URL.Query()
	if swallows := p.swallows.Load(); swallows != nil && query.Get("watch") == "true" {
		return *swallows
	}
	if p.dropBookmark.Load() && query.Get("sendInitialEvents") == "true" {
		return closesInitialEvents
	}
	return nil
}

func (p *HTTP) filter(response *http.Response) error {
	if lost := p.lost(response.Request); lost != nil && response.Header.Get("Content-Encoding") == "" {
		response.Body = without(lost, response)
		response.ContentLength = -1
		response.Header.Del("Content-Length")
	}
	p.running.attach(response)
	return nil
}
