package source

import (
	"context"
	"errors"
	"net/http"
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
func hear(t *testing.T, steps ...step) (heard, *guard, *reports) {
	t.Helper()
	server := &fakeServer{watch: watching(play(steps...))}
	g, seen := guarded(server, Options{})
	before := time.Now()
	w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{})
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
	return out, g, seen
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
		if n := g.counters.snapshot().Events; n != 3 {
			t.Errorf("%d events counted, want 3 without the bookmark", n)
		}
		if got.age != time.Minute || len(seen.failures()) != 0 {
			t.Errorf("ended after %v, reported %v", got.age, seen.failures())
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
		{"young, with an error", []step{failure(unavailable)}, time.Second},
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

func decodeError(text string) *apierrors.StatusError {
	status := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding").
		AsObject(errors.New("unable to decode an event from the watch stream: " + text))
	return &apierrors.StatusError{ErrStatus: *status.(*metav1.Status)}
}

func TestErrorEventIsReportedAndTheStreamJustEnds(t *testing.T) {
	for _, test := range []struct {
		name  string
		step  step
		fault cache.Fault
	}{
		{"unavailable", failure(unavailable), cache.Transient},
		{"right revoked", failure(forbidden), cache.Denied},
		{"type gone", failure(noType), cache.Missing},
		{"bad request", failure(badSelector), cache.Invalid},
		{"too many requests", failure(apierrors.NewTooManyRequests("slow down", 1)), cache.Transient},
		{"garbage", failure(decodeError("invalid character 'g' looking for beginning of value")), cache.Transient},
		{"error without a status", event(watch.Error, newRow("a", "1")), cache.Transient},
		{"event without an object", event(watch.Added, &metav1.Status{}), cache.Transient},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, _, seen := hear(t, pause(time.Minute), test.step, pause(ever))
				if len(got.types) != 0 {
					t.Errorf("the reflector sees %v", got.types)
				}
				f := seen.failures()
				if len(f) != 1 || f[0].Fault != test.fault || f[0].Op != cache.OpWatch {
					t.Errorf("reported %+v, want fault %v", f, test.fault)
				}
			})
		})
	}
}

func TestLostConnectionIsASilentEnd(t *testing.T) {
	for _, text := range []string{
		"http2: client connection lost",
		"stream error: stream ID 5; INTERNAL_ERROR; received from peer",
		"read tcp 10.0.0.1:5->10.0.0.2:443: read: no route to host",
	} {
		synctest.Test(t, func(t *testing.T) {
			got, _, seen := hear(t, pause(time.Minute), failure(decodeError(text)))
			if len(got.types) != 0 || len(seen.failures()) != 0 {
				t.Errorf("%q: the reflector sees %v, reported %v", text, got.types, seen.failures())
			}
		})
	}
}

func TestExpiredEventComesThroughAtOnce(t *testing.T) {
	for _, err := range []*apierrors.StatusError{tooOld, errGone()} {
		synctest.Test(t, func(t *testing.T) {
			got, _, seen := hear(t, failure(err), pause(ever))
			if got.age != 0 || got.last.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(got.last.Object)) {
				t.Errorf("the reflector sees %+v after %v", got.last, got.age)
			}
			if f := seen.failures(); len(f) != 1 || f[0].Fault != cache.Expired {
				t.Errorf("reported %v", f)
			}
		})
	}
}

// A bubble of synctest fails if a goroutine in it does not end.
func TestStoppedStreamEndsThoughNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{watch: watching(play(event(watch.Added, newRow("a", "1")), pause(ever)))}
		g, _ := guarded(server, Options{})
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
	g, seen := guarded(&fakeServer{}, Options{})
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		inner := watch.NewRaceFreeFake()
		inner.Error(&decodeError("context canceled").ErrStatus)
		for e := range startStream(ctx, cancel, inner, g).ResultChan() {
			t.Errorf("got %v", e)
		}
	}
	if f := seen.failures(); len(f) != 0 {
		t.Errorf("reported %v", f)
	}
}

// The server ends a watch when its time is up. One that does not may be a
// connection that died without a word.
func TestStreamThatOutlivesItsTimeIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{watch: watching(silent())}
		g, seen := guarded(server, Options{})
		before := time.Now()
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{TimeoutSeconds: new(int64(300))})
		if err != nil {
			t.Fatal(err)
		}
		for e := range w.ResultChan() {
			t.Errorf("got %v", e)
		}
		if age := time.Since(before); age != 330*time.Second {
			t.Errorf("ended after %v", age)
		}
		if f := seen.failures(); len(f) != 0 {
			t.Errorf("reported %v", f)
		}
	})
}
