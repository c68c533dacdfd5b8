package client

import (
	"fmt"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"
)

// ConfigureLease is Configure for the one client that writes: it may read, create
// and update a single Lease, and nothing else. config must not have been configured
// before, since what only reads would refuse to write.
func (c *Connection) ConfigureLease(config *rest.Config, namespace, name string) *rest.Config {
	return c.configure(config, func(next http.RoundTripper) http.RoundTripper {
		return &onlyLease{next: next, namespace: namespace, name: name}
	})
}

// onlyLease refuses, before anything is sent, what is not about one Lease.
type onlyLease struct {
	next            http.RoundTripper
	namespace, name string
}

func (t *onlyLease) RoundTrip(request *http.Request) (*http.Response, error) {
	if !t.allows(request) {
		if request.Body != nil {
			_ = request.Body.Close() // as a RoundTripper must
		}
		return nil, fmt.Errorf("refused to send %s %s: only the lease %s/%s is read, created and updated",
			request.Method, request.URL.Path, t.namespace, t.name)
	}
	return t.next.RoundTrip(request)
}

// WrappedRoundTripper lets apimachinery find the transport, to close what is idle.
func (t *onlyLease) WrappedRoundTripper() http.RoundTripper { return t.next }

func (t *onlyLease) allows(request *http.Request) bool {
	leases := "/apis/coordination.k8s.io/v1/namespaces/" + t.namespace + "/leases"
	switch request.Method {
	case http.MethodGet, http.MethodPut:
		return strings.HasSuffix(request.URL.Path, leases+"/"+t.name)
	case http.MethodPost:
		return strings.HasSuffix(request.URL.Path, leases)
	}
	return false
}
