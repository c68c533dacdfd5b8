package handler

import (
	"errors"
	"testing"
	"time"
)

func TestAFailureIsRetriedWithTheSameEventAfterGrowingDelays(t *testing.T) {
	scenario(t, Options{Retries: 5}, func(s *story) {
		s.fails = always
		s.add("MODIFIED a 1->2")
		s.at(time.Hour)
		s.expect(
			"0s MODIFIED a 1->2",
			"500ms MODIFIED a 1->2",
			"1.5s MODIFIED a 1->2",
			"3.5s MODIFIED a 1->2",
			"7.5s MODIFIED a 1->2",
			"15.5s MODIFIED a 1->2",
			"15.5s given up MODIFIED a 1->2: 7 exit status 7",
		)
		if s.h.Failed() != 1 {
			s.Errorf("%d objects failed", s.h.Failed())
		}
	})
}

func TestWithoutRetriesTheFirstFailureIsTheLast(t *testing.T) {
	scenario(t, Options{Retries: 0}, func(s *story) {
		s.fails = always
		s.add("ADDED a 1")
		s.at(time.Hour)
		s.expect("0s ADDED a 1", "0s given up ADDED a 1: 7 exit status 7")
	})
}

func TestRetriesWithoutEndGoOnAtAMinutesPace(t *testing.T) {
	scenario(t, Options{Retries: -1}, func(s *story) {
		s.fails = func(_ string, nth int) bool { return nth <= 100 }
		s.add("ADDED a 1")
		// 500ms doubled six times is 31.5s in all; then one a minute.
		s.at(500*time.Millisecond<<7 - 500*time.Millisecond + 93*time.Minute)
		if runs := s.runs["ADDED a 1"]; runs != 101 {
			s.Errorf("%d runs, want 100 that fail and one that does not", runs)
		}
		if s.h.Pending() != 0 || s.h.Failed() != 0 {
			s.Errorf("pending %d, failed %d", s.h.Pending(), s.h.Failed())
		}
	})
}

func TestAFailingObjectDoesNotHoldUpOthers(t *testing.T) {
	scenario(t, Options{Retries: 1}, func(s *story) {
		s.fails = only("ADDED bad")
		s.add("ADDED bad 1", "ADDED a 1", "ADDED b 1")
		s.at(time.Minute)
		s.expect("0s ADDED bad 1", "0s ADDED a 1", "0s ADDED b 1",
			"500ms ADDED bad 1", "500ms given up ADDED bad 1: 7 exit status 7")
	})
}

func TestANewerEventTakesThePlaceOfAFailedOneAndIsCountedAnew(t *testing.T) {
	scenario(t, Options{Retries: 2}, func(s *story) {
		s.fails = only("MODIFIED")
		s.add("MODIFIED a 1->2")
		s.at(time.Second) // it failed at 0s and 500ms; the next would be at 1.5s
		s.add("MODIFIED a 2->3")
		s.at(time.Hour)
		s.expect(
			"0s MODIFIED a 1->2",
			"500ms MODIFIED a 1->2",
			"1s MODIFIED a 1->3",
			"1.5s MODIFIED a 1->3",
			"2.5s MODIFIED a 1->3",
			"2.5s given up MODIFIED a 1->3: 7 exit status 7",
		)
	})
}

func TestANewerEventDuringAFailingRunIsHandledAtOnce(t *testing.T) {
	scenario(t, Options{Retries: 1}, func(s *story) {
		s.takes, s.fails = time.Second, first
		s.add("ADDED a 1")
		s.add("MODIFIED a 1->2")
		s.at(time.Hour)
		s.expect("0s ADDED a 1", "1s ADDED a 2", "2.5s ADDED a 2")
	})
}

func TestADeletionThatFailsIsRetriedBeforeTheNewObjectIsHandled(t *testing.T) {
	scenario(t, Options{Retries: 2}, func(s *story) {
		s.fails = func(event string, nth int) bool { return event == "DELETED a#1 1" && nth < 3 }
		s.add("DELETED a#1 1")
		s.at(100 * time.Millisecond)
		s.add("ADDED a#2 2")
		s.at(600 * time.Millisecond)
		s.add("MODIFIED a#2 2->3")
		s.at(time.Hour)
		s.expect("0s DELETED a#1 1", "500ms DELETED a#1 1", "1.5s DELETED a#1 1", "1.5s ADDED a#2 3")
	})
}

