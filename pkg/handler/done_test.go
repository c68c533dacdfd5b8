package handler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// doneWith plays a story and returns the events that were done.
func doneWith(t *testing.T, o Options, play func(s *story)) (done []string) {
	t.Helper()
	o.Done = func(event cache.Event) { done = append(done, describe(event)) }
	scenario(t, o, play)
	return done
}

// owes says whether the handler owes something of an object.
func (s *story) owes(name string) bool {
	event := parse("ADDED " + name + " 1")
	return s.h.Owes(event.Key())
}

func expectDone(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("done:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestAnEventIsDoneWhenARunForItHasSucceeded(t *testing.T) {
	done := doneWith(t, Options{Retries: 1}, func(s *story) {
		s.fails = func(event string, nth int) bool { return strings.Contains(event, "bad") || nth == 1 }
		s.add("ADDED bad 1", "ADDED a 1")
		s.at(time.Minute)
		s.add("DELETED a 2")
		s.at(2 * time.Minute)
		if !s.owes("bad") || s.owes("a") {
			t.Errorf("what was given up is owed: %v; what is done is: %v", s.owes("bad"), s.owes("a"))
		}
	})
	expectDone(t, done, "ADDED a 1", "DELETED a 2")
}

func TestWhatWaitsIsNotDone(t *testing.T) {
	done := doneWith(t, Options{}, func(s *story) {
		s.takes = time.Minute
		s.add("ADDED a 1", "ADDED b 1")
		s.at(30 * time.Second)
		s.add("MODIFIED a 1->2")
		for _, name := range []string{"a", "b"} {
			if !s.owes(name) {
				t.Errorf("%s is not owed", name)
			}
		}
		s.at(90 * time.Second)
	})
	expectDone(t, done, "ADDED a 1") // the second run of a waits for that of b
}

func TestAnObjectThatCameAndWentIsDone(t *testing.T) {
	done := doneWith(t, Options{}, func(s *story) {
		s.takes = time.Minute
		s.add("ADDED a 1", "ADDED b 1", "DELETED b 2")
		s.at(time.Hour)
		s.expect("0s ADDED a 1")
	})
	expectDone(t, done, "DELETED b 2", "ADDED a 1")
}

func TestARepeatThatOnceLeavesOutIsDone(t *testing.T) {
	done := doneWith(t, Options{Once: true}, func(s *story) {
		s.add("ADDED a 1")
		s.at(time.Minute)
		s.add("MODIFIED a 1->2")
		s.at(2 * time.Minute)
		s.add("MODIFIED a 2->3")
		s.at(3 * time.Minute)
		s.expect("0s ADDED a 1", "1m0s MODIFIED a 1->2")
	})
	expectDone(t, done, "ADDED a 1", "MODIFIED a 1->2", "MODIFIED a 2->3")
}
