package source

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestListIsRetriedAtADoublingPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := slices.Repeat([]error{unavailable}, 8)
		server := &fakeServer{list: failThen(newList("1"), down...)}
		g, seen := guarded(server, Options{})
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{
			0, 200 * time.Millisecond, 600 * time.Millisecond, 1400 * time.Millisecond, 3 * time.Second,
			6200 * time.Millisecond, 11200 * time.Millisecond, 16200 * time.Millisecond, 21200 * time.Millisecond,
		}
		if diff := cmp.Diff(want, times(server.listed())); diff != "" {
			t.Error(diff)
		}
		if n := len(seen.failures()); n != 8 {
			t.Errorf("%d failures reported, want each of 8", n)
		}
	})
}

func TestPaceStartsAnewAfterFiveHealthySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: failThen(newList("1"), unavailable, unavailable, unavailable)}
		g, _ := guarded(server, Options{})
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		server.list = failThen(newList("2"), unavailable)
		before := time.Now()
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(before); waited != firstDelay {
			t.Errorf("waited %v after the first failure since long, want %v", waited, firstDelay)
		}
	})
}

func TestServerThatAsksForTimeGetsIt(t *testing.T) {
	for _, test := range []struct {
		seconds int
		want    time.Duration
	}{{3, 3 * time.Second}, {7200, 30 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			busy := apierrors.NewTooManyRequests("slow down", test.seconds)
			server := &fakeServer{list: failThen(newList("1"), busy)}
			g, _ := guarded(server, Options{})
			if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]time.Duration{0, test.want}, times(server.listed())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The guard decides of no fault that it is fatal: it reports, and goes on.
func TestEveryFaultIsReportedAndTriedAgain(t *testing.T) {
	for _, test := range []struct {
		name  string
		err   error
		fault cache.Fault
	}{
		{"unreachable", refused, cache.Unreachable},
		{"forbidden", forbidden, cache.Denied},
		{"type unknown from the start", noType, cache.Missing},
		{"no list", apierrors.NewMethodNotSupported(configMaps, "list"), cache.Unsupported},
		{"bad selector", badSelector, cache.Invalid},
		{"expired though nothing was asked of the past", tooOld, cache.Expired},
		{"unavailable", unavailable, cache.Transient},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fakeServer{list: failThen(newList("1"), test.err, test.err)}
				g, seen := guarded(server, Options{})
				if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
					t.Fatal(err)
				}
				want := []cache.Report{
					{Op: cache.OpList, Err: test.err, Fault: test.fault},
					{Op: cache.OpList, Err: test.err, Fault: test.fault},
					{Op: cache.OpList, Done: true},
				}
				if diff := cmp.Diff(want, seen.all, cmp.Comparer(sameError)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func sameError(a, b error) bool { return errors.Is(a, b) }

func TestReceiverThatCallsAFaultFatalEndsTheCallWithoutAnotherRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		server := &fakeServer{list: failThen(newList("1"), forbidden)}
		g, seen := guarded(server, Options{})
		seen.then = func(r cache.Report) { cancel(r.Err) }
		before := time.Now()
		_, err := g.ListWithContext(ctx, metav1.ListOptions{})
		if !errors.Is(err, context.Canceled) || time.Since(before) != 0 || len(server.listed()) != 1 {
			t.Errorf("err %v after %v and %d requests", err, time.Since(before), len(server.listed()))
		}
	})
}

func TestRequestCutOffByItsOwnContextIsNoFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{list: func(metav1.ListOptions) (runtime.Object, error) {
			cancel()
			return nil, context.Canceled
		}}
		g, seen := guarded(server, Options{})
		if _, err := g.ListWithContext(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if len(seen.all) != 0 {
			t.Errorf("reported %v", seen.all)
		}
	})
}

func TestRelistsAreCountedAndFirstListsAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7"))}
		g, _ := guarded(server, Options{})
		for range 3 {
			if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if n := g.counters.snapshot().Relists; n != 2 {
			t.Errorf("%d re-lists counted, want 2", n)
		}
	})
}
