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

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/source"
)

// slowList is a Source whose second page takes its time.
type slowList time.Duration

func (s slowList) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	list := &cache.RowList{Items: []*cache.Row{{}}}
	if options.Continue == "" {
		list.Continue, list.RemainingItemCount = "more", new(int64(1500))
		return list, nil
	}
	select {
	case <-time.After(time.Duration(s)):
		return list, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (slowList) WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewFake(), nil
}

func (slowList) Diagnose(error) guard.Diagnosis                        { return guard.Diagnosis{} }
func (slowList) Reached() bool                                         { return true }
func (slowList) Served(context.Context) (bool, error)                  { return true, nil }
func (slowList) LatestResourceVersion(context.Context) (string, error) { return "", nil }

func TestASyncThatTakesLongShowsHowFarItIsAndLeavesNoTrace(t *testing.T) {
	for _, test := range []struct {
		takes time.Duration
		shown bool
	}{{100 * time.Millisecond, false}, {3 * time.Second, true}} {
		synctest.Test(t, func(t *testing.T) {
			group, err := informer.Start(t.Context(), []informer.Spec{{Target: somePods, Source: slowList(test.takes), PageSize: 1}},
				informer.Options{Events: informer.NewQueue(0)})
			if err != nil {
				t.Fatal(err)
			}
			defer group.Stop()
			var terminal bytes.Buffer
			<-showProgress(t.Context(), consoleTo(&terminal), group)
			text := terminal.String()
			if shown := strings.Contains(text, "listing pods: 1 of 1501"); shown != test.shown {
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
		source.Stats{Lists: 2, Watches: 1, Discovery: 3, BytesReceived: 4096},
		informer.Stats{Objects: 20, Events: 7, Relists: 1, Resyncs: 40, SyncedAfter: 1500 * time.Millisecond})
	want := "stats: 6 requests (2 list, 1 watch, 0 get, 3 discovery), 4096 bytes received, 20 objects, 7 events, 1 re-lists, 40 resyncs, synced after 1.5s"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
