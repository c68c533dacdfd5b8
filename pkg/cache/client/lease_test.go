package client

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestTheClientOfALeaseWritesNothingElse(t *testing.T) {
	const leases = "/apis/coordination.k8s.io/v1/namespaces/shop/leases"
	transport := &onlyLease{namespace: "shop", name: "tail"}
	for _, test := range []struct {
		method, path string
		want         bool
	}{
		{http.MethodGet, leases + "/tail", true},
		{http.MethodPut, leases + "/tail", true},
		{http.MethodPost, leases, true},
		{http.MethodPut, "/k8s/clusters/c-1" + leases + "/tail", true},
		{http.MethodGet, leases, false},
		{http.MethodGet, leases + "/other", false},
		{http.MethodPut, leases + "/other", false},
		{http.MethodPut, strings.Replace(leases, "shop", "dev", 1) + "/tail", false},
		{http.MethodPost, strings.Replace(leases, "shop", "dev", 1), false},
		{http.MethodPatch, leases + "/tail", false},
		{http.MethodDelete, leases + "/tail", false},
		{http.MethodPost, "/api/v1/namespaces/shop/pods", false},
		{http.MethodPut, "/api/v1/namespaces/shop/pods/tail", false},
	} {
		request := httptest.NewRequestWithContext(t.Context(), test.method, "https://server"+test.path, nil)
		if got := transport.allows(request); got != test.want {
			t.Errorf("%s %s: got %v", test.method, test.path, got)
		}
	}
}

func TestWhatTheClientOfALeaseRefusesIsNotSent(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent++
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"tail"}}`))
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(new(Connection).ConfigureLease(&rest.Config{Host: server.URL}, "shop", "tail"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, leases := t.Context(), client.CoordinationV1().Leases("shop")
	if _, err := leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "tail"}}, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	if err := leases.Delete(ctx, "tail", metav1.DeleteOptions{}); err == nil || !strings.Contains(err.Error(), "refused to send DELETE") {
		t.Errorf("got %v", err)
	}
	if sent != 1 {
		t.Errorf("%d requests were sent", sent)
	}
}
