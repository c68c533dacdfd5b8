package handler

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestOneObjectIsNeverHandledTwiceAtATimeAndItsNewestStateIsLast(t *testing.T) {
	scenario(t, Options{Parallel: 8}, func(s *story) {
		s.takes = time.Second
		s.add("ADDED a 1 initial", "MODIFIED a 1->2", "MODIFIED a 2->3")
		s.at(2500 * time.Millisecond)
		s.add("MODIFIED a 3->4")
		s.at(5 * time.Second)
		s.expect("0s ADDED a 3 initial", "2.5s MODIFIED a 3->4")
		s.add("MODIFIED a 4->5")
		s.add("MODIFIED a 5->6")
		s.add("MODIFIED a 6->7")
		s.at(10 * time.Second)
		s.expect("5s MODIFIED a 4->5", "6s MODIFIED a 5->7")
		if s.most != 1 {
			s.Errorf("%d runs at once of one object", s.most)
		}
	})
}

func TestObjectsAreHandledAtOnceUpToTheLimit(t *testing.T) {
	scenario(t, Options{Parallel: 2}, func(s *story) {
		s.takes = time.Second
		s.add("ADDED a 1", "ADDED b 1", "ADDED c 1", "ADDED d 1", "ADDED e 1")
		s.at(time.Minute)
		s.expect("0s ADDED a 1", "0s ADDED b 1", "1s ADDED c 1", "1s ADDED d 1", "2s ADDED e 1")
		if s.most != 2 {
			s.Errorf("%d runs at once, want 2", s.most)
		}
	})
}

func TestAnObjectThatChangesAllTheTimeDoesNotStarveOthers(t *testing.T) {
	scenario(t, Options{}, func(s *story) {
		s.takes = time.Second
		s.add("ADDED busy 1")
		s.add("MODIFIED busy 1->2", "ADDED a 1")
		s.at(1500 * time.Millisecond)
		s.add("MODIFIED busy 2->3")
		s.at(10 * time.Second)
		s.expect("0s ADDED busy 1", "1s ADDED a 1", "2s MODIFIED busy 1->3")
	})
}

func TestADeletionDuringARunIsNotLostAndComesBeforeTheObjectThatFollows(t *testing.T) {
	scenario(t, Options{}, func(s *story) {
		s.takes = time.Second
		s.add("ADDED a#1 1")
		s.add("MODIFIED a#1 1->2", "DELETED a#1 3", "ADDED a#2 4", "MODIFIED a#2 4->5")
		s.at(10 * time.Second)
		s.expect("0s ADDED a#1 1", "1s DELETED a#1 3", "2s ADDED a#2 5")
	})
}

func TestAnObjectThatCameAndWentDuringARunIsNotHandled(t *testing.T) {
	scenario(t, Options{}, func(s *story) {
		s.takes = time.Second
		s.add("ADDED a 1")
		s.add("ADDED b 1")
		s.add("DELETED b 2")
		s.at(10 * time.Second)
		s.expect("0s ADDED a 1")
	})
}

func TestAResyncIsHandledByTheCommand(t *testing.T) {
	scenario(t, Options{}, func(s *story) {
		s.add("ADDED a 1")
		s.add("RESYNC a 1")
		s.add("RESYNC a 1")
		s.expect("0s ADDED a 1", "0s RESYNC a 1", "0s RESYNC a 1")
	})
}

func TestASyncedMarkIsNothingToHandle(t *testing.T) {
	scenario(t, Options{}, func(s *story) {
		s.add("SYNCED", "ADDED a 1", "SYNCED")
		s.expect("0s ADDED a 1")
	})
}

func TestNamesakesInOtherPlacesAreOtherObjects(t *testing.T) {
	scenario(t, Options{Parallel: 3}, func(s *story) {
		s.takes = time.Second
		other, elsewhere := parse("ADDED a 1"), parse("ADDED a 1")
		other.Target.Resource.Resource = "services"
		elsewhere.Row.Namespace = "other"
		s.h.Add(parse("ADDED a 1"))
		s.h.Add(other)
		s.h.Add(elsewhere)
		s.at(time.Second)
		s.expect("0s ADDED a 1", "0s ADDED a 1", "0s ADDED a 1")
	})
}

