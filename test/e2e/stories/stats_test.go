package stories

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/stats"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// statsOf reads the stats that a program has printed at its end.
func statsOf(t *testing.T, stderr string) stats.Document {
	t.Helper()
	d, err := harness.Result{Stderr: stderr}.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (u *user) createLabelled(names ...string) {
	u.t.Helper()
	for _, name := range names {
		_, err := stage.client.CoreV1().ConfigMaps(u.namespace).Create(u.t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"counted": "yes"}},
		}, metav1.CreateOptions{})
		if err != nil {
			u.t.Fatal(err)
		}
	}
}

func TestStatsAreThoseOfTheRun(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	user.createLabelled("a", "b", "c", "d", "e")
	file := filepath.Join(t.TempDir(), "informer.prom")
	// It ends by itself: 5 are there, 1 changes, 1 goes, and 4 come again with a resync.
	tail := user.tail("configmaps", "-l", "counted=yes", "--by", "label=counted=yes", "--chunk-size", "2", "--resync", "20s",
		"--max-events", "11", "-o", "name", "--stats=json", "--metrics-file", file, "-v=6")
	tail.untilWatching()
	client := stage.client.CoreV1().ConfigMaps(user.namespace)
	patch := []byte(`{"data":{"colour":"blue"}}`)
	if _, err := client.Patch(t.Context(), "a", "application/merge-patch+json", patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.Delete(t.Context(), "b", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	result := tail.end()
	d := statsOf(t, result.Stderr)
	if len(d.Informers) != 1 || len(d.Queues) != 1 {
		t.Fatalf("got %+v", d)
	}
	i := d.Informers[0]
	if want := (stats.Target{Version: "v1", Resource: "configmaps", Namespace: user.namespace, LabelSelector: "counted=yes"}); i.Target != want {
		t.Errorf("target: %+v", i.Target)
	}
	if i.State != stats.Synced || i.SyncedAfterSeconds == nil {
		t.Errorf("state: %+v", i)
	}
	if want := (stats.Requests{List: 3, Watch: 1}); i.Requests != want {
		t.Errorf("requests: %+v", i.Requests)
	}
	r := i.Reflector
	if r.Lists != 1 || r.ListPages != 3 || r.Watches != 1 || r.Relists != 0 || len(r.RelistReasons) != 0 || r.Failures != 0 {
		t.Errorf("reflector: %+v", r)
	}
	if want := (stats.Deltas{Updated: 1, Deleted: 1, Replaced: 5, Sync: 4}); i.Deltas != want {
		t.Errorf("deltas: %+v", i.Deltas)
	}
	if want := (stats.Handler{OnAdd: 5, OnUpdate: 5, OnDelete: 1}); i.Handler != want {
		t.Errorf("handler: %+v", i.Handler)
	}
	if want := (stats.Resync{Rounds: 1, Objects: 4}); i.Resync != want {
		t.Errorf("resync: %+v", i.Resync)
	}
	if i.Indexer.Objects != 4 || !slices.Contains(i.Indexer.Indexes, stats.Index{Name: "label", Values: 2, Entries: 8}) {
		t.Errorf("indexer: %+v", i.Indexer)
	}
	if q := d.Queues[0]; *i.Queue != 0 || q.Pushed != 12 || q.Merged != 0 || q.MaxWaiting < 1 {
		t.Errorf("queue: %+v", q)
	}
	if i.BodyBytes == 0 || d.Sum.BytesReceived == 0 || d.Sum.Requests.List != 3 || d.Sum.Deltas != i.Deltas {
		t.Errorf("sum: %+v", d.Sum)
	}
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"list_pages_total": 3, "watches_total": 1, "resync_rounds_total": 1, "resync_objects_total": 4, "queue_pushed_total": 12,
	} {
		if family := families["kubectl_informer_"+name]; len(family.GetMetric()) != 1 || family.GetMetric()[0].GetCounter().GetValue() != want {
			t.Errorf("%s: %v, want %v", name, family, want)
		}
	}
}

func TestStatsOfAQueryHaveWhatWasStopped(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	user.createLabelled("a", "b")
	// A table needs other informers than what was listed first.
	query := stage.programs.Command(t.Context(), user.env, "kubectl-informer", "query", "configmaps", "--stats=json")
	query.Stdin = strings.NewReader("-l counted -o name\n-l counted\n")
	var stderr strings.Builder
	query.Stderr = &stderr
	if err := query.Run(); err != nil {
		t.Fatal(err, stderr.String())
	}
	d := statsOf(t, stderr.String())
	if len(d.Informers) != 2 || d.Informers[0].State != stats.Synced || d.Informers[1].State != stats.Stopped {
		t.Fatalf("got %+v", d.Informers)
	}
	if d.Informers[1].Indexer != nil || d.Informers[1].Reflector.Lists != 1 || d.Sum.Informers != 2 || d.Sum.Reflector.Lists != 2 {
		t.Errorf("got %+v", d)
	}
}

func TestStatsOfAWaitHaveItsInformer(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	user.createLabelled("a")
	result := user.run("kubectl-informer", "wait", "configmaps", "-l", "counted", "--for=create", "--stats=json")
	if d := statsOf(t, result.Stderr); len(d.Informers) != 1 || d.Informers[0].Handler.OnAdd != 1 {
		t.Errorf("got %+v", d)
	}
}
