package faultproxy

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// link is one connection of a client, and the one to the server that goes with it.
type link struct {
	client   net.Conn
	stranded atomic.Bool
	active   atomic.Int64 // when something passed last, in Unix nanoseconds
	// gone is closed when the link is cut.
	gone chan struct{}

	mu     sync.Mutex // guards server and the closing of gone
	server net.Conn   // nil until it is dialled
}

func (l *link) touch() { l.active.Store(time.Now().UnixNano()) }

// cut closes both connections so that their peers see a reset.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.gone:
		return
	default:
		close(l.gone)
	}
	reset(l.client)
	if l.server != nil {
		reset(l.server)
	}
}

// join gives the link its server, unless it was cut meanwhile.
func (l *link) join(server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.gone:
		reset(server)
		return false
	default:
		l.server = server
		return true
	}
}

// close ends both connections in good order.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.client.Close() // whoever was to read from it is gone too
	if l.server != nil {
		_ = l.server.Close()
	}
}

func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // fails on a closed connection, where it is not needed
	}
	_ = conn.Close()
}

// serve is the life of one link.
func (p *TCP) serve(l *link) {
	defer p.wg.Done()
	defer p.remove(l)
	if !p.pass(l, 0) {
		return
	}
	server, err := p.dial()
	if err != nil {
		l.cut()
		return
	}
	if !l.join(server) {
		return
	}
	defer l.close()
	upward := make(chan struct{})
	go func() {
		defer close(upward)
		p.pump(l, server, l.client)
		l.close()
	}()
	p.pump(l, l.client, server)
	if !l.stranded.Load() {
		l.close()
	}
	// The server's end of a stranded link has gone unnoticed: the client's is
	// kept open until the client has had enough.
	<-upward
}

func (p *TCP) dial() (net.Conn, error) {
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	return (&net.Dialer{}).DialContext(p.ctx, p.network, target)
}

// pump copies from src to dst until either ends or the link is cut.
func (p *TCP) pump(l *link, dst io.Writer, src io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		l.touch()
		if !p.forward(l, dst, buf[:n]) {
			return
		}
		if err != nil {
			// A frozen link does not show that it has ended either.
			p.pass(l, 0)
			return
		}
	}
}

// forward writes data when, and as fast as, it may pass. It returns false when
// the link has ended.
func (p *TCP) forward(l *link, dst io.Writer, data []byte) bool {
	for len(data) > 0 {
		n := len(data)
		if rate := p.limit(); rate > 0 {
			n = min(n, max(rate/20, 1)) // about twenty times a second
		}
		if !p.pass(l, n) {
			return false
		}
		if !l.stranded.Load() {
			if _, err := dst.Write(data[:n]); err != nil {
				return false
			}
		}
		data = data[n:]
	}
	return true
}

func (p *TCP) limit() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate
}

// pass returns true when n bytes may go on, which is at once where the proxy is
// neither frozen nor slow, and false when the link has been cut.
func (p *TCP) pass(l *link, n int) bool {
	for {
		p.mu.Lock()
		frozen, rate, changed := p.frozen, p.rate, p.changed
		p.mu.Unlock()
		if !frozen && (rate == 0 || n == 0) {
			return true
		}
		var due <-chan time.Time // never, while frozen
		if !frozen {
			due = time.After(time.Duration(n) * time.Second / time.Duration(rate))
		}
		select {
		case <-due:
			return true
		case <-changed:
		case <-l.gone:
			return false
		}
	}
}