func TestADeletionGivenUpIsNotMadeUpForByTheNextObjectOfThatName(t *testing.T) {
	scenario(t, Options{Retries: 1}, func(s *story) {
		s.fails = only("DELETED")
		s.add("DELETED a#1 1", "ADDED a#2 2")
		s.at(time.Hour)
		s.expect("0s DELETED a#1 1", "500ms DELETED a#1 1",
			"500ms given up DELETED a#1 1: 7 exit status 7", "500ms ADDED a#2 2")
		if s.h.Failed() != 1 {
			s.Errorf("%d objects failed, want the deleted one", s.h.Failed())
		}
	})
}

func TestADeletionDuringAFailingAdditionIsTold(t *testing.T) {
	scenario(t, Options{Retries: 1}, func(s *story) {
		s.takes, s.fails = time.Second, only("ADDED")
		s.add("ADDED a 1")
		s.add("DELETED a 2")
		s.at(time.Hour)
		s.expect("0s ADDED a 1", "1s DELETED a 2")
	})
}

func TestAResyncIsTheRetryOfLastResort(t *testing.T) {
	scenario(t, Options{Retries: 0}, func(s *story) {
		s.fails = only("ADDED")
		s.add("ADDED a 1", "ADDED b 1")
		if s.h.Failed() != 2 {
			s.Errorf("%d objects failed, want 2", s.h.Failed())
		}
		s.at(time.Minute)
		s.add("RESYNC a 1")
		s.expect("0s ADDED a 1", "0s given up ADDED a 1: 7 exit status 7",
			"0s ADDED b 1", "0s given up ADDED b 1: 7 exit status 7",
			"1m0s RESYNC a 1")
		if s.h.Failed() != 1 {
			s.Errorf("%d objects failed, want b", s.h.Failed())
		}
	})
}

func TestResyncsDoNotKeepAFailingObjectFromBeingGivenUp(t *testing.T) {
	scenario(t, Options{Retries: 2}, func(s *story) {
		s.fails = always
		for at := time.Duration(0); at < 2*time.Second; at += 400 * time.Millisecond {
			s.at(at)
			s.add("RESYNC a 1")
		}
		s.expect("0s RESYNC a 1", "500ms RESYNC a 1", "1.5s RESYNC a 1",
			"1.5s given up RESYNC a 1: 7 exit status 7", "1.6s RESYNC a 1")
	})
}

func TestHalfOfTheObjectsFailFirstAndAllEndWell(t *testing.T) {
	scenario(t, Options{Parallel: 4, Retries: 5}, func(s *story) {
		s.takes = 10 * time.Millisecond
		s.fails = func(event string, nth int) bool { return nth == 1 && event[len("ADDED ")]%2 == 0 }
		s.add("ADDED a 1", "ADDED b 1", "ADDED c 1", "ADDED d 1", "ADDED e 1", "ADDED f 1")
		s.at(time.Minute)
		if s.h.Pending() != 0 || s.h.Failed() != 0 {
			s.Errorf("pending %d, failed %d", s.h.Pending(), s.h.Failed())
		}
		for event, want := range map[string]int{"ADDED a 1": 1, "ADDED b 1": 2, "ADDED c 1": 1, "ADDED f 1": 2} {
			if s.runs[event] != want {
				s.Errorf("%s: %d runs, want %d", event, s.runs[event], want)
			}
		}
	})
}

func TestAFailureThatIsNoExitCodeIsToldAsOneAShellHas(t *testing.T) {
	scenario(t, Options{Retries: 0}, func(s *story) {
		s.fails, s.other = always, errors.New("no processes left")
		s.add("ADDED a 1")
		s.expect("0s ADDED a 1", "0s given up ADDED a 1: 126 no processes left")
	})
}
