package guard

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// What a transform drops of a page must be gone before the next page comes: a
// list is never held whole with what nobody reads.
func TestAPageIsTransformedBeforeTheNextIsAskedFor(t *testing.T) {
	var told []string
	pages := map[string]*cache.RowList{"": pageOf("more", 1, newRow("a", "1"), newRow("b", "2")), "more": pageOf("", 0, newRow("c", "3"))}
	server := &fakeServer{list: func(o metav1.ListOptions) (runtime.Object, error) {
		told = append(told, "page "+o.Continue)
		return pages[o.Continue], nil
	}}
	g, _ := guarded(server, Options{PageSize: 2, Transform: func(row *cache.Row) { told = append(told, row.Name) }})
	listPages(t, g, metav1.ListOptions{ResourceVersion: "0"})
	if diff := cmp.Diff([]string{"page ", "a", "b", "page more", "c"}, told); diff != "" {
		t.Error(diff)
	}
}

func TestEveryEventIsTransformedButNoBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{watch: opening(play(
			event(watch.Added, newRow("a", "1")), event(watch.Bookmark, newRow("", "5")), event(watch.Deleted, newRow("a", "7"))))}
		server.list = listing(newList("1"))
		g, _ := guarded(server, Options{Transform: func(row *cache.Row) { row.Body = cache.MapBody{} }})
		listOnce(t, g)
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		for e := range w.ResultChan() {
			if done := e.Object.(*cache.Row).Body != nil; done != (e.Type != watch.Bookmark) {
				t.Errorf("%s: transformed: %v", e.Type, done)
			}
		}
	})
}
