package faultproxy

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/loopback"
)

// TCP forwards connections to a server until it is told to do worse. Its
// address stays the same whatever it is told. Its methods may be called from
// any goroutine.
type TCP struct {
	network string // that it listens on: tcp, or unix
	addr    string
	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	mu     sync.Mutex // guards what follows
	target string
	// listener is nil while connections are refused.
	listener net.Listener
	frozen   bool
	rate     int // bytes a second in each direction; 0 is no limit
	// changed is closed, and replaced, whenever frozen or rate change.
	changed chan struct{}
	links   map[*link]struct{}
}

// ListenTCP starts a proxy on a free loopback port for the server at target
// (host:port). It ends when ctx is done or Close is called.
func ListenTCP(ctx context.Context, target string) (*TCP, error) {
	listener, err := loopback.Listen()
	if err != nil {
		return nil, err
	}
	return listen(ctx, listener, target), nil
}

// ListenUnix is the same between two Unix sockets: it creates one, and forwards
// to the server at target, the path of the other.
func ListenUnix(ctx context.Context, socket, target string) (*TCP, error) {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	return listen(ctx, listener, target), nil
}

func listen(ctx context.Context, listener net.Listener, target string) *TCP {
	p := &TCP{
		network: listener.Addr().Network(), addr: listener.Addr().String(), target: target, listener: listener,
		changed: make(chan struct{}), links: map[*link]struct{}{},
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.wg.Add(2)
	go p.accept(listener)
	go p.closeWhenDone()
	return p
}

// Addr returns the proxy's host and port.
func (p *TCP) Addr() string { return p.addr }

// URL returns the proxy's address as an https URL: it passes TLS on untouched.
func (p *TCP) URL() string { return "https://" + p.addr }

// Connections returns how many connections clients have open.
func (p *TCP) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Cut resets all connections that are open now. New ones are not affected.
func (p *TCP) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.cut()
	}
}

// Refuse stops listening: new connections are refused, those that are open go
// on. Refuse, then Cut, is what a crash of the server looks like.
func (p *TCP) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		_ = p.listener.Close() // it has no other error than being closed
		p.listener = nil
	}
}

// Freeze passes on nothing, not even the end of a connection, but keeps all
// connections open and accepts new ones. Resume passes on what was held back.
func (p *TCP) Freeze() { p.set(func() { p.frozen = true }) }

// Slow limits every connection to so many bytes a second in each direction.
func (p *TCP) Slow(bytesPerSecond int) { p.set(func() { p.rate = bytesPerSecond }) }

// Strand turns the connections that are open now into black holes, for good, as
// a router does that forgets them: what either side sends vanishes, and neither
// learns that the other has gone. New connections work.
func (p *TCP) Strand() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.stranded.Store(true)
	}
}

// Retarget leads new connections to another server; those that are open stay
// where they are.
func (p *TCP) Retarget(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// CloseIdle has every connection closed in good order, to both sides, on which
// nothing has passed for so long, as balancers do that hold connections dear.
// It lasts until ctx is done.
func (p *TCP) CloseIdle(ctx context.Context, idle time.Duration) {
	p.wg.Go(func() {
		tick := time.NewTicker(idle / 4)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.closeIdle(time.Now().Add(-idle))
			case <-ctx.Done():
				return
			case <-p.ctx.Done():
				return
			}
		}
	})
}

func (p *TCP) closeIdle(since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if l.active.Load() < since.UnixNano() {
			l.close()
		}
	}
}

// Resume ends Refuse, Freeze and Slow. The error says that the port was taken
// by somebody else meanwhile.
func (p *TCP) Resume() error {
	p.set(func() { p.frozen, p.rate = false, 0 })
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil || p.ctx.Err() != nil {
		return nil
	}
	listener, err := net.Listen(p.network, p.addr)
	if err != nil {
		return err
	}
	p.listener = listener
	p.wg.Add(1)
	go p.accept(listener)
	return nil
}

// Close ends the proxy and all its connections, and returns when they are gone.
func (p *TCP) Close() {
	p.cancel()
	p.wg.Wait()
}

func (p *TCP) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *TCP) closeWhenDone() {
	defer p.wg.Done()
	<-p.ctx.Done()
	p.Refuse()
	p.Cut()
}

func (p *TCP) accept(listener net.Listener) {
	defer p.wg.Done()
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		l := &link{client: client, gone: make(chan struct{})}
		l.touch()
		if !p.add(l) {
			l.cut()
			return
		}
		go p.serve(l)
	}
}

// add registers a link, unless the proxy has ended.
func (p *TCP) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return false
	}
	p.links[l] = struct{}{}
	p.wg.Add(1)
	return true
}

func (p *TCP) remove(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}
