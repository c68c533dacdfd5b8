package client

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// readOnly refuses, before anything is sent, what is no get, list, watch or
// question about the user's own rights. Nothing here asks for more: this is what
// holds when something in a library, or in a later version, would.
//
// Credential plugins and OIDC's refresh have clients of their own.
type readOnly struct{ next http.RoundTripper }

func (t *readOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	if !onlyReads(request) {
		if request.Body != nil {
			_ = request.Body.Close() // as a RoundTripper must
		}
		return nil, fmt.Errorf("refused to send %s %s: only get, list, watch and reviews of one's own rights are sent to the server",
			request.Method, request.URL.Path)
	}
	return t.next.RoundTrip(request)
}

// WrappedRoundTripper lets apimachinery find the transport, to close what is idle.
func (t *readOnly) WrappedRoundTripper() http.RoundTripper { return t.next }

// onlyReads reports whether a request changes nothing and opens no way into a node
// or a container. A GET can do that: to pods/exec, or to a proxy.
func onlyReads(request *http.Request) bool {
	group, parts := resourceOf(request.URL.Path)
	switch request.Method {
	case http.MethodGet:
		bodyless := request.Body == nil || request.Body == http.NoBody
		return bodyless && request.Header.Get("Upgrade") == "" && !connects(parts)
	case http.MethodPost:
		return isOwnReview(group, parts)
	}
	return false
}

// resourceOf takes the path of a request apart: the API group, and what comes
// after its version and the namespace. Where the server is not at the root of its
// host, the first part that begins an API counts.
func resourceOf(path string) (group string, parts []string) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	begin := slices.IndexFunc(segments, func(s string) bool { return s == "api" || s == "apis" })
	if begin < 0 {
		return "", nil
	}
	version := begin + 1
	if segments[begin] == "apis" && version < len(segments) {
		group = segments[version]
		version++
	}
	if version >= len(segments) {
		return group, nil
	}
	parts = segments[version+1:]
	if len(parts) > 0 && parts[0] == "watch" {
		parts = parts[1:]
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	return group, parts
}

// connects reports whether a resource, the object's name and the subresource are a
// connection to something behind the server.
func connects(parts []string) bool {
	if len(parts) > 0 && parts[0] == "proxy" {
		return true // as old servers have it: /api/v1/proxy/…
	}
	return len(parts) > 2 && slices.Contains([]string{"attach", "exec", "portforward", "proxy"}, parts[2])
}

// isOwnReview reports whether a resource is a question about the user's own rights,
// which is asked with a POST and leaves nothing behind.
func isOwnReview(group string, parts []string) bool {
	if len(parts) != 1 {
		return false
	}
	switch group {
	case "authorization.k8s.io":
		return parts[0] == "selfsubjectaccessreviews" || parts[0] == "selfsubjectrulesreviews"
	case "authentication.k8s.io":
		return parts[0] == "selfsubjectreviews"
	}
	return false
}
