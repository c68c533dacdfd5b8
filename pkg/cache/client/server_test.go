package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// memory is a network without sockets, so that servers and clients can live in
// a bubble of synctest.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	end   sync.Once
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error   { m.end.Do(func() { close(m.done) }); return nil }
func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case m.conns <- server:
		return client, nil
	case <-m.done:
		return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve starts a server in memory and returns the config to reach it.
func serve(t *testing.T, handler http.HandlerFunc) *rest.Config {
	t.Helper()
	network := &memory{conns: make(chan net.Conn), done: make(chan struct{})}
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener = network
	server.Start()
	t.Cleanup(server.Close)
	return &rest.Config{Host: "http://api", Dial: network.dial}
}

// connect returns a client for the config, and the counts of its connection.
func connect(t *testing.T, config *rest.Config) (*Client, *Connection) {
	t.Helper()
	connection := &Connection{}
	client, err := connection.NewClient(connection.Configure(config))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, connection
}

// from returns the ListerWatcher below the guard.
func from(t *testing.T, config *rest.Config, target cache.Target, r cache.Representation) *listerWatcher {
	t.Helper()
	client, _ := connect(t, config)
	resource, err := client.listerWatcher(target, r, false)
	if err != nil {
		t.Fatal(err)
	}
	return resource
}

func pods() cache.Target {
	return cache.Target{
		Resource:   schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		Kind:       schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
		Namespaced: true, Namespace: "ns",
	}
}

// answer sends JSON.
func answer(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, body)
}

// refuse sends an API server's error.
func refuse(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.ErrStatus
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, _ := json.Marshal(status)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	_, _ = w.Write(body)
}

// sendWatch sends pieces of a watch, and keeps it open until the client leaves.
func sendWatch(w http.ResponseWriter, r *http.Request, pieces ...string) {
	if r.URL.Path == "/version" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json;stream=watch")
	for _, piece := range pieces {
		fmt.Fprint(w, piece)
		w.(http.Flusher).Flush()
	}
	<-r.Context().Done()
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" }

// rowsOf lists, and fails the test unless it gets rows.
func rowsOf(t *testing.T, r *listerWatcher) *cache.RowList {
	t.Helper()
	object, err := r.ListWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return object.(*cache.RowList)
}

// eventsOf watches, and returns the first n events' types and rows.
func eventsOf(t *testing.T, r *listerWatcher, n int) (types []string, rows []runtime.Object) {
	t.Helper()
	w, err := r.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for range n {
		e, open := <-w.ResultChan()
		if !open {
			t.Fatalf("the watch ended after %d events", len(rows))
		}
		types = append(types, string(e.Type))
		rows = append(rows, e.Object)
	}
	return types, rows
}

// envelope is an answer in protobuf.
func envelope(apiVersion, kind string, message []byte) []byte {
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: message}
	data, _ := unknown.Marshal()
	return append([]byte("k8s\x00"), data...)
}
