package faultproxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	added        = `{"type":"ADDED","object":{"metadata":{"name":"a"}}}` + "\n"
	bookmark     = `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}}` + "\n"
	endOfInitial = `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"
)

// startHTTP puts a proxy in front of a server that is made of one handler.
func startHTTP(t *testing.T, handler http.HandlerFunc) *HTTP {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	p, err := ListenHTTP(t.Context(), HTTPOptions{Target: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func get(t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close(); client.CloseIdleConnections() })
	return response
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func ok(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL) }

func TestRequestsAreToldApart(t *testing.T) {
	p := startHTTP(t, ok)
	for _, path := range []string{
		"/api", "/apis", "/apis/apps/v1", "/version", "/openapi/v3",
		"/api/v1/pods?limit=500", "/api/v1/namespaces/shop/pods?watch=true&sendInitialEvents=true",
		"/apis/apps/v1/namespaces/shop/deployments", "/api/v1/namespaces/shop/pods/web-1",
	} {
		if got := body(t, get(t, http.DefaultClient, p.URL()+path)); got != path {
			t.Fatalf("the server got %q, want %q", got, path)
		}
	}
	for _, c := range []struct {
		name  string
		match Match
		want  int
	}{
		{"all", Any, 9},
		{"discovery", Discovery, 3},
		{"lists", List(""), 2},
		{"lists of pods", List("pods"), 1},
		{"watches", Watch(""), 1},
		{"watches of deployments", Watch("deployments"), 0},
		{"below /apis/apps", Path("/apis/apps"), 2},
	} {
		if got := p.Count(c.match); got != c.want {
			t.Errorf("%s: counted %d, want %d", c.name, got, c.want)
		}
	}
	if got := p.Requests(List("pods"))[0].Query.Get("limit"); got != "500" {
		t.Errorf("the list's limit is %q", got)
	}
	p.Forget()
	if got := p.Count(Any); got != 0 {
		t.Errorf("counted %d after Forget", got)
	}
}

func TestInjectedCodeIsUsedUp(t *testing.T) {
	p := startHTTP(t, ok)
	p.Answer(List("pods"), 2, Code(http.StatusBadGateway))
	want := []int{502, 502, 200}
	for i, code := range want {
		if got := get(t, http.DefaultClient, p.URL()+"/api/v1/pods").StatusCode; got != code {
			t.Fatalf("request %d: got %d, want %d", i, got, code)
		}
		if got := get(t, http.DefaultClient, p.URL()+"/api/v1/nodes").StatusCode; got != 200 {
			t.Fatalf("a list of nodes got %d", got)
		}
	}
}

func TestInjectedStatusIsWhatAnAPIServerSends(t *testing.T) {
	p := startHTTP(t, ok)
	remove := p.Answer(Any, Always, Status(apierrors.NewTooManyRequests("slow down", 3).ErrStatus))
	response := get(t, http.DefaultClient, p.URL()+"/api/v1/pods")
	var status metav1.Status
	if err := json.Unmarshal([]byte(body(t, response)), &status); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "3" {
		t.Errorf("got %s, Retry-After %q", response.Status, response.Header.Get("Retry-After"))
	}
	if status.Kind != "Status" || status.Message != "slow down" {
		t.Errorf("got %+v", status)
	}
	remove()
	if got := get(t, http.DefaultClient, p.URL()+"/api/v1/pods").StatusCode; got != 200 {
		t.Errorf("got %d after the answer was taken back", got)
	}
}

func TestLaterAnswerCountsFirst(t *testing.T) {
	p := startHTTP(t, ok)
	p.Answer(Any, Always, Code(500))
	p.Answer(Any, 1, Code(503))
	for _, want := range []int{503, 500} {
		if got := get(t, http.DefaultClient, p.URL()+"/api").StatusCode; got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	}
}

func TestWatchEventsAreNotHeldBack(t *testing.T) {
	goOn := make(chan struct{})
	p := startHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, added)
		w.(http.Flusher).Flush()
		select {
		case <-goOn:
			fmt.Fprint(w, bookmark)
		case <-r.Context().Done():
		}
	})
	// With the filter in place too.
	p.DropClosingBookmark(true)
	lines := bufio.NewReader(get(t, http.DefaultClient, p.URL()+"/api/v1/pods?watch=true&sendInitialEvents=true").Body)
	for i, want := range []string{added, bookmark} {
		if got, err := lines.ReadString('\n'); err != nil || got != want {
			t.Fatalf("event %d: got %q, %v; want %q", i, got, err, want)
		}
		if i == 0 {
			close(goOn)
		}
	}
}

func TestClosingBookmarkIsDroppedAndNothingElse(t *testing.T) {
	p := startHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.Header.Get("Accept"))
		for _, event := range []string{added, bookmark, endOfInitial, added, "half an eve"} {
			if strings.Contains(r.Header.Get("Accept"), "protobuf") {
				event = framed(event)
			}
			fmt.Fprint(w, event)
		}
	})
	rest := added + bookmark + added + "half an eve"
	restFramed := framed(added) + framed(bookmark) + framed(added) + framed("half an eve")
	for _, c := range []struct {
		name, accept, query string
		drop                bool
		want                string
	}{
		{"json", "application/json", "?watch=true&sendInitialEvents=true", true, rest},
		{"table", "application/json;as=Table;v=v1;g=meta.k8s.io", "?watch=true&sendInitialEvents=true", true, rest},
		{"protobuf", "application/vnd.kubernetes.protobuf;stream=watch", "?watch=true&sendInitialEvents=true", true, restFramed},
		{"not a streaming list", "application/json", "?watch=true", true, added + bookmark + endOfInitial + added + "half an eve"},
		{"not asked to", "application/json", "?watch=true&sendInitialEvents=true", false, added + bookmark + endOfInitial + added + "half an eve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.DropClosingBookmark(c.drop)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL()+"/api/v1/pods"+c.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept", c.accept)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if got := body(t, response); got != c.want {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}

// framed is an event as a protobuf watch frames it.
func framed(event string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(event)))) + event
}

func TestServerThatIsDownBreaksTheConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(ok))
	server.Close()
	p, err := ListenHTTP(t.Context(), HTTPOptions{Target: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if response, err := http.Get(p.URL()); err == nil {
		response.Body.Close()
		t.Fatalf("got %s: no API server said that", response.Status)
	}
}

func TestCertificatesAreCheckedOnBothSides(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(ok))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	p, err := ListenHTTP(t.Context(), HTTPOptions{Target: server.URL, RootCAs: roots, Certificate: &server.TLS.Certificates[0]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: true,
	}}
	response := get(t, client, p.URL()+"/api")
	if got := body(t, response); got != "/api" || response.ProtoMajor != 1 {
		t.Errorf("got %q over %s", got, response.Proto)
	}
}

func TestHTTPProxyEndsWithOpenStreams(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, added)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := ListenHTTP(ctx, HTTPOptions{Target: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	p.Answer(Watch("nodes"), Always, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	forwarded := get(t, http.DefaultClient, p.URL()+"/api/v1/pods?watch=true")
	answered := get(t, http.DefaultClient, p.URL()+"/api/v1/nodes?watch=true")
	cancel()
	p.Close()
	for _, response := range []*http.Response{forwarded, answered} {
		if _, err := io.ReadAll(response.Body); err == nil {
			t.Error("a stream was closed as if it were complete")
		}
	}
}
