package faultproxy

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Request is one request as the API server understands it: verb (list, watch,
// get, …), resource, namespace, name, path.
type Request struct {
	*apirequest.RequestInfo
	Query  url.Values
	Header http.Header
	// At is when it came.
	At time.Time
}

// Match chooses requests.
type Match func(Request) bool

// Any matches every request.
func Any(Request) bool { return true }

// Discovery matches the questions for groups, versions and types.
func Discovery(r Request) bool {
	return !r.IsResourceRequest &&
		(r.Path == "/api" || r.Path == "/apis" || strings.HasPrefix(r.Path, "/api/") || strings.HasPrefix(r.Path, "/apis/"))
}

// List matches the lists of a resource, for example "pods"; an empty resource
// means any. A streaming list is a watch.
func List(resource string) Match { return verb("list", resource) }

// Watch matches the watches of a resource, streaming lists among them; an empty
// resource means any.
func Watch(resource string) Match { return verb("watch", resource) }

// Path matches requests by the beginning of their path.
func Path(prefix string) Match {
	return func(r Request) bool { return strings.HasPrefix(r.Path, prefix) }
}

func verb(verb, resource string) Match {
	return func(r Request) bool {
		return r.IsResourceRequest && r.Verb == verb && (resource == "" || r.Resource == resource)
	}
}

func newRequest(r *http.Request) (Request, error) {
	factory := apirequest.RequestInfoFactory{
		APIPrefixes:          sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}
	info, err := factory.NewRequestInfo(r)
	return Request{RequestInfo: info, Query: r.URL.Query(), Header: r.Header, At: time.Now()}, err
}

// recorder keeps the requests that have come, in order.
type recorder struct {
	mu       sync.Mutex
	requests []Request
}

func (r *recorder) add(request Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, request)
}

// Requests returns those requests since the start, or the last Forget, that
// match; in the order in which they came.
func (p *HTTP) Requests(match Match) []Request {
	p.requests.mu.Lock()
	defer p.requests.mu.Unlock()
	var found []Request
	for _, request := range p.requests.requests {
		if match(request) {
			found = append(found, request)
		}
	}
	return found
}

// Count returns how many requests match.
func (p *HTTP) Count(match Match) int { return len(p.Requests(match)) }

// Forget starts counting anew.
func (p *HTTP) Forget() {
	p.requests.mu.Lock()
	defer p.requests.mu.Unlock()
	p.requests.requests = nil
}
