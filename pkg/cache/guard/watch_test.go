package guard

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// aMinute opens watches that are silent, and closed after a minute.
func aMinute(metav1.ListOptions) (watch.Interface, error) { return play(pause(time.Minute)), nil }

func TestWatchThatCannotBeOpenedIsRetriedFromTheSamePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7")), watch: openAfter(silent, errRefused, errUnavailable, errGateway400)}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		for _, r := range server.watched() {
			if r.options.ResourceVersion != "7" {
				t.Errorf("watched from %q", r.options.ResourceVersion)
			}
		}
		if got := seen.take(); got != "lost: connection refused; connected after 3.5s" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestWatchFromAnExpiredVersionIsGivenUpForAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7")), watch: openAfter(silent, errTooOld)}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		if _, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "1"}); !apierrors.IsResourceExpired(err) {
			t.Error(err)
		}
		if got := seen.take(); got != "" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestServerThatIsBehindIsWaitedForBeforeItIsListedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7")), watch: openAfter(silent, errAhead, errAhead)}
		g, _ := guarded(server, Options{})
		listOnce(t, g)
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
		if err != nil {
			t.Fatal(err)
		}
		w.Stop()
		server.watch = openAfter(silent, slices.Repeat([]error{errAhead}, 100)...)
		before := time.Now()
		if _, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"}); !apierrors.IsResourceExpired(err) {
			t.Error(err)
		}
		if waited := time.Since(before); waited != laggingGrace {
			t.Errorf("given up after %v", waited)
		}
	})
}

func TestRightThatIsRevokedEndsTheTargetAfterFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7")), watch: opening(play(pause(time.Minute)))}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
		if err != nil {
			t.Fatal(err)
		}
		for range w.ResultChan() {
			t.Error("an event")
		}
		ctx, cancel := context.WithCancel(t.Context())
		server.watch = openAfter(silent, slices.Repeat([]error{errForbidden}, 100)...)
		before := time.Now()
		go func() {
			time.Sleep(denialGrace + time.Millisecond)
			cancel()
		}()
		if _, err := g.WatchWithContext(ctx, metav1.ListOptions{ResourceVersion: "7"}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if got := seen.take(); got != "ended: configmaps is forbidden" {
			t.Errorf("emitted %q after %v", got, time.Since(before))
		}
	})
}

func TestTypeThatCannotBeWatchedEndsTheTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{list: listing(newList("7")), watch: openAfter(silent, errNoWatch)}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		time.AfterFunc(time.Hour, cancel)
		if _, err := g.WatchWithContext(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if got := seen.take(); got != "ended: the server does not allow this method" || len(server.watched()) != 1 {
			t.Errorf("emitted %q after %d requests", got, len(server.watched()))
		}
	})
}

func TestListOnlyMakesNoWatchRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{watch: openAfter(silent)}
		g, _ := guarded(server, Options{ListOnly: true})
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
		if n := len(server.watched()); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestWatchOfATypeThatIsGoneGivesUpForAnEmptyList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{
			list:  listing(newList("7")),
			watch: openAfter(silent, slices.Repeat([]error{errMissing}, 100)...),
		}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		before := time.Now()
		if _, err := g.WatchWithContext(t.Context(), metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
			t.Error(err)
		}
		if waited := time.Since(before); waited != goneGrace {
			t.Errorf("given up after %v", waited)
		}
		before, lists := time.Now(), len(server.listed())
		if list := listOnce(t, g); len(list.Items) != 0 || time.Since(before) != 0 || len(server.listed()) != lists {
			t.Errorf("listed %v after %v, want nothing at once, without a request", list, time.Since(before))
		}
		if got := seen.take(); got != "gone: could not find the requested resource" {
			t.Errorf("emitted %q", got)
		}
	})
}

// Nobody can say what a watch has missed while its type was away.
func TestWatchThatOpensAfterItsTypeWasMissingIsGivenUpForAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := play(pause(ever))
		server := &fakeServer{
			list:  listing(newList("7")),
			watch: openAfter(func() watch.Interface { return inner }, errMissing),
		}
		g, _ := guarded(server, Options{})
		listOnce(t, g)
		if _, err := g.WatchWithContext(t.Context(), metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
			t.Error(err)
		}
		synctest.Wait()
		if _, open := <-inner.ResultChan(); open {
			t.Error("the watch was left open")
		}
		listOnce(t, g)
		server.watch = openAfter(silent)
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal("after the new list", err)
		}
		w.Stop()
	})
}

