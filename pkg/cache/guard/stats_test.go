package guard

import (
	"maps"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestEachRelistHasItsReason(t *testing.T) {
	for reason, watching := range map[Relist]func(*Guard){
		RelistExpired:     func(g *Guard) { _ = g.relistFor(errTooOld) },
		RelistAhead:       func(g *Guard) { _ = g.relistFor(errAhead) },
		RelistTypeGone:    func(g *Guard) { _ = g.relistFor(errMissing) },
		RelistWatchFailed: func(*Guard) {},
		RelistRequested:   func(g *Guard) { g.counts.because(RelistRequested) },
		// These go through the reflector as expired.
		RelistRewound:      func(g *Guard) { _ = g.relistFor(g.relistFor(errRewound)) },
		RelistMissed:       func(g *Guard) { _ = g.relistFor(g.relistFor(errMissed)) },
		RelistUnversioned:  func(g *Guard) { _ = g.relistFor(errUnversioned) },
		RelistTypeReturned: func(g *Guard) { _ = g.relistFor(errTypeReturned) },
	} {
		synctest.Test(t, func(t *testing.T) {
			g, _ := guarded(&fakeServer{list: listing(newList("7"))}, Options{})
			listOnce(t, g)
			watching(g)
			listOnce(t, g)
			if got, want := g.Stats().Relists, (map[Relist]int64{reason: 1}); !maps.Equal(got, want) {
				t.Errorf("counted %v, want %v", got, want)
			}
			listOnce(t, g)
			if got := g.Stats().Relists[reason]; reason != RelistWatchFailed && got != 1 {
				t.Errorf("%s: another list is counted for the same reason", reason)
			}
		})
	}
}

func TestAnExpiredWatchIsAFailureAndTheReasonOfAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7")), watch: func(metav1.ListOptions) (watch.Interface, error) { return nil, errTooOld }}
		g, _ := guarded(server, Options{})
		listOnce(t, g)
		if _, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"}); err == nil {
			t.Fatal("the watch has opened")
		}
		listOnce(t, g)
		stats := g.Stats()
		if stats.Relists[RelistExpired] != 1 || stats.Lists != 2 || stats.Pages != 2 || stats.Failures != 1 || stats.Watches != 0 {
			t.Errorf("got %+v", stats)
		}
	})
}

func TestStatsAddUp(t *testing.T) {
	one := Stats{
		Lists: 1, Pages: 2, Watches: 3, Bookmarks: 4, Events: Events{5, 6, 7}, Replaced: 8, Failures: 9, Losses: 10,
		Relists: map[Relist]int64{RelistExpired: 11},
	}
	two := one.Plus(one).Plus(Stats{Relists: map[Relist]int64{RelistAhead: 1}})
	if two.Lists != 2 || two.Pages != 4 || two.Watches != 6 || two.Bookmarks != 8 || two.Events != (Events{10, 12, 14}) ||
		two.Replaced != 16 || two.Failures != 18 || two.Losses != 20 || two.Relisted() != 23 {
		t.Errorf("got %+v", two)
	}
	if one.Relisted() != 11 {
		t.Error("what is added to has changed")
	}
}
