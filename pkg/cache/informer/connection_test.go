package informer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestDeniedBeforeSyncEndsTheTargetAtOnceAndNoOther(t *testing.T) {
	scenario(t, func(s *story) {
		refused, fine := newFakeServer("10"), newFakeServer("10", pod("a", "1"))
		refused.fail(errDenied)
		s.start(Options{SyncTimeout: time.Minute}, refused, fine)
		began := time.Now()
		if err := s.group.WaitSettled(s.Context()); err != nil {
			s.Fatal(err)
		}
		if waited := time.Since(began); waited != 0 {
			s.Errorf("took %v", waited)
		}
		failures := s.group.Failures()
		if len(failures) != 1 || !errors.Is(failures[0], errDenied) || failures[0].TimedOut {
			s.Errorf("failures: %v", failures)
		}
		if rows := s.group.Informers()[1].Rows(nil); len(rows) != 1 {
			s.Errorf("the other Target has %d rows", len(rows))
		}
	})
}

func TestAServerThatKeepsFailingEndsTheTargetAfterTheSyncTimeout(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10")
		server.fail(errUnavailable)
		s.start(Options{SyncTimeout: time.Minute}, server)
		time.Sleep(time.Minute)
		s.expectEvents("RETRYING: too many requests",
			`ENDED: timed out waiting for pods in namespace "ns" to sync: no progress for 1m0s: too many requests`)
		if failures := s.group.Failures(); len(failures) != 1 || !failures[0].TimedOut {
			s.Errorf("failures: %v", failures)
		}
	})
}

func TestADenialAfterSyncEndsTheTargetOnlyIfItLasts(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"))
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "SYNCED")
		server.fail(errDenied)
		server.stream.Stop()
		time.Sleep(time.Second)
		server.fail(nil)
		time.Sleep(time.Minute)
		s.expectEvents()

		server.fail(errDenied)
		server.stream.Stop()
		time.Sleep(10 * time.Second)
		s.expectEvents("ENDED: pods is forbidden")
		<-s.group.Ended()
		if _, ok, err := s.queue.Next(s.Context()); ok || err != nil {
			s.Errorf("the queue is not closed: ok %v, error %v", ok, err)
		}
	})
}

// Whoever reads the stream learns of the end, and has all objects before it.
func TestARightToListWithoutOneToWatchIsAnEndAfterTheObjects(t *testing.T) {
	for range 20 {
		scenario(t, func(s *story) {
			server := newFakeServer("10", pod("a", "1"), pod("b", "2"), pod("c", "3"))
			server.unwatchable = errDenied
			s.start(Options{}, server)
			began := time.Now()
			<-s.group.Ended()
			if waited := time.Since(began); waited != 0 {
				s.Errorf("took %v", waited)
			}
			s.expectEvents("ADDED a 1 initial", "ADDED b 2 initial", "ADDED c 3 initial", "SYNCED", "ENDED: pods is forbidden")
			if failures := s.group.Failures(); len(failures) != 1 || failures[0].Op != cache.OpWatch {
				s.Errorf("failures: %v", failures)
			}
		})
	}
}

func TestATypeThatGoesAndReturnsIsReportedWithItsObjects(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"), pod("b", "2"))
		s.start(Options{}, server)
		s.skipEvents()
		server.stream.Delete(pod("a", "11"))
		synctest.Wait()
		server.fail(errMissing)
		server.stream.Stop()
		time.Sleep(time.Minute)
		s.expectEvents("DELETED a 11", "GONE: could not find the requested resource", "DELETED b 2 finalStateUnknown")
		server.become("30", pod("a#2", "29"))
		server.fail(nil)
		time.Sleep(time.Minute)
		s.expectEvents("RETURNED", "ADDED a#2 29")
	})
}

