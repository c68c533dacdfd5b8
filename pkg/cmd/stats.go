package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/source"
)

// tellStats says what the invocation has cost, where --stats asks for it.
func (q *question) tellStats() {
	if !q.ask.stats {
		return
	}
	var total informer.Stats
	for _, group := range q.groups {
		s := group.Stats()
		total.Objects += s.Objects
		total.Events += s.Events
		total.Relists += s.Relists
		total.Resyncs += s.Resyncs
		total.SyncedAfter = max(total.SyncedAfter, s.SyncedAfter)
	}
	q.streams.console.say("%s", statsLine(q.ask.connection.Stats(), total))
}

func statsLine(cost source.Stats, held informer.Stats) string {
	requests := cost.Lists + cost.Watches + cost.Gets + cost.Discovery
	line := []string{
		fmt.Sprintf("stats: %d requests (%d list, %d watch, %d get, %d discovery)", requests, cost.Lists, cost.Watches, cost.Gets, cost.Discovery),
		fmt.Sprintf("%d bytes received", cost.BytesReceived),
		fmt.Sprintf("%d objects", held.Objects),
		fmt.Sprintf("%d events", held.Events),
		fmt.Sprintf("%d re-lists", held.Relists),
		fmt.Sprintf("%d resyncs", held.Resyncs),
	}
	if held.SyncedAfter > 0 {
		line = append(line, fmt.Sprintf("synced after %v", held.SyncedAfter.Round(time.Millisecond)))
	}
	return strings.Join(line, ", ")
}
