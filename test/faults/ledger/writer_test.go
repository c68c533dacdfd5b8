package ledger

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// The answer to the first of two changes came after that to the second, and its version
// was taken for what the server has.
func TestOfTwoChangesAtATimeTheLaterVersionCounts(t *testing.T) {
	var accepted atomic.Int64
	second := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		version := accepted.Add(1)
		if version == 1 {
			select { // the answer is late, if it can be
			case <-second:
				time.Sleep(50 * time.Millisecond)
			case <-time.After(200 * time.Millisecond):
			}
		} else {
			close(second)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"%d"}}`, version)
	}))
	defer server.Close()
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	configMaps := Type{schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, "ConfigMap"}
	w := NewWriter(client, "shop", rand.New(rand.NewPCG(1, 2)))
	var changes sync.WaitGroup
	for range 2 {
		changes.Go(func() {
			if err := w.Change(t.Context(), configMaps, "a"); err != nil {
				t.Error(err)
			}
		})
	}
	changes.Wait()
	if got := w.objects[w.Key(configMaps, "a")].ResourceVersion; got != "2" {
		t.Errorf("got %s, want 2", got)
	}
}
