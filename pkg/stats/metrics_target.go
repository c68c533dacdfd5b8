package stats

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// byTarget is what all informers of one Target hold and have done: Prometheus wants
// each set of labels once, and a counter that never falls.
type byTarget struct {
	order   []sample
	samples map[sample]float64
}

func (b *byTarget) count(name, help string, kind prometheus.ValueType, label, value string, n int64) {
	b.sum(sample{family{name, help, kind, label}, value}, float64(n))
}

func (b *byTarget) sum(s sample, value float64) {
	if _, known := b.samples[s]; !known {
		b.order = append(b.order, s)
	}
	b.samples[s] += value
}

// add adds an informer of the Target.
func (b *byTarget) add(i Informer) {
	b.addState(i)
	b.addRequests(i.Done)
	b.addReflector(i.Reflector)
	b.addDeltas(i.Done)
	if i.Indexer == nil {
		return
	}
	b.count("objects", "Objects in the cache.", gauge, "", "", int64(i.Indexer.Objects))
	for _, index := range i.Indexer.Indexes {
		b.count("index_values", "Distinct values of an index.", gauge, "index", index.Name, int64(index.Values))
		b.count("index_entries", "Objects under all values of an index.", gauge, "index", index.Name, int64(index.Entries))
	}
}

func (b *byTarget) addState(i Informer) {
	for _, state := range []State{Syncing, Synced, Failed, Stopped} {
		n := 0
		if i.State == state {
			n = i.Informers
		}
		b.count("informers", "Informers by state.", gauge, "state", string(state), int64(n))
	}
	if i.SyncedAfterSeconds != nil {
		slowest := sample{family{"sync_duration_seconds", "Time from the start until the cache had synced, of the slowest informer.", gauge, ""}, ""}
		b.sum(slowest, max(*i.SyncedAfterSeconds-b.samples[slowest], 0))
	}
}

func (b *byTarget) addRequests(d Done) {
	const name, help = "target_requests_total", "Requests by verb, each attempt counted."
	b.count(name, help, counter, "verb", "list", d.Requests.List)
	b.count(name, help, counter, "verb", "watch", d.Requests.Watch)
	b.count(name, help, counter, "verb", "get", d.Requests.Get)
	b.count("body_bytes_total", "Bytes of the bodies of answers, decompressed.", counter, "", "", d.BodyBytes)
}

func (b *byTarget) addReflector(r Reflector) {
	b.count("lists_total", "Complete lists.", counter, "", "", r.Lists)
	b.count("list_pages_total", "Pages of lists.", counter, "", "", r.ListPages)
	for _, reason := range guard.RelistReasons() {
		b.count("relists_total", "Lists begun after a first one was complete.", counter, "reason", string(reason), r.RelistReasons[reason])
	}
	b.count("watches_total", "Watches that were opened.", counter, "", "", r.Watches)
	b.count("bookmarks_total", "Bookmarks that watches have brought.", counter, "", "", r.Bookmarks)
	b.count("failures_total", "Failed requests, and watches that ended with an error.", counter, "", "", r.Failures)
	b.count("connection_losses_total", "How often the connection was reported as lost.", counter, "", "", r.ConnectionLosses)
}

func (b *byTarget) addDeltas(d Done) {
	const deltas, given = "deltas_total", "Deltas that were given to the DeltaFIFO, by kind."
	b.count(deltas, given, counter, "kind", "Added", d.Deltas.Added)
	b.count(deltas, given, counter, "kind", "Updated", d.Deltas.Updated)
	b.count(deltas, given, counter, "kind", "Deleted", d.Deltas.Deleted)
	b.count(deltas, given, counter, "kind", "Replaced", d.Deltas.Replaced)
	b.count(deltas, given, counter, "kind", "Sync", d.Deltas.Sync)
	const calls, called = "handler_calls_total", "Calls of the event handler."
	b.count(calls, called, counter, "call", "OnAdd", d.Handler.OnAdd)
	b.count(calls, called, counter, "call", "OnUpdate", d.Handler.OnUpdate)
	b.count(calls, called, counter, "call", "OnDelete", d.Handler.OnDelete)
	b.count("updates_unchanged_total", "Calls of OnUpdate in which a re-list has only seen the object again.", counter, "", "", d.Handler.Unchanged)
	b.count("deletions_final_state_unknown_total", "Calls of OnDelete for what was deleted while the watch was down.", counter, "", "", d.Handler.FinalStateUnknown)
	b.count("resync_rounds_total", "Resyncs.", counter, "", "", d.Resync.Rounds)
	b.count("resync_objects_total", "Objects that were reported in resyncs.", counter, "", "", d.Resync.Objects)
}

// send sends all samples with the labels of the Target.
func (b *byTarget) send(t Target, metrics chan<- prometheus.Metric) {
	labels := []string{"group", "version", "resource", "namespace", "name", "subresource", "label_selector", "field_selector", "shard_selector"}
	values := []string{t.Group, t.Version, t.Resource, t.Namespace, t.Name, t.Subresource, t.LabelSelector, t.FieldSelector, t.ShardSelector}
	if t.Context != "" {
		labels, values = append(labels, "context"), append(values, t.Context)
	}
	for _, s := range b.order {
		metrics <- s.metric(b.samples[s], labels, values)
	}
}
