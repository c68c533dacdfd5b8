package informer

import (
	"errors"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestALostConnectionIsToldOnceForAllTargets(t *testing.T) {
	tell(t, func(s *story) {
		servers := []*fakeServer{newFakeServer("10", pod("a", "1")), newFakeServer("10")}
		s.start(Options{}, servers...)
		s.skipEvents()
		refused := errors.New("connection refused")
		for _, server := range servers {
			server.fail(cache.Unreachable, refused)
			server.stream.Stop()
		}
		time.Sleep(time.Minute)
		s.expectNotices("lost")
		for _, server := range servers {
			server.recover()
		}
		s.expectNotices("back")
		s.expectEvents()
		if len(s.group.Failures()) != 0 {
			s.Errorf("failures: %v", s.group.Failures())
		}
	})
}

func TestAStopWithoutAConnectionDoesNotSayThatItIsBack(t *testing.T) {
	tell(t, func(s *story) {
		server := newFakeServer("10")
		s.start(Options{}, server)
		s.skipEvents()
		server.fail(cache.Unreachable, errors.New("connection refused"))
		server.stream.Stop()
		time.Sleep(time.Minute)
		s.expectNotices("lost")
		s.group.Stop()
		s.expectNotices()
	})
}

func TestATargetThatEndsDoesNotKeepTheOthersLost(t *testing.T) {
	tell(t, func(s *story) {
		fine, denied := newFakeServer("10"), newFakeServer("10")
		s.start(Options{}, fine, denied)
		s.skipEvents()
		for _, server := range []*fakeServer{fine, denied} {
			server.fail(cache.Unreachable, errors.New("connection refused"))
			server.stream.Stop()
		}
		time.Sleep(time.Minute)
		s.expectNotices("lost")
		fine.recover()
		for range 2 {
			denied.fail(cache.Denied, errors.New("the token is no longer valid"))
			time.Sleep(denialGrace)
		}
		s.expectNotices("ended", "back")
	})
}

// A server that crashes between a first list and the watch after it denies its
// users, when it comes back, until it has read their rights.
func TestAServerThatCrashesBeforeTheWatchEndsTheTarget(t *testing.T) {
	tell(t, func(s *story) {
		server := newFakeServer("10", pod("a", "1"))
		server.unwatchable = &cache.Report{Fault: cache.Unreachable, Err: errors.New("connection refused")}
		s.start(Options{}, server)
		s.expectEvents("ADDED a 1 initial", "SYNCED")
		s.expectNotices("lost")
		server.fail(cache.Denied, errors.New("pods is forbidden"))
		time.Sleep(time.Second)
		server.recover()
		s.expectNotices("back")
		if len(s.group.Failures()) != 0 {
			s.Errorf("failures: %v", s.group.Failures())
		}
	})
}

// Where nothing is left that has a connection, none is back.
func TestTheLastTargetThatEndsSaysThatTheConnectionIsBack(t *testing.T) {
	tell(t, func(s *story) {
		servers := []*fakeServer{newFakeServer("10"), newFakeServer("10")}
		s.start(Options{}, servers...)
		s.skipEvents()
		for _, server := range servers {
			server.fail(cache.Unreachable, errors.New("connection refused"))
			server.stream.Stop()
		}
		time.Sleep(time.Minute)
		for range 2 {
			for _, server := range servers {
				server.fail(cache.Denied, errors.New("the token is no longer valid"))
			}
			time.Sleep(denialGrace)
		}
		s.expectNotices("lost", "ended", "ended")
	})
}

// A list whose watch is refused at once was told in part, and its end was not.
func TestATargetThatEndsAfterItsListDropsWhatItHasListed(t *testing.T) {
	for range 20 {
		tell(t, func(s *story) {
			server := newFakeServer("10", pod("a", "1"), pod("b", "2"), pod("c", "3"))
			server.unwatchable = &cache.Report{Fault: cache.Denied, Err: errors.New("pods is forbidden")}
			s.start(Options{}, server)
			s.expectEvents("ADDED a 1 initial", "ADDED b 2 initial", "ADDED c 3 initial", "SYNCED")
			s.expectNotices("ended")
			if !s.group.Informers()[0].Synced() {
				s.Error("it has not synced")
			}
		})
	}
}
