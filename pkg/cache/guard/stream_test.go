package guard

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// heard is what comes out of a stream, and when it ends.
type heard struct {
	types []watch.EventType
	last  watch.Event
	age   time.Duration
}

// hear opens a watch on the script and reads it to its end.
func hear(t *testing.T, steps ...step) (heard, *Guard, *transitions) {
	t.Helper()
	server := &fakeServer{list: listing(newList("1")), watch: opening(play(steps...))}
	g, seen := guarded(server, Options{})
	listOnce(t, g)
	return read(t, g), g, seen
}

func read(t *testing.T, g *Guard) heard {
	t.Helper()
	before := time.Now()
	w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	var out heard
	for e := range w.ResultChan() {
		out.types = append(out.types, e.Type)
		out.last = e
	}
	out.age = time.Since(before)
	return out
}

func TestStreamPassesEventsAndBookmarksInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, g, seen := hear(t,
			event(watch.Added, newRow("a", "1")), event(watch.Bookmark, newRow("", "5")),
			event(watch.Modified, newRow("a", "6")), event(watch.Deleted, newRow("a", "7")), pause(time.Minute))
		want := []watch.EventType{watch.Added, watch.Bookmark, watch.Modified, watch.Deleted}
		if diff := cmp.Diff(want, got.types); diff != "" {
			t.Error(diff)
		}
		if events := g.Stats().Events.Sum(); events != 3 {
			t.Errorf("%d events counted, want 3 without the bookmark", events)
		}
		if got.age != time.Minute || seen.take() != "" {
			t.Errorf("ended after %v", got.age)
		}
	})
}

// A stream that ends within a second without an event would make the reflector
// list everything anew.
func TestStreamThatEndsAtOnceIsHeldUntilItIsASecondOld(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []step
		age   time.Duration
	}{
		{"at once", nil, time.Second},
		{"after an event", []step{event(watch.Added, newRow("a", "1"))}, time.Second},
		{"young", []step{pause(700 * time.Millisecond)}, time.Second},
		{"old enough", []step{pause(3 * time.Second)}, 3 * time.Second},
		{"young, with an error", []step{failure(errUnavailable)}, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got, _, _ := hear(t, test.steps...); got.age != test.age {
					t.Errorf("ended after %v, want %v", got.age, test.age)
				}
			})
		})
	}
}

func TestErrorEventIsReportedAndTheStreamJustEnds(t *testing.T) {
	for name, step := range map[string]step{
		"unavailable":               failure(errUnavailable),
		"error of a gateway":        failure(errGateway403),
		"error without a status":    event(watch.Error, newRow("a", "1")),
		"event without an object":   event(watch.Added, &metav1.Status{}),
		"too many requests at once": failure(errBusy),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, _, seen := hear(t, pause(time.Minute), step, pause(ever))
				if len(got.types) != 0 {
					t.Errorf("the reflector sees %v", got.types)
				}
				if got := seen.take(); len(got) < 6 || got[:6] != "lost: " {
					t.Errorf("emitted %q", got)
				}
			})
		})
	}
}

func TestLostConnectionIsASilentEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _, seen := hear(t, pause(time.Minute), failure(errCut))
		if emitted := seen.take(); len(got.types) != 0 || emitted != "" {
			t.Errorf("the reflector sees %v, emitted %q", got.types, emitted)
		}
	})
}

// A connection that is found dead has been so for longer.
func TestGapOfAConnectionThatDiedUnnoticedIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, g, seen := hear(t, pause(time.Minute), event(watch.Added, newRow("a", "1")), pause(45*time.Second), failure(errPingLost))
		g.source.(*fakeServer).watch = opening(play())
		read(t, g)
		if got := seen.take(); got != "connected after 45s" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestExpiredEventComesThroughAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _, seen := hear(t, expires(), pause(ever))
		if got.age != 0 || got.last.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(got.last.Object)) {
			t.Errorf("the reflector sees %+v after %v", got.last, got.age)
		}
		if emitted := seen.take(); emitted != "" {
			t.Errorf("emitted %q", emitted)
		}
	})
}

// A bubble of synctest fails if a goroutine in it does not end.
func TestStoppedStreamEndsThoughNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("1")), watch: opening(play(event(watch.Added, newRow("a", "1")), pause(ever)))}
		g, _ := guarded(server, Options{})
		listOnce(t, g)
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the event waits to be read
		w.Stop()
		w.Stop()
		synctest.Wait()
		if _, open := <-w.ResultChan(); open {
			t.Error("an event after Stop")
		}
	})
}

// Which of the two a stream sees first is chance, so they meet many times.
func TestErrorThatMeetsTheEndOfTheContextIsNotReported(t *testing.T) {
	g, seen := guarded(&fakeServer{list: listing(newList("1"))}, Options{})
	listOnce(t, g)
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		inner := watch.NewRaceFreeFake()
		inner.Error(&metav1.Status{Message: errUnavailable.Error()})
		s := newStream(ctx, cancel, inner, g, time.Time{})
		s.start()
		for e := range s.ResultChan() {
			t.Errorf("got %v", e)
		}
	}
	if got := seen.take(); got != "" {
		t.Errorf("emitted %q", got)
	}
}

// The server ends a watch when its time is up. One that does not may be a
// connection that died without a word.
func TestStreamThatOutlivesItsTimeIsEndedAndItsGapReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("1")), watch: opening(silent())}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		before := time.Now()
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{TimeoutSeconds: new(int64(300)), ResourceVersion: "1"})
		if err != nil {
			t.Fatal(err)
		}
		for e := range w.ResultChan() {
			t.Errorf("got %v", e)
		}
		if age := time.Since(before); age != 330*time.Second {
			t.Errorf("ended after %v", age)
		}
		server.watch = opening(play())
		read(t, g)
		if got := seen.take(); got != "connected after 5m30s" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestTransitionComesAfterTheLastRowThatWasHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		row := newRow("a", "2")
		server := &fakeServer{list: listing(newList("1")), watch: opening(play(event(watch.Added, row), failure(errUnavailable)))}
		g, _ := guarded(server, Options{})
		var after *cache.Row
		g.options.Emit = func(event cache.Event, last *cache.Row) { after = last }
		listOnce(t, g)
		read(t, g)
		if after != row {
			t.Errorf("got %v", after)
		}
		listOnce(t, g)
		if after != nil {
			t.Errorf("after a list that shows it: %v", after)
		}
	})
}

// Whoever knows that something has been missed has the type listed anew: the watch ends
// with what makes a reflector do so.
func TestRelistEndsTheWatchForANewList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("1")), watch: opening(play(event(watch.Added, newRow("a", "1")), pause(time.Hour)))}
		g, _ := guarded(server, Options{})
		listOnce(t, g)
		time.AfterFunc(time.Minute, func() { g.Relist(errors.New("the cache is wrong")) })
		got := read(t, g)
		if got.age != time.Minute || !apierrors.IsResourceExpired(apierrors.FromObject(got.last.Object)) {
			t.Errorf("got %+v", got)
		}
	})
}
