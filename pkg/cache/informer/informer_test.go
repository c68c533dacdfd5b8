package informer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestEventsOfAWatch(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"), pod("b", "2"))
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "ADDED b 2 initial", "SYNCED")
		server.stream.Add(pod("c", "11"))
		server.stream.Modify(pod("a", "12"))
		server.stream.Delete(pod("b", "13"))
		server.stream.Action(watch.Bookmark, pod("", "14"))
		s.expectEvents("ADDED c 11", "MODIFIED a 1->12", "DELETED b 13")
	})
}

func TestNothingIsToldOfUnchangedObjectsAfterARelist(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"), pod("b", "2"), pod("c", "3"), pod("d#1", "4"))
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "ADDED b 2 initial", "ADDED c 3 initial", "ADDED d#1 4 initial", "SYNCED")
		// Meanwhile b changed twice, c went, and e came.
		server.become("20", pod("a", "1"), pod("b", "16"), pod("d#1", "4"), pod("e", "18"))
		server.expire()
		time.Sleep(time.Minute)
		s.expectEvents("DELETED c 3 finalStateUnknown", "MODIFIED b 2->16", "ADDED e 18")
	})
}

func TestAnObjectIsDeletedBeforeTheOneThatTookItsNameIsAdded(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"), pod("d#1", "4"))
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "ADDED d#1 4 initial", "SYNCED")
		server.become("20", pod("d#2", "17"), pod("a", "1"))
		server.expire()
		time.Sleep(time.Minute)
		s.expectEvents("DELETED d#1 4 finalStateUnknown", "ADDED d#2 17")
	})
}

func TestObjectsOfOneNameAreEachTold(t *testing.T) {
	scenario(t, func(s *story) {
		numbered := pod("a#", "2")
		numbered.Namesake = 1
		server := newFakeServer("10", pod("a#x", "1"), pod("a#y", "1"), pod("a#", "1"), numbered)
		s.start(Options{}, server)
		s.expectEvents("ADDED a#x 1 initial", "ADDED a#y 1 initial", "ADDED a# 1 initial", "ADDED a# 2 initial", "SYNCED")
		if rows := s.group.Informers()[0].Rows(nil); len(rows) != 4 {
			t.Errorf("%d are in the cache", len(rows))
		}
		server.stream.Modify(pod("a#y", "11"))
		server.stream.Delete(pod("a#x", "12"))
		s.expectEvents("MODIFIED a#y 1->11", "DELETED a#x 12")
	})
}

func TestResyncOffersEveryObjectOncePerPeriod(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"), pod("b", "2"))
		s.start(Options{Resync: 3 * time.Second}, server)
		s.expectEvents("ADDED a 1 initial", "ADDED b 2 initial", "SYNCED")
		rounds := 0
		for range 10 {
			time.Sleep(3 * time.Second)
			synctest.Wait()
			for s.queue.Len() > 0 {
				event, _, _ := s.queue.Next(s.Context())
				if event.Type != cache.Resync {
					s.Errorf("resync told as %s", describe(event))
				}
				rounds++
			}
		}
		if rounds < 18 || rounds > 20 {
			s.Errorf("%d offers of 2 objects in 10 periods", rounds)
		}
	})
}

func TestResyncStopsWhileTheConnectionIsLost(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"))
		s.start(Options{Resync: time.Second}, server)
		time.Sleep(10 * time.Second)
		s.skipEvents()
		server.fail(errUnavailable)
		server.stream.Stop()
		synctest.Wait()
		s.skipEvents()
		time.Sleep(time.Minute)
		s.expectEvents()
		server.fail(nil)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if s.queue.Len() < 5 {
			s.Errorf("%d events after the connection was back", s.queue.Len())
		}
	})
}

func TestARelistIsNoResync(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"))
		s.start(Options{Resync: time.Hour}, server)
		s.expectEvents("ADDED a 1 initial", "SYNCED")
		server.expire()
		time.Sleep(time.Minute)
		s.expectEvents()
		if server.lists != 2 {
			s.Errorf("%d lists, want 2", server.lists)
		}
	})
}

