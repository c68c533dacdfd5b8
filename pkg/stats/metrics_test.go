package stats

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// sampleDocument has two informers of one Target, one of which was stopped, and one
// of another with text that must be escaped.
func sampleDocument() Document {
	fast, slow, discovery := 0.5, 1.5, int64(4)
	pods := Target{Version: "v1", Resource: "pods", Namespace: "shop"}
	return Document{
		Informers: []Informer{
			{Target: pods, State: Synced, Informers: 1,
				Done: Done{
					SyncedAfterSeconds: &fast, BodyBytes: 100, Deltas: Deltas{Added: 1},
					Reflector: Reflector{ListPages: 3, RelistReasons: map[guard.Relist]int64{guard.RelistExpired: 2}},
				},
				Indexer: &Indexer{Objects: 4, Indexes: []Index{{"label", 2, 8}}}},
			{Target: pods, State: Stopped, Informers: 2, Done: Done{SyncedAfterSeconds: &slow, BodyBytes: 10, Reflector: Reflector{ListPages: 1}}},
			{Target: Target{Group: "apps", Version: "v1", Resource: "deployments", LabelSelector: "a=\"\\\n"}, State: Syncing, Informers: 1},
		},
		Sum: Sum{Done: Done{Requests: Requests{List: 5, Discovery: &discovery}}, BytesReceived: 77, Queue: Queue{1, 2, 3, 4}},
	}
}

// parse reads a file as Prometheus does.
func parse(t *testing.T, path string) map[string]*dto.MetricFamily {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return families
}

// value is that of the sample that has all the labels, written as name=value.
func value(t *testing.T, families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	t.Helper()
	var found []float64
	for _, metric := range families[name].GetMetric() {
		has := map[string]bool{}
		for _, label := range metric.GetLabel() {
			has[label.GetName()+"="+label.GetValue()] = true
		}
		all := true
		for _, label := range labels {
			all = all && has[label]
		}
		if all {
			found = append(found, metric.GetCounter().GetValue()+metric.GetGauge().GetValue())
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s %v: found %v", name, labels, found)
	}
	return found[0]
}

func TestMetricsAreReadByPrometheusAndAddUpForATarget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "informer.prom")
	if err := WriteMetrics(path, sampleDocument(), true); err != nil {
		t.Fatal(err)
	}
	families := parse(t, path)
	for _, want := range []struct {
		value  float64
		name   string
		labels string
	}{
		{1, "running", ""},
		{77, "received_bytes_total", ""},
		{5, "requests_total", "verb=list"},
		{4, "requests_total", "verb=discovery"},
		{1, "queue_pushed_total", ""},
		{2, "queue_merged_total", ""},
		{3, "queue_events", ""},
		{4, "queue_events_max", ""},
		{4, "list_pages_total", "resource=pods namespace=shop"},
		{110, "body_bytes_total", "resource=pods"},
		{1.5, "sync_duration_seconds", "resource=pods"},
		{2, "relists_total", "resource=pods reason=Expired"},
		{0, "relists_total", "resource=pods reason=Rewound"},
		{1, "deltas_total", "resource=pods kind=Added"},
		{1, "informers", "resource=pods state=Synced"},
		{2, "informers", "resource=pods state=Stopped"},
		{4, "objects", "resource=pods"},
		{2, "index_values", "resource=pods index=label"},
		{8, "index_entries", "resource=pods index=label"},
		{1, "informers", "group=apps state=Syncing"},
	} {
		if got := value(t, families, prefix+want.name, strings.Fields(want.labels)...); got != want.value {
			t.Errorf("%s %s: got %v, want %v", want.name, want.labels, got, want.value)
		}
	}
	if got := value(t, families, prefix+"informers", "label_selector=a=\"\\\n", "state=Syncing"); got != 1 {
		t.Errorf("a selector with a newline: %v", got)
	}
	for name, family := range families {
		if counts := strings.HasSuffix(name, "_total"); !strings.HasPrefix(name, prefix) || family.GetHelp() == "" ||
			counts != (family.GetType() == dto.MetricType_COUNTER) {
			t.Errorf("%s: %v", name, family)
		}
	}
}

func TestAMetricsFileIsReplacedAsAWholeAndReadable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "informer.prom")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := WriteMetrics(path, sampleDocument(), false); err != nil {
		t.Fatal(err)
	}
	kept := make([]byte, 10)
	if n, _ := before.Read(kept); string(kept[:n]) != "old" {
		t.Errorf("who reads meanwhile reads %q", kept[:n])
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got := value(t, parse(t, path), prefix+"running"); got != 0 {
		t.Errorf("running: %v", got)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestWhatIsNoFileIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	err := WriteMetrics(dir, sampleDocument(), false)
	if err == nil || err.Error() != dir+" is not a regular file" {
		t.Errorf("got %v", err)
	}
	if err := WriteMetrics(filepath.Join(dir, "none", "informer.prom"), sampleDocument(), false); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
