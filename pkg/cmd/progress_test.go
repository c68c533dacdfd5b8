package cmd

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/source"
)

// slowList is a ListerWatcher whose list takes its time.
type slowList struct {
	*toolscache.ListWatch
}

func (slowList) IsWatchListSemanticsUnSupported() bool { return true }

func listTaking(d time.Duration) informer.Spec {
	return informer.Spec{Target: somePods, Source: func(report func(cache.Report)) (toolscache.ListerWatcher, error) {
		return slowList{&toolscache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
				report(cache.Report{Op: cache.OpList, Objects: 500, Remaining: 1500})
				select {
				case <-time.After(d):
				case <-ctx.Done():
				}
				report(cache.Report{Op: cache.OpList, Objects: 2000, Done: true})
				return &cache.RowList{}, nil
			},
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				return watch.NewFake(), nil
			},
		}}, nil
	}}
}

func TestASyncThatTakesLongShowsHowFarItIsAndLeavesNoTrace(t *testing.T) {
	for _, test := range []struct {
		takes time.Duration
		shown bool
	}{{100 * time.Millisecond, false}, {3 * time.Second, true}} {
		synctest.Test(t, func(t *testing.T) {
			group, err := informer.Start(t.Context(), []informer.Spec{listTaking(test.takes)}, informer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer group.Stop()
			var terminal bytes.Buffer
			showProgress(t.Context(), &terminal, group)()
			text := terminal.String()
			if shown := strings.Contains(text, "listing pods: 500 of 2000"); shown != test.shown {
				t.Errorf("a sync of %v shows %q", test.takes, text)
			}
			if test.shown && !strings.HasSuffix(text, eraseLine) {
				t.Errorf("the line stays: %q", text)
			}
		})
	}
}

func TestStatsNameEveryCost(t *testing.T) {
	got := statsLine(
		source.Stats{Lists: 2, Watches: 1, Discovery: 3, BytesReceived: 4096, Events: 7, Relists: 1},
		informer.Stats{Objects: 20, Resyncs: 40, SyncedAfter: 1500 * time.Millisecond})
	want := "stats: 6 requests (2 list, 1 watch, 0 get, 3 discovery), 4096 bytes received, 20 objects, 7 events, 1 re-lists, 40 resyncs, synced after 1.5s"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
