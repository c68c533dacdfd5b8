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
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// openAfter fails with the errors in turn, then opens the watch.
func openAfter(w func() watch.Interface, failures ...error) func(metav1.ListOptions) (watch.Interface, error) {
	return func(metav1.ListOptions) (watch.Interface, error) {
		if len(failures) == 0 {
			return w(), nil
		}
		err := failures[0]
		failures = failures[1:]
		return nil, err
	}
}

func silent() watch.Interface { return play(pause(ever)) }

func TestWatchThatCannotBeOpenedIsTriedAgainFromTheSamePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{watch: openAfter(silent, refused, unavailable, forbidden, badSelector)}
		g, seen := guarded(server, Options{})
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		want := []cache.Report{
			{Op: cache.OpWatch, Err: refused, Fault: cache.Unreachable},
			{Op: cache.OpWatch, Err: unavailable, Fault: cache.Transient},
			{Op: cache.OpWatch, Err: forbidden, Fault: cache.Denied},
			{Op: cache.OpWatch, Err: badSelector, Fault: cache.Invalid},
			{Op: cache.OpWatch, Done: true},
		}
		if diff := cmp.Diff(want, seen.all, cmp.Comparer(sameError)); diff != "" {
			t.Error(diff)
		}
		for _, r := range server.watched() {
			if r.options.ResourceVersion != "7" {
				t.Errorf("watched from %q", r.options.ResourceVersion)
			}
		}
		if at := server.watched()[4].at; at != 3*time.Second {
			t.Errorf("opened after %v, want 3s", at)
		}
	})
}

func TestWatchFromAnExpiredVersionIsGivenUpForAList(t *testing.T) {
	tooLarge := apierrors.NewTimeoutError("Too large resource version: 9, current: 3", 1)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	gone := errGone()
	for _, refusal := range []error{tooOld, tooLarge, gone} {
		synctest.Test(t, func(t *testing.T) {
			server := &fakeServer{watch: openAfter(silent, refusal)}
			g, seen := guarded(server, Options{})
			_, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
			if !apierrors.IsResourceExpired(err) {
				t.Errorf("%v came through as %v", refusal, err)
			}
			if f := seen.failures(); len(f) != 1 || f[0].Fault != cache.Expired {
				t.Errorf("reported %v", f)
			}
		})
	}
}

func TestReceiverEndsAWatchThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{watch: openAfter(silent, forbidden)}
		g, seen := guarded(server, Options{})
		seen.then = func(cache.Report) { cancel() }
		if _, err := g.WatchWithContext(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if n := len(server.watched()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestTypeThatCannotBeWatchedIsAskedOnceAndThenQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{watch: openAfter(silent, noWatch)}
		g, seen := guarded(server, Options{})
		expectIdle(ctx, t, g, cancel)
		if n := len(server.watched()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
		if f := seen.failures(); len(f) != 1 || f[0].Fault != cache.Unsupported {
			t.Errorf("reported %v", f)
		}
	})
}

func TestListOnlyMakesNoWatchRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{watch: openAfter(silent)}
		g, seen := guarded(server, Options{ListOnly: true})
		expectIdle(ctx, t, g, cancel)
		if n := len(server.watched()); n != 0 || len(seen.all) != 0 {
			t.Errorf("%d requests, reported %v", n, seen.all)
		}
	})
}

// expectIdle expects a watch without events that lasts until its context ends.
func expectIdle(ctx context.Context, t *testing.T, g *guard, cancel context.CancelFunc) {
	t.Helper()
	w, err := g.WatchWithContext(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Hour)
	select {
	case e, open := <-w.ResultChan():
		t.Fatalf("got %v, open %v", e, open)
	default:
	}
	cancel()
	synctest.Wait()
	if _, open := <-w.ResultChan(); open {
		t.Error("the watch outlived its context")
	}
	w.Stop()
	w.Stop()
}

func TestWatchOfATypeThatIsGoneGivesUpForAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{
			list:  listing(newList("7")),
			watch: openAfter(silent, slices.Repeat([]error{noType}, 100)...),
		}
		g, seen := guarded(server, Options{})
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		_, err := g.WatchWithContext(t.Context(), metav1.ListOptions{})
		if !apierrors.IsResourceExpired(err) {
			t.Error(err)
		}
		at := times(server.watched())
		if last := at[len(at)-1] - at[0]; last != 3*time.Second {
			t.Errorf("given up %v after the first refusal", last)
		}
		for _, f := range seen.failures() {
			if f.Fault != cache.Missing {
				t.Errorf("reported %+v", f)
			}
		}
		server.list = failThen(nil, noType)
		before := time.Now()
		list, err := g.ListWithContext(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.(*cache.RowList).Items) != 0 || time.Since(before) != 0 {
			t.Errorf("listed %v, %v after %v, want nothing at once", list, err, time.Since(before))
		}
	})
}

// Nobody can say what a watch has missed while its type was away.
func TestWatchThatOpensAfterItsTypeWasMissingIsGivenUpForAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := play(pause(ever))
		server := &fakeServer{
			list:  listing(newList("7")),
			watch: openAfter(func() watch.Interface { return inner }, noType),
		}
		g, _ := guarded(server, Options{})
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := g.WatchWithContext(t.Context(), metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
			t.Error(err)
		}
		synctest.Wait()
		select {
		case <-inner.ResultChan():
		default:
			t.Error("the watch was left open")
		}
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		server.watch = openAfter(silent)
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal("after the new list", err)
		}
		w.Stop()
	})
}

func TestTypeThatIsGoneIsLookedForSlowlyUntilItReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7", newRow("a", "1")))}
		g, _ := guarded(server, Options{})
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		server.list = failThen(newList("9"), slices.Repeat([]error{noType}, 12)...)
		if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := g.WatchWithContext(t.Context(), metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
			t.Error(err)
		}
		at := times(server.listed())
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; gap > slowDelay {
				t.Errorf("not looked for during %v", gap)
			}
		}
		if last := at[len(at)-1] - at[len(at)-2]; last != slowDelay {
			t.Errorf("still looked for every %v", last)
		}
		if n := len(server.watched()); n != 0 {
			t.Errorf("%d watches of a type that is not there", n)
		}
	})
}

func TestEndOfTheContextEndsTheSearchForAType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{list: failThen(nil, slices.Repeat([]error{noType}, 1000)...)}
		g, _ := guarded(server, Options{})
		g.listed = true
		if _, err := g.ListWithContext(ctx, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, cancel)
		before := time.Now()
		if _, err := g.WatchWithContext(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if waited := time.Since(before); waited != time.Minute {
			t.Errorf("ended %v late", waited-time.Minute)
		}
	})
}
