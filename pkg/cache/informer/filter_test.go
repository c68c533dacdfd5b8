package informer

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestAFilterReportsWhichObjectsEnterAndLeave(t *testing.T) {
	ready := func(row *cache.Row, _ time.Time) (bool, time.Time) { return row.Cells[0] == "ready", time.Time{} }
	s := NewFilter(ready)
	for n, step := range []struct {
		event cache.Event
		want  string
	}{
		{cache.Event{Type: cache.Added, Row: pod("a", "1", "starting"), Initial: true}, ""},
		{cache.Event{Type: cache.Added, Row: pod("b", "2", "ready"), Initial: true}, "ADDED b 2 initial"},
		{cache.Event{Type: cache.Modified, Old: pod("a", "1", "starting"), Row: pod("a", "3", "ready")}, "ADDED a 3"},
		{cache.Event{Type: cache.Modified, Old: pod("a", "3", "ready"), Row: pod("a", "4", "ready")}, "MODIFIED a 3->4"},
		{cache.Event{Type: cache.Resync, Row: pod("a", "4", "ready")}, "RESYNC a 4"},
		{cache.Event{Type: cache.Modified, Old: pod("a", "4", "ready"), Row: pod("a", "5", "failed")}, "DELETED a 5 NoLongerMatches"},
		{cache.Event{Type: cache.Resync, Row: pod("a", "5", "failed")}, ""},
		{cache.Event{Type: cache.Deleted, Row: pod("a", "6", "failed")}, ""},
		// Its last state no longer matches, but it has passed.
		{cache.Event{Type: cache.Deleted, Row: pod("b", "7", "failed")}, "DELETED b 7"},
		{cache.Event{Type: cache.Synced}, "SYNCED"},
	} {
		step.event.Target = pods
		got := ""
		if event, ok := s.Apply(step.event); ok {
			got = strings.TrimSpace(describe(event) + " " + string(event.Reason))
		}
		if got != step.want {
			t.Errorf("step %d: got %q, want %q", n, got, step.want)
		}
	}
	if len(s.passed) != 0 {
		t.Errorf("%d objects are remembered that are gone", len(s.passed))
	}
}

func TestObjectsEnterAndLeaveBecauseOfOthers(t *testing.T) {
	used := map[string]bool{"a": true}
	s := NewFilter(func(row *cache.Row, _ time.Time) (bool, time.Time) { return !used[row.Name], time.Time{} }).Remembering()
	apply := func(event cache.EventType, row *cache.Row, initial bool) string {
		seen, ok := s.Apply(cache.Event{Type: event, Target: pods, Row: row, Initial: initial})
		if !ok {
			return ""
		}
		return inShort(seen)
	}
	if got := apply(cache.Added, pod("a", "1"), true) + apply(cache.Added, pod("b", "2"), true); got != "ADDED b initial;" {
		t.Errorf("at the start: %q", got)
	}
	reconsider := func(want string) {
		t.Helper()
		got := ""
		for _, event := range s.Reconsider() {
			got += inShort(event)
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	reconsider("")
	used = map[string]bool{"b": true}
	reconsider("ADDED a initial;DELETED b (NoLongerMatches);")
	used = map[string]bool{"a": true}
	s.Apply(cache.Event{Type: cache.Synced, Target: pods})
	reconsider("DELETED a (NoLongerMatches);ADDED b;")
	apply(cache.Deleted, pod("b", "3"), false)
	apply(cache.Modified, pod("a", "4"), false)
	used = map[string]bool{}
	reconsider("ADDED a;")
	if got := apply(cache.Deleted, pod("a", "5"), false); got != "DELETED a;" {
		t.Errorf("an object that entered: %q", got)
	}
	reconsider("")
}

func TestObjectsEnterAndLeaveAsTimePasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		// Each matches from its third second to its sixth.
		f := NewFilter(func(row *cache.Row, at time.Time) (bool, time.Time) {
			for _, moment := range []time.Duration{3 * time.Second, 6 * time.Second} {
				if moment := begin.Add(moment); at.Before(moment) {
					return at.After(begin.Add(2999 * time.Millisecond)), moment
				}
			}
			return false, time.Time{}
		})
		f.Apply(cache.Event{Type: cache.Added, Target: pods, Row: pod("a", "1"), Initial: true})
		f.Apply(cache.Event{Type: cache.Added, Target: pods, Row: pod("b", "1"), Initial: true})
		f.Apply(cache.Event{Type: cache.Synced, Target: pods})
		f.Apply(cache.Event{Type: cache.Deleted, Target: pods, Row: pod("b", "2")})
		got := ""
		for next := f.Next(); !next.IsZero(); next = f.Next() {
			time.Sleep(time.Until(next))
			for _, event := range f.Pass() {
				got += time.Since(begin).String() + " " + inShort(event)
			}
		}
		if want := "3s ADDED a (TimePassed);6s DELETED a (NoLongerMatches);"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if len(f.seen) != 0 || len(f.passed) != 0 {
			t.Errorf("remembered: %v, %v", f.seen, f.passed)
		}
	})
}

func inShort(event cache.Event) string {
	text := string(event.Type) + " " + event.Row.Name
	if event.Initial {
		text += " initial"
	}
	if event.Reason != "" {
		text += " (" + string(event.Reason) + ")"
	}
	return text + ";"
}