// An aggregated API may serve no resourceVersions: there is no place to go on from.
func TestWatchWithoutResourceVersionIsFollowedByAList(t *testing.T) {
	for name, open := range map[string]func(metav1.ListOptions) (watch.Interface, error){
		"after it was closed":     aMinute,
		"after it was not opened": openAfter(silent, errUnavailable),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fakeServer{list: listing(newList("", newRow("a", ""))), watch: open}
				g, _ := guarded(server, Options{})
				listOnce(t, g)
				w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{})
				if err == nil {
					for range w.ResultChan() {
						t.Error("an event")
					}
					_, err = g.WatchWithContext(t.Context(), metav1.ListOptions{})
				}
				if !apierrors.IsResourceExpired(err) {
					t.Error(err)
				}
				listOnce(t, g)
				server.watch = openAfter(silent)
				if w, err = g.WatchWithContext(t.Context(), metav1.ListOptions{}); err != nil {
					t.Fatal("after the new list", err)
				}
				w.Stop()
			})
		})
	}
}

// etcd may have been restored to an older state, whose versions are all known.
func TestServerThatIsOlderThanWhatItHasSentIsListedAnew(t *testing.T) {
	for _, test := range []struct {
		latest  string
		expired bool
	}{{"99", true}, {"100", false}, {"200", false}, {"", false}, {"opaque", false}} {
		synctest.Test(t, func(t *testing.T) {
			server := &fakeServer{list: listing(newList("100")), watch: opening(play(pause(time.Minute))), latest: test.latest}
			g, _ := guarded(server, Options{})
			listOnce(t, g)
			options := metav1.ListOptions{ResourceVersion: "100", TimeoutSeconds: new(int64(300))}
			w, err := g.WatchWithContext(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			for range w.ResultChan() {
				t.Error("an event")
			}
			server.watch = openAfter(silent)
			w, err = g.WatchWithContext(t.Context(), options)
			if apierrors.IsResourceExpired(err) != test.expired {
				t.Errorf("at %q: %v", test.latest, err)
			}
			if err == nil {
				w.Stop()
			}
		})
	}
}

func TestWatchThatEndsInTimeIsFollowedWithoutAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("100")), watch: aMinute}
		g, _ := guarded(server, Options{})
		listOnce(t, g)
		options := metav1.ListOptions{ResourceVersion: "100", TimeoutSeconds: new(int64(60))}
		for range 2 {
			w, err := g.WatchWithContext(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			for range w.ResultChan() {
				t.Error("an event")
			}
		}
		if n := len(server.copy(&server.compare)); n != 0 {
			t.Errorf("%d questions", n)
		}
	})
}

func TestTypeThatIsGoneIsLookedForSlowlyUntilItReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7", newRow("a", "1")))}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		server.list = failThen(newList("9"), slices.Repeat([]error{errMissing}, 12)...)
		listOnce(t, g)
		if _, err := g.WatchWithContext(t.Context(), metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
			t.Error(err)
		}
		at := times(server.listed())
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; gap > goneCap {
				t.Errorf("not looked for during %v", gap)
			}
		}
		if last := at[len(at)-1] - at[len(at)-2]; last != goneCap {
			t.Errorf("still looked for every %v", last)
		}
		if n := len(server.watched()); n != 0 {
			t.Errorf("%d watches of a type that is not there", n)
		}
		listOnce(t, g)
		if got := seen.take(); got != "gone: could not find the requested resource; returned" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestEndOfTheContextEndsTheSearchForAType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{list: listing(newList("7"))}
		g, _ := guarded(server, Options{})
		listOnce(t, g)
		server.list = failThen(nil, slices.Repeat([]error{errMissing}, 1000)...)
		listOnce(t, g)
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

// A server may accept a watch and never answer; a proxy may hold an answer back
// until there is an event.
func TestWatchThatIsNotAnsweredIsAskedForAgainAndWaitedForLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7"))}
		held := 70 * time.Second
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		hung := hangingSource{fakeServer: server, held: held}
		g.source = &hung
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
		if err != nil {
			t.Fatal(err)
		}
		w.Stop()
		if hung.asked != 4 {
			t.Errorf("asked %d times, want it to be waited for 10, 20, 40 and 80 seconds", hung.asked)
		}
		if got := seen.take(); !strings.HasPrefix(got, "lost: the server does not answer a watch: waited 10s; connected after ") {
			t.Errorf("emitted %q", got)
		}
	})
}

// hangingSource answers a watch late.
type hangingSource struct {
	*fakeServer
	held  time.Duration
	asked int
}

func (s *hangingSource) WatchWithContext(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
	s.asked++
	if err := sleep(ctx, s.held); err != nil {
		return nil, err
	}
	return silent(), nil
}

func TestListThatClaimsToHaveExpiredIsALossUntilItIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7")), watch: aMinute}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
		if err != nil {
			t.Fatal(err)
		}
		for range w.ResultChan() {
			t.Error("an event")
		}
		server.list = failThen(newList("9"), errTooOld, errTooOld)
		listOnce(t, g)
		if got := seen.take(); got != "lost: too old resource version; connected after 1.5s" {
			t.Errorf("emitted %q", got)
		}
	})
}
