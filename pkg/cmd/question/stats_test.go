package question

import (
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

func TestStatsNameEveryCost(t *testing.T) {
	got := statsLine(
		client.Stats{Lists: 2, Watches: 1, Discovery: 3, BytesReceived: 4096},
		informer.Stats{
			Objects: 20, SyncedAfter: 1500 * time.Millisecond, Handler: informer.HandlerStats{Resynced: 40},
			Guard: guard.Stats{Events: guard.Events{Added: 1, Modified: 4, Deleted: 2}, Relists: map[guard.Relist]int64{guard.RelistExpired: 1}},
		})
	want := "stats: 6 requests (2 list, 1 watch, 0 get, 3 discovery), 4096 bytes received, 20 objects, 7 events, 1 re-lists, 40 resyncs, synced after 1.5s"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