func TestALossIsReportedAfterWhatWasReceivedBeforeIt(t *testing.T) {
	for range 20 {
		scenario(t, func(s *story) {
			server := newFakeServer("10")
			s.start(Options{}, server)
			s.expectEvents("SYNCED")
			for _, name := range []string{"a", "b", "c"} {
				server.stream.Add(pod(name, "11"))
			}
			server.fail(errUnavailable)
			server.stream.Stop()
			time.Sleep(time.Minute)
			s.expectEvents("ADDED a 11", "ADDED b 11", "ADDED c 11", "LOST: too many requests")
			server.fail(nil)
			time.Sleep(time.Minute)
			s.expectEvents("CONNECTED")
		})
	}
}

// One broken Target mutes no other.
func TestTheConnectionOfEachTargetIsItsOwn(t *testing.T) {
	scenario(t, func(s *story) {
		broken, fine := newFakeServer("10"), newFakeServer("10")
		s.start(Options{}, broken, fine)
		s.skipEvents()
		broken.fail(errUnavailable)
		broken.stream.Stop()
		time.Sleep(time.Minute)
		s.expectEvents("LOST: too many requests")
		fine.fail(errUnavailable)
		fine.stream.Stop()
		time.Sleep(time.Minute)
		s.expectEvents("LOST: too many requests")
		fine.fail(nil)
		time.Sleep(time.Minute)
		s.expectEvents("CONNECTED")
	})
}

// A server that crashes between a first list and the watch after it denies its
// users, when it comes back, until it has read their rights.
func TestAServerThatCrashesBeforeTheWatchDoesNotEndTheTarget(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"))
		server.unwatchable = errUnavailable
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "SYNCED", "LOST: too many requests")
		server.mu.Lock()
		server.unwatchable = errDenied
		server.mu.Unlock()
		time.Sleep(time.Second)
		server.mu.Lock()
		server.unwatchable = nil
		server.mu.Unlock()
		time.Sleep(10 * time.Second)
		s.expectEvents("CONNECTED")
	})
}

func TestAStopWithoutAConnectionReportsNothing(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10")
		s.start(Options{}, server)
		s.skipEvents()
		server.fail(errUnavailable)
		server.stream.Stop()
		time.Sleep(time.Minute)
		s.expectEvents("LOST: too many requests")
		s.group.Stop()
		s.expectEvents()
	})
}

func TestAnInterruptedSyncIsNotTakenForAnEmptyAnswer(t *testing.T) {
	scenario(t, func(s *story) {
		ctx, cancel := context.WithCancel(s.Context())
		server := newFakeServer("10")
		server.fail(errUnavailable)
		group, err := Start(ctx, []Spec{{Target: pods, Source: server}}, Options{Events: s.queue})
		if err != nil {
			s.Fatal(err)
		}
		cancel()
		<-group.Ended()
		for range 20 { // the informers' end and the context's are there to be seen
			if err := group.WaitSettled(ctx); !errors.Is(err, context.Canceled) {
				s.Fatalf("got %v", err)
			}
		}
	})
}

func TestStopBeforeSyncReturnsAtOnce(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("10")
		server.fail(errUnavailable)
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

// An event that client-go keeps back holds up no transition for ever.
func TestTransitionWaitsForItsRowForASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewQueue(0)
		o := &order{push: queue.Push, connected: true, synced: true}
		row := pod("a", "1")
		o.emit(cache.Event{Type: cache.Lost}, row)
		o.emit(cache.Event{Type: cache.Connected}, nil)
		if queue.Len() != 0 {
			t.Error("a transition came before its row")
		}
		time.Sleep(handlerGrace)
		synctest.Wait()
		if queue.Len() != 2 || !o.isConnected() {
			t.Errorf("%d transitions", queue.Len())
		}
		o.handed(row)
		o.emit(cache.Event{Type: cache.Lost}, row)
		if queue.Len() != 3 || o.isConnected() {
			t.Errorf("%d transitions", queue.Len())
		}
	})
}