func TestEventsAddedBeforeRunAreHandled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{T: t, runs: map[string]int{}, begun: time.Now()}
		s.h = newHandler(Options{Parallel: 1}, s.command)
		s.add("ADDED a 1", "MODIFIED a 1->2", "ADDED b 1")
		go func() { _ = s.h.Run(t.Context()) }()
		s.h.Drain(t.Context())
		s.expect("0s ADDED a 2", "0s ADDED b 1")
	})
}

func TestASlowCommandNeedsMemoryForObjectsNotForEvents(t *testing.T) {
	scenario(t, Options{}, func(s *story) {
		s.takes = time.Hour
		s.add("ADDED first 1")
		for n := range 1000 {
			s.h.Add(parse(fmt.Sprintf("ADDED x%d 1", n)))
			s.h.Add(parse(fmt.Sprintf("DELETED x%d 2", n)))
			s.h.Add(parse(fmt.Sprintf("MODIFIED first %d->%d", n, n+1)))
			s.h.Add(parse(fmt.Sprintf("DELETED y#%d 1", 0)))
			s.h.Add(parse(fmt.Sprintf("ADDED y#%d 1", n)))
			s.h.Add(parse(fmt.Sprintf("DELETED y#%d 1", n)))
		}
		if n := s.h.Pending(); n != 2 {
			s.Errorf("%d objects are kept, want 2", n)
		}
		for k, o := range s.h.objects {
			if len(o.events) > 2 {
				s.Errorf("%d events are kept of %s", len(o.events), k.Name)
			}
		}
	})
}

func TestNothingIsKeptOfWhatHasBeenHandled(t *testing.T) {
	scenario(t, Options{Retries: 1}, func(s *story) {
		s.fails = first
		s.add("ADDED a 1", "ADDED b 1")
		s.add("DELETED a 2")
		s.at(time.Minute)
		if len(s.h.objects) != 0 || len(s.h.failed) != 0 || s.h.ready.Len() != 0 {
			s.Errorf("%d objects, %d failed, %d ready", len(s.h.objects), len(s.h.failed), s.h.ready.Len())
		}
		if n := s.h.limiter.NumRequeues(keyOf(parse("ADDED a 1"))); n != 0 {
			s.Errorf("%d failures are remembered", n)
		}
	})
}

func TestAStopEndsTheRunsUnderWayAndStartsNoOther(t *testing.T) {
	scenario(t, Options{Retries: 5}, func(s *story) {
		s.takes, s.fails = time.Second, only("ADDED a")
		s.add("ADDED a 1", "ADDED b 1", "ADDED c 1")
		s.at(1500 * time.Millisecond) // a waits for its retry, b runs, c waits
		s.stop()
		if err := <-s.ended; err != nil {
			s.Errorf("Run returned %v", err)
		}
		if now := time.Since(s.begun); now != 1500*time.Millisecond {
			s.Errorf("Run returned after %v", now)
		}
		s.add("ADDED late 1")
		s.at(time.Hour)
		s.expect("0s ADDED a 1", "1s ADDED b 1")
		if s.h.Failed() != 0 {
			s.Error("what was ended on request counts as failed")
		}
		if unhandled := s.h.Drain(s.Context()); unhandled != 2 {
			s.Errorf("%d objects wait, want a and c", unhandled)
		}
	})
}

func TestABrokenPipeEndsAllAndIsTold(t *testing.T) {
	scenario(t, Options{Parallel: 2, Retries: 5}, func(s *story) {
		s.takes, s.fails, s.other = time.Second, only("ADDED a"), &brokenOutput{syscall.EPIPE}
		s.add("ADDED a 1")
		s.at(500 * time.Millisecond)
		s.add("ADDED b 1", "ADDED c 1")
		if err := <-s.ended; err != syscall.EPIPE {
			s.Errorf("Run returned %v", err)
		}
		s.expect("0s ADDED a 1", "500ms ADDED b 1")
	})
}

func TestOptionsThatCannotBeMeantAreRefused(t *testing.T) {
	good := Options{Command: []string{"true"}, Parallel: 1, Encode: func(cache.Event) ([]byte, error) { return nil, nil }}
	for want, change := range map[string]func(*Options){
		"COMMAND":           func(o *Options) { o.Command = nil },
		"encoder":           func(o *Options) { o.Encode = nil },
		"--parallel":        func(o *Options) { o.Parallel = 0 },
		"--retries":         func(o *Options) { o.Retries = -2 },
		"--command-timeout": func(o *Options) { o.CommandTimeout = -1 },
		"--grace-period":    func(o *Options) { o.GracePeriod = -1 },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %s", err, want)
		}
	}
}
