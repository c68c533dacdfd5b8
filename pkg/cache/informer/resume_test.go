package informer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// earlier is what an earlier run has reported: these rows.
func earlier(complete bool, rows ...*cache.Row) *cache.Earlier {
	known := map[cache.Identity]*cache.Row{}
	e := &cache.Earlier{Complete: complete, Load: func(id cache.Identity) *cache.Row { return known[id] }}
	for _, row := range rows {
		known[row.Identity()] = row
		e.Objects = append(e.Objects, cache.Stored{Identity: row.Identity(), ResourceVersion: row.ResourceVersion})
	}
	return e
}

// unconfirmed marks objects of an earlier run by their names.
func unconfirmed(e *cache.Earlier, names ...string) *cache.Earlier {
	for _, name := range names {
		for n := range e.Objects {
			e.Objects[n].Unconfirmed = e.Objects[n].Unconfirmed || e.Objects[n].Name == name
		}
	}
	return e
}

// resume starts an informer that goes on where an earlier run has ended.
func (s *story) resume(server *fakeServer, e *cache.Earlier) {
	s.Helper()
	group, err := Start(s.Context(), []Spec{{Target: pods, Source: server, Earlier: e}}, Options{Events: s.queue, Objects: true})
	if err != nil {
		s.Fatal(err)
	}
	s.group = group
}

func TestTheFirstListIsComparedWithWhatAnEarlierRunReported(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("20", pod("a", "1"), pod("b", "16"), pod("d#2", "17"), pod("e", "18"))
		s.resume(server, earlier(true, pod("a", "1"), pod("b", "2"), pod("c", "3"), pod("d#1", "4")))
		synctest.Wait()
		deleted := map[string]bool{}
		for range 2 { // in no order
			event, _, _ := s.queue.Next(s.Context())
			deleted[describe(event)] = true
		}
		if !deleted["DELETED c 3 finalStateUnknown since"] || !deleted["DELETED d#1 4 finalStateUnknown since"] {
			t.Errorf("got %v", deleted)
		}
		s.expectEvents("UNCHANGED a 1 since", "MODIFIED b 2->16 since", "ADDED d#2 17 since", "ADDED e 18 since", "SYNCED")
		if rows := s.group.Informers()[0].Rows(nil); len(rows) != 4 || rows[0].ResourceVersion != "1" {
			t.Errorf("the cache has %d objects, the first of version %s", len(rows), rows[0].ResourceVersion)
		}
		// From now on nothing is of the time before.
		server.stream.Modify(pod("a", "21"))
		server.stream.Delete(pod("b", "22"))
		server.stream.Add(pod("f", "23"))
		s.expectEvents("MODIFIED a 1->21", "DELETED b 22", "ADDED f 23")
		server.become("40", pod("a", "31"))
		server.expire()
		time.Sleep(time.Minute)
		s.skipEvents()
	})
}

func TestWhatIsNewIsInitialUntilAnEarlierRunHasReportedAWholeList(t *testing.T) {
	scenario(t, func(s *story) {
		s.resume(newFakeServer("20", pod("a", "2"), pod("b", "3")), earlier(false, pod("a", "1")))
		s.expectEvents("MODIFIED a 1->2 since", "ADDED b 3 initial", "SYNCED")
	})
}

func TestAnUnconfirmedObjectIsReportedOnceMore(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("20", pod("a", "1"), pod("b", "3"))
		s.resume(server, unconfirmed(earlier(true, pod("a", "1"), pod("b", "2"), pod("c", "1")), "a", "b", "c"))
		s.expectEvents("DELETED c 1 finalStateUnknown since", "ADDED a 1 since", "ADDED b 3 since", "SYNCED")
	})
}

func TestOfAnEmptyListAllObjectsAreDeleted(t *testing.T) {
	scenario(t, func(s *story) {
		s.resume(newFakeServer("20"), earlier(true, pod("a", "1")))
		s.expectEvents("DELETED a 1 finalStateUnknown since", "SYNCED")
	})
}

func TestADeniedTypeLosesNoObjects(t *testing.T) {
	scenario(t, func(s *story) {
		server := newFakeServer("20", pod("a", "1"))
		server.fail(errDenied)
		s.resume(server, earlier(true, pod("a", "1"), pod("b", "1")))
		s.expectEvents("ENDED: pods is forbidden")
	})
}

func TestObjectsWithoutAVersionAreComparedWithWhatWasReported(t *testing.T) {
	scenario(t, func(s *story) {
		numbered := pod("c#", "", "two")
		numbered.Namesake = 1
		server := newFakeServer("", pod("a", "", "one"), pod("b", "", "new"), pod("c#", "", "two"), pod("c#", "", "one"))
		s.resume(server, earlier(true, pod("a", "", "one"), pod("b", "", "old"), pod("c#", "", "one"), numbered))
		s.expectEvents("UNCHANGED a  since", "MODIFIED b -> since", "UNCHANGED c#  since", "UNCHANGED c#  since", "SYNCED")
	})
}

// A filter knows from the first event of an object on that it was reported.
func TestAnObjectOfAnEarlierRunLeavesTheSelection(t *testing.T) {
	matching := map[string]bool{"stays": true}
	filter := NewFilter(func(row *cache.Row, _ time.Time) (bool, time.Time) { return matching[row.Name], time.Time{} })
	for _, test := range []struct {
		event cache.Event
		want  string
	}{
		{cache.Event{Type: cache.Unchanged, Row: pod("stays", "1"), Known: true}, "UNCHANGED stays 1"},
		{cache.Event{Type: cache.Unchanged, Row: pod("leaves", "1"), Known: true}, "DELETED leaves 1"},
		{cache.Event{Type: cache.Modified, Row: pod("left", "2"), Old: pod("left", "1"), Known: true}, "DELETED left 2"},
		{cache.Event{Type: cache.Deleted, Row: pod("gone", "1"), Known: true}, "DELETED gone 1"},
		{cache.Event{Type: cache.Added, Row: pod("other", "1")}, ""},
		{cache.Event{Type: cache.Modified, Row: pod("stays", "2"), Old: pod("stays", "1")}, "MODIFIED stays 1->2"},
		{cache.Event{Type: cache.Deleted, Row: pod("leaves", "3")}, ""},
	} {
		seen, ok := filter.Apply(test.event)
		if got := describe(seen); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%s: got %q, %v, want %q", describe(test.event), got, ok, test.want)
		}
	}
}
