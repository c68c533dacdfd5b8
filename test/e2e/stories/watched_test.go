package stories

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// watched is what the API server's own watches tell, one for each type, of a
// namespace that is empty when they begin.
type watched struct {
	mu   sync.Mutex
	told steps
}

// watchServer watches some types until the test ends.
func watchServer(t *testing.T, namespace string, types ...schema.GroupVersionResource) *watched {
	t.Helper()
	w := &watched{told: steps{}}
	var reading sync.WaitGroup
	t.Cleanup(reading.Wait)
	for _, one := range types {
		client := stage.dynamic.Resource(one).Namespace(namespace)
		list, err := client.List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) > 0 {
			t.Fatalf("the namespace is not empty: %v, %v", list, err)
		}
		// The server closes a watch that is read too slowly: it goes on from where it was.
		stream, err := watchtools.NewRetryWatcherWithContext(t.Context(), list.GetResourceVersion(), &toolscache.ListWatch{
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return client.Watch(ctx, o) },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stream.Stop)
		reading.Go(func() { w.read(stream) })
	}
	return w
}

func (w *watched) read(stream watch.Interface) {
	for event := range stream.ResultChan() {
		if object, ok := event.Object.(*unstructured.Unstructured); ok {
			w.mu.Lock()
			w.told.add(event.Type, object)
			w.mu.Unlock()
		}
	}
}

// differs says how a stream tells another story of an object; nil if none does.
func (w *watched) differs(told steps) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uid, want := range w.told {
		if !reflect.DeepEqual(told[uid], want) {
			return fmt.Errorf("of the object %s was told:\n%v\nthe server tells:\n%v", uid, told[uid], want)
		}
	}
	if len(told) != len(w.told) {
		return fmt.Errorf("%d objects were told, the server tells of %d", len(told), len(w.told))
	}
	return nil
}
