package source

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestTypeGoneWhileAwayIsAnEmptyListAfterSomeDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: failThen(newList("7", newRow("a", "1")))}
		g, seen := guarded(server, Options{PageSize: 500})
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		server.list = failThen(nil, slices.Repeat([]error{noType}, 100)...)
		before := time.Now()
		list, err := g.ListWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
		if err != nil {
			t.Fatal(err)
		}
		if rows := list.(*cache.RowList); len(rows.Items) != 0 || rows.ResourceVersion != "" {
			t.Errorf("got %+v", rows)
		}
		// Asked for after 0, 0.2, 0.6, 1.4 and 3 seconds.
		if waited := time.Since(before); waited != 3*time.Second {
			t.Errorf("told after %v", waited)
		}
		for _, f := range seen.failures() {
			if f.Fault != cache.Missing {
				t.Errorf("reported %+v", f)
			}
		}
	})
}

func TestTimeInWhichNobodyCouldSayDoesNotMakeATypeGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7", newRow("a", "1")))}
		g, _ := guarded(server, Options{PageSize: 500})
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		server.list = failThen(newList("7", newRow("a", "1")), noType, unavailable, refused, unavailable, refused, unavailable, noType)
		list, err := g.ListWithContext(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.(*cache.RowList).Items) != 1 {
			t.Error(list, err)
		}
	})
}

func TestTypeUnknownForAMomentKeepsItsObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: failThen(newList("7", newRow("a", "1")))}
		g, _ := guarded(server, Options{PageSize: 500})
		for range 3 {
			list, err := g.ListWithContext(t.Context(), metav1.ListOptions{})
			if err != nil || len(list.(*cache.RowList).Items) != 1 {
				t.Fatal(list, err)
			}
			time.Sleep(time.Minute)
			server.list = failThen(newList("7", newRow("a", "1")), noType, noType, noType, noType)
		}
	})
}
