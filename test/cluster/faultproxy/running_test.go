package faultproxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"
)

// streaming writes a line at once, and another when it may.
func streaming(more <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, added)
		w.(http.Flusher).Flush()
		select {
		case <-more:
			fmt.Fprint(w, bookmark)
		case <-r.Context().Done():
		}
	}
}

// firstLine reads the line that has been written at once.
func firstLine(t *testing.T, response *http.Response) {
	t.Helper()
	got := make([]byte, len(added))
	if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != added {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestEndedAnswerEndsInGoodOrder(t *testing.T) {
	p := startHTTP(t, streaming(nil))
	watch, other := get(t, http.DefaultClient, p.URL()+"/api/v1/pods?watch=true"), get(t, http.DefaultClient, p.URL()+"/api/v1/nodes?watch=true")
	firstLine(t, watch)
	firstLine(t, other)
	if n := p.End(Watch("pods")); n != 1 {
		t.Fatalf("ended %d answers, want one", n)
	}
	if rest, err := io.ReadAll(watch.Body); err != nil || len(rest) > 0 {
		t.Errorf("got %q, %v; want a clean end", rest, err)
	}
	if n := p.End(Watch("nodes")); n != 1 {
		t.Errorf("the other answer ended too")
	}
}

func TestAnswerEndedBeforeTheServerHasBegunItEnds(t *testing.T) {
	begin := make(chan struct{})
	p := startHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		<-begin
		w.(http.Flusher).Flush()
		<-r.Context().Done() // a watch of what does not change
	})
	go func() {
		defer close(begin)
		for p.End(Watch("pods")) == 0 && t.Context().Err() == nil {
			runtime.Gosched()
		}
	}()
	watch := get(t, http.DefaultClient, p.URL()+"/api/v1/pods?watch=true")
	if rest, err := io.ReadAll(watch.Body); err != nil || len(rest) > 0 {
		t.Errorf("got %q, %v; want a clean end", rest, err)
	}
}

func TestAbortedAnswerBreaksOff(t *testing.T) {
	p := startHTTP(t, streaming(nil))
	watch := get(t, http.DefaultClient, p.URL()+"/api/v1/pods?watch=true")
	firstLine(t, watch)
	if n := p.Abort(Any); n != 1 {
		t.Fatalf("aborted %d answers, want one", n)
	}
	if rest, err := io.ReadAll(watch.Body); err == nil {
		t.Errorf("got %q and a clean end", rest)
	}
}

func TestTornAnswerBreaksOffWhereItIsTold(t *testing.T) {
	p := startHTTP(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "0123456789") })
	for after, want := range map[int]string{1: "0", 9: "012345678"} {
		p.Answer(Any, 1, p.Torn(after))
		if got, err := io.ReadAll(get(t, http.DefaultClient, p.URL()).Body); err == nil || string(got) != want {
			t.Errorf("got %q, %v; want %q and an error", got, err, want)
		}
	}
	p.Answer(Any, 1, p.Torn(10))
	if got, err := io.ReadAll(get(t, http.DefaultClient, p.URL()).Body); err != nil || len(got) != 10 {
		t.Errorf("got %q, %v; want all", got, err)
	}
}

func TestWatchTornInAnEventHasTheEventsBefore(t *testing.T) {
	more := make(chan struct{})
	p := startHTTP(t, streaming(more))
	p.Answer(Any, 1, p.TornInEvent(1))
	watch := get(t, http.DefaultClient, p.URL())
	firstLine(t, watch)
	close(more)
	if rest, err := io.ReadAll(watch.Body); err == nil || string(rest) != bookmark[:len(bookmark)-3] {
		t.Errorf("got %q, %v; want most of the event and an error", rest, err)
	}
}

func TestHTTP2IsOfferedWhereItIsAskedFor(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(ok))
	t.Cleanup(server.Close)
	for _, http2 := range []bool{false, true} {
		p, err := ListenHTTP(t.Context(), HTTPOptions{
			Target: server.URL, RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
			Certificate: &server.TLS.Certificates[0], HTTP2: http2,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		client := &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}, ForceAttemptHTTP2: true,
		}}
		if response := get(t, client, p.URL()); (response.ProtoMajor == 2) != http2 {
			t.Errorf("asked for HTTP/2: %v, got %s", http2, response.Proto)
		}
	}
}

func TestIdleConnectionsAreClosedAndBusyOnesAreNot(t *testing.T) {
	p := startTCP(t, echoServer(t))
	idle, busy := dial(t, p), dial(t, p)
	idle.echoes("a")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.CloseIdle(ctx, 500*time.Millisecond)
	closed := make(chan error, 1)
	go func() {
		_, err := idle.Read(make([]byte, 1))
		closed <- err
	}()
	for {
		select {
		case err := <-closed:
			if err != io.EOF {
				t.Errorf("got %v, want a clean end", err)
			}
			busy.echoes("c")
			return
		default:
			busy.echoes("b")
		}
	}
}

func TestRetargetedProxyLeadsNewConnectionsElsewhere(t *testing.T) {
	p := startTCP(t, echoServer(t))
	before := dial(t, p)
	before.echoes("a")
	server := httptest.NewServer(http.HandlerFunc(ok))
	t.Cleanup(server.Close)
	p.Retarget(server.Listener.Addr().String())
	before.echoes("b")
	if got := body(t, get(t, http.DefaultClient, "http://"+p.Addr()+"/there")); got != "/there" {
		t.Errorf("got %q", got)
	}
}
