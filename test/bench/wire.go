package main

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
)

// wire stands between the tools and the API server and counts what the server
// sends, as encrypted bytes. It is the same for both tools.
type wire struct {
	listener net.Listener
	server   string
	received atomic.Int64
	running  sync.WaitGroup
}

// tap begins to listen in front of the server at a URL. It ends with the context.
func tap(ctx context.Context, server string) (*wire, error) {
	address, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	host := address.Host
	if address.Port() == "" {
		host = net.JoinHostPort(address.Hostname(), "443")
	}
	w := &wire{listener: listener, server: host}
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	w.running.Go(func() {
		defer stop()
		w.accept(ctx)
	})
	return w, nil
}

func (w *wire) url() string { return "https://" + w.listener.Addr().String() }

// close ends the wire; the connections have ended with their programs.
func (w *wire) close() {
	_ = w.listener.Close()
	w.running.Wait()
}

func (w *wire) accept(ctx context.Context) {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.running.Go(func() { w.join(ctx, client) })
	}
}

func (w *wire) join(ctx context.Context, client net.Conn) {
	defer client.Close()
	var dialer net.Dialer
	server, err := dialer.DialContext(ctx, "tcp", w.server)
	if err != nil {
		return
	}
	defer server.Close()
	stop := context.AfterFunc(ctx, func() { _ = client.Close(); _ = server.Close() })
	defer stop()
	var asking sync.WaitGroup
	asking.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close() // the program has ended
	})
	_, _ = io.Copy(counted{client, &w.received}, server)
	_ = client.Close()
	asking.Wait()
}

// counted is a writer that adds up what it has been given.
type counted struct {
	io.Writer
	bytes *atomic.Int64
}

func (c counted) Write(data []byte) (int, error) {
	c.bytes.Add(int64(len(data)))
	return c.Writer.Write(data)
}
