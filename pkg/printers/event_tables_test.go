package printers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// kubernetes/kubectl#298
func TestEachLineOfSeveralTypesDescribesItself(t *testing.T) {
	pods, deployments, nodes := shop().typed("pods"), shop().typed("deployments"), shop().typed("nodes")
	o := EventOptions{Scope: Scope{AllNamespaces: true}, Targets: targets(pods, deployments, nodes)}
	gone := event(cache.Deleted, pods, 0)
	gone.FinalStateUnknown = true
	events := []cache.Event{
		event(cache.Added, pods, 0), event(cache.Added, deployments, 0), event(cache.Added, nodes, 0), synced(nodes),
		event(cache.Modified, pods, 1), event(cache.Modified, deployments, 1), event(cache.Deleted, nodes, 1), gone,
	}
	same(t, `EVENT      NAMESPACE   NAME        VALUES
ADDED      prod        pod/web-1   READY 1/1  STATUS Running  RESTARTS 0  AGE 90s
ADDED      prod        deployment.apps/web   READY 2/2  UP-TO-DATE 2  AGE 90s
ADDED                  node/node-1           STATUS Ready  AGE 90s
SYNCED     prod        nodes
MODIFIED   prod        pod/web-2-with-a-long-name   READY 1/1  STATUS CrashLoopBackOff  RESTARTS 12  AGE 90s
MODIFIED   test        deployment.apps/web          READY 1/1  AGE 90s
DELETED                node/node-2                  STATUS NotReady  AGE 90s
DELETED    prod        pod/web-1                    READY 1/1  STATUS Running  RESTARTS 0  AGE 90s  (finalStateUnknown)
`, strings.Join(tail(t, o, events), ""))
	same(t, `ADDED      prod   pod/web-1   READY 1/1  STATUS Running  RESTARTS 0  AGE 90s  NODE node-1  APP web  MISSING <none>  LABELS app.kubernetes.io/part-of=shop<&>,app=web
`, strings.Join(tail(t, o, events[:1], "--no-headers", "-o", "wide", "-L", "app,example.com/missing", "--show-labels"), ""))
}

func TestNamesOfColumnsAreDimmed(t *testing.T) {
	pods, nodes := shop().typed("pods"), shop().typed("nodes")
	hostile := event(cache.Added, nodes, 0)
	columns := slices.Clone(*hostile.Row.Columns)
	columns[1].Name = "Sta\ntus\x0f"
	hostile.Row.Columns = &columns
	hostile.Row.Cells = []any{"node-1", "\x0eReady\x0f\nmore", "5y"}
	o := EventOptions{Targets: targets(pods, nodes), Colour: true}
	same(t, "\x1b[32mADDED   \x1b[0m   node/node-1   \x1b[2mSTA\\NTUS\\U000F\x1b[0m \\u000eReady\\u000f...  \x1b[2mAGE\x1b[0m 90s\n"+
		"\x1b[31mDELETED    node/node-2   STATUS NotReady  AGE 90s\x1b[0m\n",
		strings.Join(tail(t, o, []cache.Event{hostile, event(cache.Deleted, nodes, 1)}, "--no-headers"), ""))
}

func TestTimesOnATerminalAreLocal(t *testing.T) {
	nodes := shop().typed("nodes")
	zone := time.Local
	time.Local = time.FixedZone("there", 5*60*60+30*60)
	t.Cleanup(func() { time.Local = zone })
	events := []cache.Event{event(cache.Added, nodes, 0)}
	for _, flags := range [][]string{{"--no-headers"}, {"-o", "name"}, {"-o", "custom-columns=A:.metadata.name", "--no-headers"}} {
		flags = append(flags, "--timestamps")
		if got := strings.Join(tail(t, EventOptions{Terminal: true}, events, flags...), ""); !strings.HasPrefix(got, "2020-01-02T08:35:35.000+05:30 ") {
			t.Errorf("%q: got %q", flags, got)
		}
		if got := strings.Join(tail(t, EventOptions{}, events, flags...), ""); !strings.HasPrefix(got, "2020-01-02T03:05:35") {
			t.Errorf("%q into a pipe: got %q", flags, got)
		}
	}
}

