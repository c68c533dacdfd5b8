package informer

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestStatsCountEveryStage(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"), pod("b", "2"))
		s.start(Options{Resync: 2 * time.Minute}, server)
		synctest.Wait()
		server.stream.Add(pod("c", "11"))
		server.stream.Modify(pod("a", "12"))
		server.stream.Delete(pod("b", "13"))
		server.stream.Action(watch.Bookmark, pod("", "14"))
		synctest.Wait()
		server.become("20", pod("a", "12"), pod("d", "18"))
		server.expire()
		time.Sleep(150 * time.Second)
		synctest.Wait()

		i := s.group.Informers()[0]
		got := i.Stats()
		wantHandler := HandlerStats{Added: 4, Updated: 4, Deleted: 2, Unchanged: 1, Synced: 2, FinalStateUnknown: 1, Rounds: 1, Resynced: 2}
		if got.Handler != wantHandler {
			s.Errorf("handler: %+v, want %+v", got.Handler, wantHandler)
		}
		g := got.Guard
		if g.Lists != 2 || g.Pages != 2 || g.Relisted() != 1 || g.Watches != 2 || g.Bookmarks != 1 || g.Replaced != 4 || g.Events.Sum() != 3 {
			s.Errorf("guard: %+v", g)
		}
		if got.Objects != 2 || got.Informers != 1 || got.SyncedAfter < 0 {
			s.Errorf("got %+v", got)
		}
		queue := s.group.QueueStats()
		// What the handler reports, and SYNCED: neither an unchanged object nor a re-list.
		if queue.Pushed != 10 || queue.Waiting != 10 || queue.Most != 10 || queue.Merged != 0 {
			s.Errorf("queue: %+v", queue)
		}
	})
}

func TestRoundsOfResyncAreCountedWhateverComesAndGoesMeanwhile(t *testing.T) {
	var c calls
	sync := func(names ...string) {
		for _, name := range names {
			c.updated(pod(name, "1"), cache.Resync)
		}
	}
	sync("a", "b")
	sync("b", "a")
	sync("new", "b", "a")
	c.deleted(pod("b", "1"), false)
	sync("a", "new")
	c.updated(pod("a", "2"), cache.Modified)
	sync("new", "a")
	c.deleted(pod("a", "1"), false)
	c.deleted(pod("new", "1"), true)
	sync("other")
	sync("other")
	if got := c.snapshot().Rounds; got != 7 {
		t.Errorf("%d rounds, want 7", got)
	}
}

func TestAQueueKnowsTheMostThatHaveWaitedAndAllMerges(t *testing.T) {
	q := NewQueue(2)
	push(q, "ADDED a 1", "ADDED b 1", "MODIFIED a 1 2", "MODIFIED a 2 3")
	if merged := q.Merged(); merged != 2 {
		t.Errorf("%d merges to report", merged)
	}
	push(q, "MODIFIED b 1 2")
	if merged := q.Merged(); merged != 1 {
		t.Errorf("%d merges to report since", merged)
	}
	q.Poll()
	if got, want := q.Stats(), (QueueStats{Pushed: 5, Merged: 3, Waiting: 1, Most: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAnIndexIsAsLargeAsItsEntries(t *testing.T) {
	indexer := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{
		"none":   func(any) ([]string, error) { return nil, nil },
		"letter": func(obj any) ([]string, error) { return []string{obj.(*cache.Row).Name[:1], "all"}, nil },
	})
	for _, name := range []string{"a1", "a2", "b1"} {
		if err := indexer.Add(pod(name, "1")); err != nil {
			t.Fatal(err)
		}
	}
	if err := indexer.Delete(pod("b1", "1")); err != nil {
		t.Fatal(err)
	}
	want := []IndexSize{{Name: "letter", Values: 2, Entries: 4}, {Name: "none"}}
	if got := indexSizes(indexer); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
