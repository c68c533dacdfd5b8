package client

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestOnlyReadsPass(t *testing.T) {
	const get, post = http.MethodGet, http.MethodPost
	for _, test := range []struct {
		method, path string
		want         bool
	}{
		{get, "/api/v1/pods", true},
		{get, "/api/v1/namespaces/shop/pods/web/log", true},
		{get, "/apis/apps/v1/namespaces/shop/deployments/web/scale", true},
		{get, "/api/v1/watch/pods", true},
		{get, "/version", true},
		{get, "/openapi/v3", true},
		{get, "/api", true},
		{get, "/apis/apps", true},
		{get, "/k8s/clusters/c-1/api/v1/pods", true},
		// A namespace and an object of such a name.
		{get, "/api/v1/namespaces/proxy/configmaps/exec", true},
		{get, "/api/v1/namespaces/exec", true},
		{get, "/api/v1/namespaces/shop/pods/web/exec", false},
		{get, "/api/v1/namespaces/shop/pods/web/attach", false},
		{get, "/api/v1/namespaces/shop/pods/web/portforward", false},
		{get, "/api/v1/namespaces/shop/pods/web/proxy", false},
		{get, "/api/v1/namespaces/shop/services/web:80/proxy/admin", false},
		{get, "/api/v1/nodes/node-1/proxy/run", false},
		{get, "/api/v1/proxy/nodes/node-1", false},
		{get, "/k8s/clusters/c-1/api/v1/namespaces/shop/pods/web/exec", false},
		{post, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", true},
		{post, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", true},
		{post, "/apis/authentication.k8s.io/v1/selfsubjectreviews", true},
		{post, "/apis/authentication.k8s.io/v1/tokenreviews", false},
		{post, "/apis/authorization.k8s.io/v1/subjectaccessreviews", false},
		{post, "/apis/example.com/v1/selfsubjectaccessreviews", false},
		{post, "/api/v1/namespaces/shop/pods", false},
		{post, "/api/v1/namespaces/shop/pods/web/eviction", false},
		{http.MethodPut, "/api/v1/namespaces/shop/pods/web", false},
		{http.MethodPatch, "/api/v1/namespaces/shop/pods/web", false},
		{http.MethodDelete, "/api/v1/namespaces/shop/pods/web", false},
		{http.MethodDelete, "/api/v1/namespaces/shop/pods", false},
		{http.MethodOptions, "/api/v1/pods", false},
		{http.MethodConnect, "/api/v1/nodes/node-1/proxy", false},
	} {
		request := httptest.NewRequestWithContext(t.Context(), test.method, "https://server"+test.path, nil)
		if got := onlyReads(request); got != test.want {
			t.Errorf("%s %s: got %v", test.method, test.path, got)
		}
	}
}

func TestAReadHasNoBodyAndStaysHTTP(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"a body":     func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("{}")) },
		"an upgrade": func(r *http.Request) { r.Header.Set("Upgrade", "websocket") },
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://server/api/v1/pods", nil)
		change(request)
		if onlyReads(request) {
			t.Errorf("%s passes", name)
		}
	}
}

func TestEveryClientOfAConnectionIsReadOnly(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent++
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1"}`)
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig((&Connection{}).Configure(&rest.Config{Host: server.URL}))
	if err != nil {
		t.Fatal(err)
	}
	pods := client.CoreV1().Pods("shop")
	for name, write := range map[string]func(context.Context) error{
		"create": func(ctx context.Context) error {
			_, err := pods.Create(ctx, &corev1.Pod{}, metav1.CreateOptions{})
			return err
		},
		"update": func(ctx context.Context) error {
			_, err := pods.Update(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.UpdateOptions{})
			return err
		},
		"delete": func(ctx context.Context) error { return pods.Delete(ctx, "a", metav1.DeleteOptions{}) },
		"proxy": func(ctx context.Context) error {
			_, err := pods.ProxyGet("http", "a", "80", "/", nil).DoRaw(ctx)
			return err
		},
	} {
		if err := write(t.Context()); err == nil || !strings.Contains(err.Error(), "refused to send") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if sent > 0 {
		t.Errorf("%d requests reached the server", sent)
	}
	review := &authorizationv1.SelfSubjectAccessReview{}
	if _, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{}); err != nil || sent != 1 {
		t.Errorf("a review: %v, %d requests", err, sent)
	}
}