func TestANewSetOfColumnsGetsANewHeaderAndTheSameSetDoesNot(t *testing.T) {
	typ := shop().typed("deployments")
	reconnected, changed := event(cache.Modified, typ, 0), event(cache.Modified, typ, 0)
	reconnected.Row.Columns = nameAge("Ready", "Up-to-date")
	changed.Row.Columns, changed.Row.Cells = nameAge("Ready"), []any{"web", "2/2", "5y"}
	out := tail(t, EventOptions{}, []cache.Event{event(cache.Added, typ, 0), reconnected, changed, changed})
	same(t, `EVENT      NAME   READY   UP-TO-DATE   AGE
ADDED      web    2/2     2            90s
MODIFIED   web    2/2     2            90s
EVENT      NAME   READY   AGE
MODIFIED   web    2/2     90s
MODIFIED   web    2/2     90s
`, strings.Join(out, ""))
}

func TestTheFlagsOfTablesWorkInAStream(t *testing.T) {
	pods := shop().typed("pods")
	events := []cache.Event{event(cache.Added, pods, 0), event(cache.Modified, pods, 2)}
	o := EventOptions{Scope: Scope{Namespaces: []string{"prod", "test"}}, Targets: targets(pods)}
	same(t, `TIME                       EVENT      NAMESPACE   NAME        READY   STATUS    RESTARTS   AGE   NODE     APP   LABELS
2020-01-02T03:05:35.000Z   ADDED      prod        pod/web-1   1/1     Running   0          90s   node-1   web   app.kubernetes.io/part-of=shop<&>,app=web
2020-01-02T03:05:35.000Z   MODIFIED   test        pod/web-1   1/1     Line...   3          90s   ^[[31mnode-é   web   app.kubernetes.io/part-of=shop<&>,app=web
`, strings.Join(tail(t, o, events, "-o", "wide", "--timestamps", "-L", "app", "--show-labels", "--show-kind"), ""))
	same(t, `TIME                       EVENT      A
2020-01-02T03:05:35.000Z   ADDED      web-1
2020-01-02T03:05:35.000Z   MODIFIED   web-1
`, strings.Join(tail(t, o, events, "-o", "custom-columns=A:.metadata.name", "--timestamps"), ""))
	same(t, "2020-01-02T03:05:35Z pod/web-1\n2020-01-02T03:05:35Z pod/web-1\n",
		strings.Join(tail(t, o, events, "-o", "name", "--timestamps"), ""))
}

func TestALineSaysWhatItsTypeAloneDoesNot(t *testing.T) {
	nodes := shop().typed("nodes")
	tombstone, left := event(cache.Deleted, nodes, 0), event(cache.Deleted, nodes, 1)
	tombstone.FinalStateUnknown = true
	left.Reason = cache.NoLongerMatches
	same(t, `EVENT      NAME     STATUS   AGE
DELETED    node-1   Ready    90s   (finalStateUnknown)
DELETED    node-2   NotReady   90s   (NoLongerMatches)
`, strings.Join(tail(t, EventOptions{}, []cache.Event{tombstone, left}), ""))
}

func TestAgesAreAsOfPrinting(t *testing.T) {
	nodes, gadgets := shop().typed("nodes"), shop().typed("gadgets")
	clock := now()
	o := EventOptions{Now: func() time.Time { clock = clock.Add(time.Hour); return clock }}
	same(t, `EVENT      NAME     STATUS   AGE
RESYNC     node-1   Ready    61m
RESYNC     node-1   Ready    121m
`, strings.Join(tail(t, o, []cache.Event{event(cache.Resync, nodes, 0), event(cache.Resync, nodes, 0)}), ""))
	same(t, "EVENT      NAME    AGE\nADDED      gizmo   90s\n",
		strings.Join(tail(t, EventOptions{}, []cache.Event{event(cache.Added, gadgets, 0)}), ""))

	unknown, other := event(cache.Added, nodes, 0), event(cache.Added, nodes, 0)
	unknown.Row.CreationTimestamp = metav1.Time{}
	columns := append(cache.Columns{}, *other.Row.Columns...)
	columns[2].Description = "Time since the last start"
	other.Row.Columns = &columns
	for _, e := range []cache.Event{unknown, other} {
		same(t, "ADDED      node-1   Ready   5y\n", strings.Join(tail(t, EventOptions{}, []cache.Event{e}, "--no-headers"), ""))
	}
}

