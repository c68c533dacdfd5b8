package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/source"
)

// tellStats says what the invocation has cost, where --stats asks for it.
func (q *question) tellStats() {
	if !q.stats {
		return
	}
	total := q.released
	for _, group := range q.groups {
		total = add(total, group.Stats())
	}
	q.streams.console.say("%s", statsLine(q.connection.Stats(), total))
}

// release forgets a group that has been stopped and its objects, but not what it
// has done.
func (q *question) release(group *informer.Group) {
	done := group.Stats()
	done.Objects = 0
	q.released = add(q.released, done)
	q.groups = slices.DeleteFunc(q.groups, func(g *informer.Group) bool { return g == group })
}

func add(a, b informer.Stats) informer.Stats {
	return informer.Stats{
		Objects:     a.Objects + b.Objects,
		Events:      a.Events + b.Events,
		Relists:     a.Relists + b.Relists,
		Resyncs:     a.Resyncs + b.Resyncs,
		SyncedAfter: max(a.SyncedAfter, b.SyncedAfter),
	}
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
