package faultproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quiet is how long we listen before we say that nothing comes.
const quiet = 50 * time.Millisecond

// echoServer sends back what it gets. It ends, with its connections, with the test.
func echoServer(t *testing.T) (addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); wg.Wait() })
	return listener.Addr().String()
}

func startTCP(t *testing.T, target string) *TCP {
	t.Helper()
	p, err := ListenTCP(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// client is one connection to a proxy.
type client struct {
	t *testing.T
	net.Conn
}

func dial(t *testing.T, p *TCP) client {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return client{t: t, Conn: conn}
}

func (c client) send(text string) {
	c.t.Helper()
	if _, err := c.Write([]byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

func (c client) expect(want string) {
	c.t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		c.t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

func (c client) expectNothing() {
	c.t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(quiet)); err != nil {
		c.t.Fatal(err)
	}
	n, err := c.Read(make([]byte, 1))
	if n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Fatalf("got %d bytes, %v; want silence", n, err)
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		c.t.Fatal(err)
	}
}

func (c client) expectCut() {
	c.t.Helper()
	if n, err := c.Read(make([]byte, 1)); err == nil {
		c.t.Fatalf("got %d bytes, want the end of the connection", n)
	}
}

func (c client) echoes(text string) {
	c.t.Helper()
	c.send(text)
	c.expect(text)
}

func TestCutEndsOpenConnectionsOnly(t *testing.T) {
	p := startTCP(t, echoServer(t))
	before := dial(t, p)
	before.echoes("a")
	p.Cut()
	before.expectCut()
	dial(t, p).echoes("b")
}

func TestRefuseSparesOpenConnections(t *testing.T) {
	p := startTCP(t, echoServer(t))
	before := dial(t, p)
	before.echoes("a")
	p.Refuse()
	if conn, err := net.Dial("tcp", p.Addr()); err == nil {
		conn.Close()
		t.Fatal("a new connection was accepted")
	}
	before.echoes("b")
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	dial(t, p).echoes("c")
}

func TestFreezeHoldsBackAndResumePassesOn(t *testing.T) {
	p := startTCP(t, echoServer(t))
	before := dial(t, p)
	before.echoes("a")
	p.Freeze()
	during := dial(t, p)
	before.send("b")
	during.send("c")
	before.expectNothing()
	during.expectNothing()
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	before.expect("b")
	during.expect("c")
}

// connected returns a connection through a proxy, and the server's end of it.
func connected(t *testing.T) (p *TCP, c client, server net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	p = startTCP(t, listener.Addr().String())
	c = dial(t, p)
	server, err = listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return p, c, server
}

func TestFreezeHidesThatTheServerHasGone(t *testing.T) {
	p, c, server := connected(t)
	p.Freeze()
	server.Close()
	c.expectNothing()
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	c.expectCut()
}

func TestStrandedConnectionsAreBlackHoles(t *testing.T) {
	p := startTCP(t, echoServer(t))
	before := dial(t, p)
	before.echoes("a")
	p.Strand()
	before.send("b")
	before.expectNothing()
	dial(t, p).echoes("c")
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	before.send("d")
	before.expectNothing()
}

func TestStrandedClientDoesNotLearnThatTheServerHasGone(t *testing.T) {
	p, c, server := connected(t)
	p.Strand()
	server.Close()
	c.expectNothing()
	c.Close()
	waitForConnections(t, p, 0)
}

func TestSlowTakesItsTime(t *testing.T) {
	p := startTCP(t, echoServer(t))
	c := dial(t, p)
	p.Slow(10_000)
	text := string(make([]byte, 1000))
	begin := time.Now()
	c.echoes(text)
	// 100 ms there and the same back; the last part of one overlaps the other.
	if took := time.Since(begin); took < 100*time.Millisecond {
		t.Fatalf("1000 bytes took %v at 10 000 a second", took)
	}
}

func TestServerThatIsDownLooksDown(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	p := startTCP(t, listener.Addr().String())
	// The reset may come so early that it is the dialling that fails.
	if conn, err := net.Dial("tcp", p.Addr()); err == nil {
		defer conn.Close()
		client{t: t, Conn: conn}.expectCut()
	}
}

func TestProxyEndsWithItsContextWhateverState(t *testing.T) {
	for name, fault := range map[string]func(*TCP){
		"forwarding": func(*TCP) {},
		"refusing":   (*TCP).Refuse,
		"frozen":     (*TCP).Freeze,
		"stranded":   (*TCP).Strand,
		"slow":       func(p *TCP) { p.Slow(1) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			p, err := ListenTCP(ctx, echoServer(t))
			if err != nil {
				t.Fatal(err)
			}
			c := dial(t, p)
			c.echoes("a")
			fault(p)
			c.send("more than goes through in the test's time")
			cancel()
			p.Close()
			if n := p.Connections(); n != 0 {
				t.Fatalf("%d connections are left", n)
			}
			if err := p.Resume(); err != nil {
				t.Fatal(err)
			}
			if conn, err := net.Dial("tcp", p.Addr()); err == nil {
				conn.Close()
				t.Fatal("the proxy still listens")
			}
		})
	}
}

func waitForConnections(t *testing.T, p *TCP, want int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for p.Connections() != want {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are open, want %d", p.Connections(), want)
		}
		time.Sleep(time.Millisecond)
	}
}
