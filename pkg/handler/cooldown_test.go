package handler

import (
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestOnceIsOneRunForEachObjectAndTypeOfEvent(t *testing.T) {
	scenario(t, Options{Once: true, Retries: 1}, func(s *story) {
		s.fails = first
		// It flaps three times: one alert, and one that it is over.
		for n := range 3 {
			s.add("ADDED a 1")
			s.at(time.Duration(2*n+1) * time.Minute)
			s.add("DELETED a 2 NoLongerMatches")
			s.at(time.Duration(2*n+2) * time.Minute)
		}
		s.expect("0s ADDED a 1", "500ms ADDED a 1", "1m0s DELETED a 2 NoLongerMatches", "1m0.5s DELETED a 2 NoLongerMatches")
		s.fails = nil
		// Another object of the name, and its end, are another matter.
		s.add("ADDED a#2 3", "DELETED a#2 4")
		s.expect()
		s.add("ADDED a#2 3")
		s.add("DELETED a#2 4 NoLongerMatches")
		s.add("DELETED a#2 5")
		s.expect("6m0s ADDED a#2 3", "6m0s DELETED a#2 4 NoLongerMatches", "6m0s DELETED a#2 5")
		if len(s.h.repeats.handled) != 2 {
			s.Errorf("of an object that is gone something is remembered: %v", s.h.repeats.handled)
		}
	})
}

func TestNoOtherRunStartsDuringACooldown(t *testing.T) {
	scenario(t, Options{Cooldown: 10 * time.Minute, Retries: 1}, func(s *story) {
		s.add("ADDED a 1", "ADDED b 1")
		s.expect("0s ADDED a 1", "0s ADDED b 1")
		s.at(time.Minute)
		s.add("MODIFIED a 1->2", "MODIFIED a 2->3", "DELETED b 2 NoLongerMatches", "ADDED c 1")
		s.expect("1m0s ADDED c 1")
		s.at(2 * time.Minute)
		s.add("ADDED b 3") // it is back
		s.at(time.Hour)
		s.expect("10m0s MODIFIED a 1->3", "10m0s ADDED b 3")
		if s.h.Pending() != 0 || s.h.repeats.resting.Next().After(time.Now()) {
			s.Errorf("%d objects wait", s.h.Pending())
		}
	})
}

func TestAFailureIsNotFollowedByACooldown(t *testing.T) {
	scenario(t, Options{Cooldown: 10 * time.Minute, Retries: 1}, func(s *story) {
		s.fails = first
		s.add("ADDED a 1")
		s.at(time.Minute)
		s.add("MODIFIED a 1->2")
		s.at(time.Hour)
		s.expect("0s ADDED a 1", "500ms ADDED a 1", "10m0.5s MODIFIED a 1->2", "10m1s MODIFIED a 1->2")
	})
}

func TestADeletionDoesNotWaitForTheEndOfACooldown(t *testing.T) {
	scenario(t, Options{Cooldown: 10 * time.Minute, Once: true}, func(s *story) {
		s.add("ADDED a 1")
		s.at(time.Minute)
		s.add("MODIFIED a 1->2", "DELETED a 3", "ADDED a#new 4")
		s.expect("0s ADDED a 1", "1m0s DELETED a 3", "1m0s ADDED a#new 4")
	})
}

func TestTheEndOfAStreamEndsEveryCooldown(t *testing.T) {
	scenario(t, Options{Cooldown: 10 * time.Minute}, func(s *story) {
		s.add("ADDED a 1")
		s.at(time.Minute)
		s.add("MODIFIED a 1->2")
		if unhandled := s.h.Drain(s.Context()); unhandled != 0 {
			s.Errorf("%d objects are unhandled", unhandled)
		}
		s.expect("0s ADDED a 1", "1m0s MODIFIED a 1->2")
	})
}

func TestRepeatsAreOffUnlessAskedFor(t *testing.T) {
	r := newRepeats(Options{})
	r.succeeded(parse("ADDED a 1"))
	if event := parse("ADDED a 2"); r.isRepeat(event) || r.rest(event) != 0 || len(r.handled) != 0 || !r.resting.Next().IsZero() {
		t.Error("something is remembered")
	}
	r.succeeded(cache.Event{Type: cache.Deleted, Target: pods, Row: pod("a", "3")})
}