func TestObjectsWithoutResourceVersionAreComparedByContent(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("", pod("a", "", "Running"), pod("b", "", "Running"))
		s.start(Options{}, server)
		s.expectEvents("ADDED a  initial", "ADDED b  initial", "SYNCED")
		server.become("", pod("a", "", "Running"), pod("b", "", "Done"))
		server.expire()
		time.Sleep(time.Minute)
		s.expectEvents("MODIFIED b ->")
	})
}

func TestRowsAreSortedAndSelected(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("c", "1"), pod("a", "2"), pod("b", "3"))
		s.start(Options{}, server)
		if err := s.group.WaitSettled(s.Context()); err != nil {
			s.Fatal(err)
		}
		i := s.group.Informers()[0]
		names := func(rows []*cache.Row) (names string) {
			for _, row := range rows {
				names += row.Name
			}
			return names
		}
		if got := names(i.Rows(nil)); got != "cab" {
			s.Errorf("all rows of one list: %q, want them in its order", got)
		}
		synctest.Wait()
		server.stream.Add(pod("d", "11"))
		synctest.Wait()
		if got := names(i.Rows(nil)); got != "abcd" {
			s.Errorf("all rows: %q", got)
		}
		if got := names(i.Rows(notNamed("b"))); got != "acd" {
			s.Errorf("selected rows: %q", got)
		}
	})
}

// notNamed selects all rows but those of one name.
type notNamed string

func (n notNamed) Select(indexer toolscache.Indexer) (rows []*cache.Row) {
	for _, obj := range indexer.List() {
		if row := obj.(*cache.Row); row.Name != string(n) {
			rows = append(rows, row)
		}
	}
	return rows
}

func TestATooShortResyncPeriodIsRefused(t *testing.T) {
	_, err := Start(t.Context(), nil, Options{Resync: time.Millisecond, Events: NewQueue(0)})
	if err == nil {
		t.Error("a period the informer cannot keep was taken")
	}
}

func TestATombstoneWithoutObjectKeepsItsName(t *testing.T) {
	queue := NewQueue(0)
	h := &handler{target: pods, push: queue.Push, order: &order{push: queue.Push}, resumed: &resumption{}}
	h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "ns/lost"})
	event, _, _ := queue.Next(t.Context())
	if event.Row.Namespace != "ns" || event.Row.Name != "lost" || event.Row.Kind != "Pod" || !event.FinalStateUnknown {
		t.Errorf("got %+v", event)
	}
}

func TestAGroupTakesInformersThatJoinAndDoesNotEndBefore(t *testing.T) {
	scenario(t, func(s *story) {
		late := pods
		late.Context = "late"
		release, given := make(chan struct{}), 0
		s.start(Options{Joining: []func(context.Context, *Group){
			func(ctx context.Context, g *Group) {
				select {
				case <-release:
				case <-ctx.Done():
					return
				}
				err := g.Add(ctx, []Spec{{Target: late, Source: newFakeServer("20", pod("b", "2"))}}, func(added []*Informer) {
					given = len(added)
					s.queue.Push(cache.Event{Type: cache.Answered})
				})
				if err != nil {
					s.Error(err)
				}
			},
			func(ctx context.Context, _ *Group) { <-ctx.Done() },
		}}, newFakeServer("10", pod("a", "1")))
		s.expectEvents("ADDED a 1 initial", "SYNCED")
		close(release)
		s.expectEvents("ANSWERED", "ADDED b 2 initial", "SYNCED")
		if all := s.group.Informers(); given != 1 || len(all) != 2 || all[1].Target != late {
			s.Errorf("%d given, %d informers", given, len(all))
		}
		s.group.Stop()
		if err := s.group.WaitSettled(s.Context()); err != nil {
			s.Error(err)
		}
	})
}
