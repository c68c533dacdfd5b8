package informer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestEventsOfAWatch(t *testing.T) {
	tell(t, func(s *story) {
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
	tell(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"), pod("b", "2"), pod("c", "3"), pod("d#1", "4"))
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "ADDED b 2 initial", "ADDED c 3 initial", "ADDED d#1 4 initial", "SYNCED")
		// Meanwhile b changed twice, c went, d was recreated and e came.
		server.become("20", pod("a", "1"), pod("b", "16"), pod("d#2", "17"), pod("e", "18"))
		server.expire()
		time.Sleep(time.Minute)
		s.expectEvents(
			"DELETED c 3 finalStateUnknown",
			"MODIFIED b 2->16",
			"DELETED d#1 4 finalStateUnknown", "ADDED d#2 17",
			"ADDED e 18")
	})
}

func TestResyncOffersEveryObjectOncePerPeriod(t *testing.T) {
	tell(t, func(s *story) {
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

func TestARelistIsNoResync(t *testing.T) {
	tell(t, func(s *story) {
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
	tell(t, func(s *story) {
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
	tell(t, func(s *story) {
		server := newFakeServer("10", pod("c", "1"), pod("a", "2"), pod("b", "3"))
		s.start(Options{}, server)
		if err := s.group.WaitSynced(s.Context()); err != nil {
			s.Fatal(err)
		}
		i := s.group.Informers()[0]
		names := func(rows []*cache.Row) (names string) {
			for _, row := range rows {
				names += row.Name
			}
			return names
		}
		if got := names(i.Rows(nil)); got != "abc" {
			s.Errorf("all rows: %q", got)
		}
		if got := names(i.Rows(notNamed("b"))); got != "ac" {
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
	_, err := Start(t.Context(), nil, Options{Resync: time.Millisecond})
	if err == nil {
		t.Error("a period the informer cannot keep was taken")
	}
}

func TestATombstoneWithoutObjectKeepsItsName(t *testing.T) {
	queue := NewQueue(0)
	h := &handler{target: pods, push: queue.Push}
	h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "ns/lost"})
	event, _, _ := queue.Next(t.Context())
	if event.Row.Namespace != "ns" || event.Row.Name != "lost" || event.Row.Kind != "Pod" || !event.FinalStateUnknown {
		t.Errorf("got %+v", event)
	}
}

func TestDeniedBeforeSyncEndsTheTargetAtOnceAndNoOther(t *testing.T) {
	tell(t, func(s *story) {
		refused, fine := newFakeServer("10"), newFakeServer("10", pod("a", "1"))
		denied := errors.New("pods is forbidden")
		refused.fail(cache.Denied, denied)
		s.start(Options{SyncTimeout: time.Minute}, refused, fine)
		began := time.Now()
		if err := s.group.WaitSynced(s.Context()); err != nil {
			s.Fatal(err)
		}
		if waited := time.Since(began); waited != 0 {
			s.Errorf("took %v", waited)
		}
		failures := s.group.Failures()
		if len(failures) != 1 || !errors.Is(failures[0], denied) || failures[0].TimedOut {
			s.Errorf("failures: %v", failures)
		}
		if rows := s.group.Informers()[1].Rows(nil); len(rows) != 1 {
			s.Errorf("the other Target has %d rows", len(rows))
		}
		s.expectNotices("ended")
	})
}

func TestAServerThatKeepsFailingEndsTheTargetAfterTheSyncTimeout(t *testing.T) {
	tell(t, func(s *story) {
		server := newFakeServer("10")
		overloaded := errors.New("too many requests")
		server.fail(cache.Transient, overloaded)
		s.start(Options{SyncTimeout: time.Minute}, server)
		began := time.Now()
		if err := s.group.WaitSynced(s.Context()); err != nil {
			s.Fatal(err)
		}
		if waited := time.Since(began); waited != time.Minute {
			s.Errorf("took %v", waited)
		}
		failures := s.group.Failures()
		if len(failures) != 1 || !failures[0].TimedOut || !errors.Is(failures[0], overloaded) {
			s.Errorf("failures: %v", failures)
		}
		s.expectNotices("retrying", "ended")
	})
}

func TestADenialAfterSyncEndsTheTargetOnlyIfItLasts(t *testing.T) {
	tell(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"))
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "SYNCED")
		denied := errors.New("pods is forbidden")
		server.fail(cache.Denied, denied)
		server.stream.Stop()
		time.Sleep(2 * time.Second)
		server.recover()
		time.Sleep(time.Minute)
		s.expectNotices()

		server.fail(cache.Denied, denied)
		server.stream.Stop()
		time.Sleep(6 * time.Second)
		server.fail(cache.Denied, denied)
		s.expectNotices("ended")
		<-s.group.Ended()
		if _, ok, err := s.queue.Next(s.Context()); ok || err != nil {
			s.Errorf("the queue is not closed: ok %v, error %v", ok, err)
		}
	})
}

func TestARightToListWithoutOneToWatchIsToldAtOnce(t *testing.T) {
	tell(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"))
		server.unwatchable = &cache.Report{Fault: cache.Denied, Err: errors.New("cannot watch pods")}
		s.start(Options{}, server)
		began := time.Now()
		<-s.group.Ended()
		if waited := time.Since(began); waited != 0 {
			s.Errorf("took %v", waited)
		}
		if failures := s.group.Failures(); len(failures) != 1 || failures[0].Op != cache.OpWatch {
			s.Errorf("failures: %v", failures)
		}
	})
}

func TestATypeThatGoesAndReturnsIsToldOnceEach(t *testing.T) {
	tell(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"))
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "SYNCED")
		server.stream.Delete(pod("a", "11"))
		synctest.Wait()
		server.fail(cache.Missing, errors.New("could not find the requested resource"))
		server.stream.Stop()
		time.Sleep(time.Minute)
		server.fail(cache.Missing, errors.New("could not find the requested resource"))
		s.expectNotices("gone")
		server.become("30", pod("a#2", "29"))
		server.recover()
		synctest.Wait()
		server.expire()
		time.Sleep(time.Minute)
		s.expectNotices("returned")
		s.expectEvents("DELETED a 11", "ADDED a#2 29")
	})
}

func TestAnInterruptedSyncIsTakenForAnEmptyAnswer(t *testing.T) {
	tell(t, func(s *story) {
		ctx, cancel := context.WithCancel(s.Context())
		server := newFakeServer("10")
		server.fail(cache.Transient, errors.New("503"))
		group, err := Start(ctx, []Spec{{Target: pods, Source: server.source}}, Options{})
		if err != nil {
			s.Fatal(err)
		}
		cancel()
		<-group.Ended()
		for range 20 { // the informers' end and the context's are there to be seen
			if err := group.WaitSynced(ctx); !errors.Is(err, context.Canceled) {
				s.Fatalf("got %v", err)
			}
		}
	})
}

func TestStopBeforeSyncReturnsAtOnce(t *testing.T) {
	tell(t, func(s *story) {
		server := newFakeServer("10")
		server.fail(cache.Transient, errors.New("503"))
		s.start(Options{}, server)
		time.Sleep(10 * time.Second)
		began := time.Now()
		s.group.Stop()
		if waited := time.Since(began); waited != 0 {
			s.Errorf("took %v", waited)
		}
		if len(s.group.Failures()) != 0 {
			s.Errorf("a stop was kept as a failure: %v", s.group.Failures())
		}
	})
}
