package question

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// The formats of --stats.
const (
	statsText = "text"
	statsJSON = "json"
)

func (f *ResourceFlags) addStatsFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.stats, "stats", "",
		"Print to stderr, at the end, what the invocation has cost: requests by verb, bytes, objects, events, re-lists, resyncs, time to sync. --stats=json prints one line of JSON with every stage of each informer.")
	flags.Lookup("stats").NoOptDefVal = statsText
	flags.StringVar(&f.metricsFile, "metrics-file", "",
		"Write what --stats=json prints to this file, in Prometheus' text format, every 15 seconds and at the end: for the textfile collector of a node exporter, which reads files whose names end in .prom. The file is replaced as a whole. One command needs one file.")
}

// validateStats says which format there is not.
func validateStats(format string) error {
	switch format {
	case "", statsText, statsJSON:
		return nil
	}
	return fmt.Errorf("--stats must be text or json, got %q", format)
}

// ReportStats reports what the invocation has cost, where --stats asks for it.
func (q *Question) ReportStats() {
	switch q.stats {
	case statsText:
		q.Streams.Console.Say("%s", statsLine(q.Connection.Stats(), q.Recorder.Total()))
	case statsJSON:
		document, err := json.Marshal(q.Recorder.Document(q.Connection.Stats()))
		if err != nil {
			q.Streams.Console.Say("error: --stats=json: %v", err)
			return
		}
		q.Streams.Console.Say("%s", document)
	}
}

func statsLine(cost client.Stats, held informer.Stats) string {
	requests := cost.Lists + cost.Watches + cost.Gets + cost.Discovery
	line := []string{
		fmt.Sprintf("stats: %d requests (%d list, %d watch, %d get, %d discovery)", requests, cost.Lists, cost.Watches, cost.Gets, cost.Discovery),
		fmt.Sprintf("%d bytes received", cost.BytesReceived),
		fmt.Sprintf("%d objects", held.Objects),
		fmt.Sprintf("%d events", held.Guard.Events.Sum()),
		fmt.Sprintf("%d re-lists", held.Guard.Relisted()),
		fmt.Sprintf("%d resyncs", held.Handler.Resynced),
	}
	if held.SyncedAfter > 0 {
		line = append(line, fmt.Sprintf("synced after %v", held.SyncedAfter.Round(time.Millisecond)))
	}
	return strings.Join(line, ", ")
}
