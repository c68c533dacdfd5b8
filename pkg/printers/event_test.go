package printers

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// now is a minute and a half after the objects of these tests were created.
func now() time.Time { return time.Date(2020, 1, 2, 3, 5, 35, 0, time.UTC) }

// writes remembers each write for itself.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

// tail prints events with flags.
func tail(t *testing.T, o EventOptions, events []cache.Event, args ...string) writes {
	t.Helper()
	var out writes
	if o.Now == nil {
		o.Now = now
	}
	printer, err := mustParse(t, args...).NewEventPrinter(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events {
		if err := printer.Print(event); err != nil {
			t.Fatalf("tail %q: %v", args, err)
		}
	}
	return out
}

func event(eventType cache.EventType, typ *testType, i int) cache.Event {
	object := typ.objects[i]
	return cache.Event{Type: eventType, Target: typ.target(""), Row: typ.row(object), Time: now()}
}

// update is a MODIFIED event of an object to which change was done.
func update(typ *testType, i int, change func(body map[string]any)) cache.Event {
	modified := event(cache.Modified, typ, i)
	modified.Old = modified.Row
	body := runtime.DeepCopyJSON(typ.objects[i].body)
	change(body)
	modified.Row = typ.row(testObject{body: body, cells: typ.objects[i].cells})
	return modified
}

func synced(typ *testType) cache.Event {
	return cache.Event{Type: cache.Synced, Target: typ.target("prod"), Time: now()}
}

// life is an object's: added, modified, offered again, deleted.
func life(typ *testType, i int) []cache.Event {
	added, modified := event(cache.Added, typ, i), event(cache.Modified, typ, i)
	added.Initial = true
	modified.Old = modified.Row
	return []cache.Event{added, modified, event(cache.Resync, typ, i), event(cache.Deleted, typ, i)}
}

func targets(types ...*testType) []cache.Target {
	var all []cache.Target
	for _, typ := range types {
		all = append(all, typ.target(""))
	}
	return all
}

// kubernetes/kubectl#542, kubernetes/kubernetes#119246
func TestEachEventIsWrittenWhenItHappensInEveryFormat(t *testing.T) {
	nodes := shop().typed("nodes")
	for format, want := range map[string]writes{
		"": {
			"EVENT      NAME     STATUS   AGE\nADDED      node-1   Ready    90s\n",
			"MODIFIED   node-1   Ready    90s\n",
			"RESYNC     node-1   Ready    90s\n",
			"DELETED    node-1   Ready    90s\n",
		},
		"name": {"node/node-1\n", "node/node-1\n", "node/node-1\n", "node/node-1\n"},
		"custom-columns=Name:.metadata.name,SIZE:.spec.size,NONE:.x": {
			"EVENT      Name     SIZE   NONE\nADDED      node-1   1Gi    <none>\n",
			"MODIFIED   node-1   1Gi    <none>\n",
			"RESYNC     node-1   1Gi    <none>\n",
			"DELETED    node-1   1Gi    <none>\n",
		},
		"jsonpath={.type} {.object.metadata.name}":            {"ADDED node-1\n", "MODIFIED node-1\n", "RESYNC node-1\n", "DELETED node-1\n"},
		`jsonpath={range .object.metadata}{.name}{"\n"}{end}`: {"node-1\n", "node-1\n", "node-1\n", "node-1\n"},
		"go-template={{.type}} {{.object.metadata.name}}":     {"ADDED node-1\n", "MODIFIED node-1\n", "RESYNC node-1\n", "DELETED node-1\n"},
		"jsonpath-as-json={.object.kind}":                     {"[\n    \"Node\"\n]\n", "[\n    \"Node\"\n]\n", "[\n    \"Node\"\n]\n", "[\n    \"Node\"\n]\n"},
	} {
		if diff := cmp.Diff(want, tail(t, EventOptions{}, life(nodes, 0), "-o", format)); diff != "" {
			t.Errorf("-o %s (-want +got):\n%s", format, diff)
		}
	}
}

func TestATerminalIsSafeFromEveryFormatOfEvents(t *testing.T) {
	nodes := shop().typed("nodes")
	nodes.objects[0].body["spec"] = map[string]any{"size": "\x1b[2J\r\x7f\u009b\u202e\u200b\U000e0041"}
	for _, format := range []string{"json", "yaml", "kyaml", "jsonpath={.object.spec.size}", "go-template={{.object.spec.size}}", "name"} {
		raw := strings.Join(tail(t, EventOptions{}, life(nodes, 0), "-o", format), "")
		out := strings.Join(tail(t, EventOptions{Terminal: true}, life(nodes, 0), "-o", format), "")
		if !display.IsSafe(out, "\n\t") {
			t.Errorf("-o %s: raw control character: %q", format, out)
		}
		if strings.Contains(format, "{") && !strings.Contains(raw, "\x1b[2J") {
			t.Errorf("-o %s: a pipe gets templates as they are: %q", format, raw)
		}
	}
}

func TestSyncedInEveryFormat(t *testing.T) {
	deployments := shop().typed("deployments")
	for format, want := range map[string]string{
		"":     "SYNCED     deployments.apps\n",
		"name": "",
		"json": `{"type":"SYNCED","apiVersion":"apps/v1","kind":"Deployment","namespace":"prod"}` + "\n",
		"yaml": "apiVersion: apps/v1\nkind: Deployment\nnamespace: prod\ntype: SYNCED\n---\n",
		"jsonpath={.type}/{.object.metadata.name}": "SYNCED/\n",
		"custom-columns=A:.metadata.name":          "SYNCED     deployments.apps\n",
	} {
		same(t, want, strings.Join(tail(t, EventOptions{}, []cache.Event{synced(deployments)}, "-o", format), ""))
	}
}

func TestAClosedPipeEndsAStreamWithItsOwnError(t *testing.T) {
	pods := shop().typed("pods")
	for _, format := range []string{"", "name", "json", "yaml", "jsonpath={.type}", "go-template={{.type}}", "custom-columns=A:.kind"} {
		printer, err := mustParse(t, "-o", format).NewEventPrinter(&brokenPipe{}, EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := printer.Print(life(pods, 0)...); err != syscall.EPIPE {
				t.Errorf("-o %s: got %v, want EPIPE itself", format, err)
			}
		}
	}
}

func TestEventsChangeNothingInTheCache(t *testing.T) {
	pods, deployments := shop().typed("pods"), shop().typed("deployments")
	events := append(life(pods, 0), life(deployments, 0)...)
	var groups []Group
	for _, e := range events {
		e.Row.Cells = append(make([]any, 0, 20), e.Row.Cells...)
		groups = append(groups, Group{Rows: []*cache.Row{e.Row}})
	}
	before := dump(t, groups)
	for _, flags := range append(every(), []string{"-o", "jsonl"}) {
		o := EventOptions{Scope: Scope{AllNamespaces: true}, Targets: targets(pods, deployments), Colour: true}
		tail(t, o, events, append(flags, "--old", "--diff", "--all-changes")...)
	}
	same(t, before, dump(t, groups))
}

func TestTheNeedsAreEnoughForEvents(t *testing.T) {
	pods := shop().typed("pods")
	more := [][]string{
		{"-o", "jsonl"}, {"-o", "jsonpath={.type} {.object.metadata.name} {.object.metadata.labels}"},
		{"-o", "jsonpath={.object.spec.nodeName}"}, {"-o", "jsonpath={.oldObject.spec.nodeName}"},
		{"-o", "jsonpath={.object.metadata}"}, {"-o", "jsonpath={@}"},
		{"-o", `jsonpath={range .object.spec.containers[*]}{.image}{"\n"}{end}`},
		{"-o", "go-template={{.object.metadata.managedFields}}", "--show-managed-fields"},
	}
	for _, flags := range append(every(), more...) {
		for _, more := range [][]string{{"--old"}, {"--diff"}, {"--old", "--diff", "--all-changes"}} {
			flags := slices.Concat(flags, more)
			need := mustParse(t, flags...).EventNeeds()
			events := []cache.Event{event(cache.Added, pods, 0), update(pods, 0, restart), event(cache.Deleted, pods, 0)}
			want := tail(t, EventOptions{}, events, flags...)
			for i := range events {
				events[i].Row, events[i].Old = reducedRow(events[i].Row, need), reducedRow(events[i].Old, need)
			}
			if diff := cmp.Diff(want, tail(t, EventOptions{}, events, flags...)); diff != "" {
				t.Errorf("%q: %s is not enough (-all +needs):\n%s", flags, need, diff)
			}
		}
	}
}

// restart is what a restarted container changes, in fields of every kind.
func restart(body map[string]any) {
	metadata := body["metadata"].(map[string]any)
	metadata["resourceVersion"] = "6"
	metadata["managedFields"].([]any)[0].(map[string]any)["manager"] = "kubelet2"
	body["spec"].(map[string]any)["nodeName"] = "node-2"
	body["status"].(map[string]any)["restarts"] = int64(1)
}