func TestATypeWhoseColumnsHideTheNameStillNamesItsKind(t *testing.T) {
	typ := &testType{
		GroupVersionKind: schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"}, resource: "events", namespaced: true,
		columns: &cache.Columns{{Name: "Reason", Type: "string"}, {Name: "Name", Type: "string", Format: "name", Priority: 1}},
	}
	typ.objects = []testObject{object(typ.GroupVersionKind, "prod", "e1")}
	typ.objects[0].cells = []any{"Killing", "e1"}
	nodes := shop().typed("nodes")
	events := []cache.Event{event(cache.Added, typ, 0), event(cache.Added, nodes, 0)}
	same(t, `EVENT      NAME                     VALUES
ADDED      event.events.k8s.io/e1   REASON Killing
ADDED      node/node-1              STATUS Ready  AGE 90s
`, strings.Join(tail(t, EventOptions{Targets: targets(typ, nodes)}, events), ""))
	same(t, "EVENT      REASON\nADDED      Killing\n", strings.Join(tail(t, EventOptions{Targets: targets(typ)}, events[:1]), ""))
}

func TestATableIsCleanEvenInAPipe(t *testing.T) {
	evil := "x\nADDED   fake\x1b[2J\r\x07\x7f\u009b\t\v\f\u202e\u200b\U000e0041"
	nodes := shop().typed("nodes")
	columns := append(cache.Columns{}, *nodes.columns...)
	columns[1].Name = "Sta" + evil
	nodes.columns = &columns
	nodes.objects[0].cells[1] = "\x07bell" + evil
	nodes.objects[0].metadata()["labels"] = map[string]any{"l": "\u009blabel" + evil}
	nodes.objects[0].body["spec"] = map[string]any{"size": evil}
	for _, flags := range [][]string{{"--show-labels", "-L", "l"}, {"-o", "custom-columns=A:.spec.size,B:.metadata.labels"}} {
		out := strings.Join(tail(t, EventOptions{}, []cache.Event{event(cache.Added, nodes, 0)}, flags...), "")
		if !display.IsSafe(out, "\n") {
			t.Errorf("%q: raw control character: %q", flags, out)
		}
		if strings.Count(out, "\n") != 2 {
			t.Errorf("%q: an object forged a line:\n%s", flags, out)
		}
	}
}

func TestEventsInOnePieceAreOneWriteAndAlignedTogether(t *testing.T) {
	pods := shop().typed("pods")
	var out writes
	printer, err := mustParse(t).NewEventPrinter(&out, EventOptions{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if err := printer.Print(event(cache.Added, pods, 0), event(cache.Added, pods, 1)); err != nil {
		t.Fatal(err)
	}
	if err := printer.Print(); err != nil {
		t.Fatal(err)
	}
	want := writes{`EVENT      NAME                     READY   STATUS             RESTARTS   AGE
ADDED      web-1                    1/1     Running            0          90s
ADDED      web-2-with-a-long-name   1/1     CrashLoopBackOff   12         90s
`}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLongStreamsKeepTheirColumns(t *testing.T) {
	pods := shop().typed("pods")
	events := []cache.Event{event(cache.Added, pods, 1)}
	for range 300 {
		events = append(events, event(cache.Modified, pods, 0))
	}
	out := tail(t, EventOptions{}, events)
	at := strings.Index(out[0], "READY")
	for i, line := range out[1:] {
		if strings.Index(line, "1/1") != at {
			t.Fatalf("line %d: columns moved:\n%s%s", i, out[0], line)
		}
	}
	if len(out) != len(events) {
		t.Errorf("%d writes for %d events", len(out), len(events))
	}
}
