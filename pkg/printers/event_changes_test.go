package printers

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// rollout changes, adds and removes a field, and one line of a text.
func rollout(body map[string]any) {
	spec, metadata := body["spec"].(map[string]any), body["metadata"].(map[string]any)
	delete(spec, "empty")
	spec["priority"] = maxExact - 1
	spec["containers"].([]any)[0].(map[string]any)["image"] = "nginx:1.28"
	metadata["labels"].(map[string]any)["tier"] = "web"
	delete(metadata["labels"].(map[string]any), "app")
	metadata["annotations"].(map[string]any)["conf"] = "- a\n+ b\nd\n"
	metadata["resourceVersion"] = "6"
}

// rolledOut is a pod before and after rollout.
func rolledOut() cache.Event {
	pods := shop().typed("pods")
	pods.objects[0].metadata()["annotations"].(map[string]any)["conf"] = "- a\n+ b\nc\n"
	return update(pods, 0, rollout)
}

func TestAnUpdateIsFollowedByWhatItChanged(t *testing.T) {
	pods := shop().typed("pods")
	events := []cache.Event{event(cache.Added, pods, 0), rolledOut(), event(cache.Resync, pods, 0), event(cache.Deleted, pods, 0)}
	const changes = `    ~ metadata.annotations.conf:
          + b
        - c
        + d
    - metadata.labels.app: web → <none>
    + metadata.labels.tier: <none> → web
    ~ spec.containers[main].image: nginx:1.27 → nginx:1.28
    - spec.empty: {} → <none>
    ~ spec.priority: 9007199254740993 → 9007199254740992
`
	same(t, `EVENT      NAME    READY   STATUS    RESTARTS   AGE
ADDED      web-1   1/1     Running   0          90s
MODIFIED   web-1   1/1     Running   0          90s
`+changes+`RESYNC     web-1   1/1     Running   0          90s
DELETED    web-1   1/1     Running   0          90s
`, strings.Join(tail(t, EventOptions{}, events, "--diff"), ""))
	same(t, `TIME                       EVENT      NAME
2020-01-02T03:05:35.000Z   ADDED      web-1
2020-01-02T03:05:35.000Z   MODIFIED   web-1
`+changes+`2020-01-02T03:05:35.000Z   RESYNC     web-1
2020-01-02T03:05:35.000Z   DELETED    web-1
`, strings.Join(tail(t, EventOptions{}, events, "--diff", "--timestamps", "-o", "custom-columns=NAME:.metadata.name"), ""))
}

func TestSeveralUpdatesAreOneWriteAndEachHasItsChangesBelow(t *testing.T) {
	nodes := shop().typed("nodes")
	var out writes
	printer, err := mustParse(t, "--diff").NewEventPrinter(&out, EventOptions{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	grow := func(body map[string]any) { body["spec"] = map[string]any{"size": "2Gi"} }
	if err := printer.Print(event(cache.Added, nodes, 1), update(nodes, 0, grow), update(nodes, 1, grow), event(cache.Deleted, nodes, 0)); err != nil {
		t.Fatal(err)
	}
	want := writes{`EVENT      NAME     STATUS     AGE
ADDED      node-2   NotReady   90s
MODIFIED   node-1   Ready      90s
    ~ spec.size: 1Gi → 2Gi
MODIFIED   node-2   NotReady   90s
    ~ spec.size: 1Gi → 2Gi
DELETED    node-1   Ready      90s
`}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChangesStandBelowTheirLineAmongSeveralTypes(t *testing.T) {
	pods, nodes := shop().typed("pods"), shop().typed("nodes")
	o := EventOptions{Targets: targets(pods, nodes)}
	out := strings.Join(tail(t, o, []cache.Event{event(cache.Added, nodes, 0), rolledOut()}, "--diff", "--no-headers"), "")
	if !strings.Contains(out, "AGE 90s\n    ~ metadata.annotations.conf:\n          + b\n") {
		t.Errorf("got\n%s", out)
	}
}

// kubernetes/kubernetes PR#133565
func TestAReplacedObjectSaysSo(t *testing.T) {
	pods, nodes := shop().typed("pods"), shop().typed("nodes")
	gone, again := event(cache.Deleted, pods, 0), event(cache.Added, pods, 0)
	gone.FinalStateUnknown = true
	again.Row.UID = "new\n"
	const said = "    ~ replaced: uid prod-web-1 → new\\n\n"
	told := func(events ...cache.Event) string {
		return strings.Join(tail(t, EventOptions{Targets: targets(pods, nodes)}, events, "--diff", "--no-headers", "-o", "custom-columns=A:.metadata.name"), "")
	}
	same(t, "DELETED    web-1\nADDED      web-1\n"+said, told(gone, again))
	same(t, "DELETED    web-1\nADDED      node-1\nADDED      web-1\n"+said, told(gone, event(cache.Added, nodes, 0), again))
	// All that was deleted meanwhile comes before all that was added.
	other := event(cache.Deleted, pods, 1)
	other.FinalStateUnknown = true
	same(t, "DELETED    web-1\nDELETED    web-2-with-a-long-name\nADDED      web-1\n"+said, told(gone, other, again))
	out := strings.Join(tail(t, EventOptions{}, []cache.Event{gone, again}, "--diff", "--no-headers"), "")
	same(t, "DELETED    web-1   1/1   Running   0     90s   (finalStateUnknown)\nADDED      web-1   1/1   Running   0     90s\n"+said, out)

	sameObject, unknown, live, namesake := again, gone, gone, again
	sameObject.Row, unknown.Row, namesake.Row = gone.Row, &cache.Row{}, &cache.Row{}
	live.FinalStateUnknown = false
	unknown.Row.Name, unknown.Row.Namespace = gone.Row.Name, gone.Row.Namespace
	unknown.Row.APIVersion, unknown.Row.Kind = gone.Row.APIVersion, gone.Row.Kind
	*namesake.Row = *again.Row
	namesake.Row.Namespace = "test"
	for name, events := range map[string][]cache.Event{
		"the same object":        {gone, sameObject},
		"nothing is known of it": {unknown, again},
		"told as it happened":    {live, again},
		"in another namespace":   {gone, namesake},
		"the watch was up since": {gone, event(cache.Deleted, pods, 1), again},
	} {
		if out := told(events...); strings.Contains(out, "replaced") {
			t.Errorf("%s:\n%s", name, out)
		}
	}

	merged := cache.Event{Type: cache.Modified, Target: gone.Target, Row: again.Row, Old: gone.Row}
	if out := told(merged); !strings.HasPrefix(out, "MODIFIED   web-1\n"+said) {
		t.Errorf("merged into one update:\n%s", out)
	}
}

// kubernetes/kubectl#185
func TestTerminatingIsNotYetDeleted(t *testing.T) {
	pods := shop().typed("pods")
	terminating := update(pods, 0, func(body map[string]any) {
		body["metadata"].(map[string]any)["deletionTimestamp"] = "2020-01-02T03:05:00Z"
	})
	terminating.Row.Cells = []any{"web-1", "1/1", "Terminating", int64(0), "5y", "node-1"}
	last := cache.Event{Type: cache.Deleted, Target: terminating.Target, Row: terminating.Row}
	same(t, `MODIFIED   web-1   1/1   Terminating   0     90s
    + metadata.deletionTimestamp: <none> → 2020-01-02T03:05:00Z
DELETED    web-1   1/1   Terminating   0     90s
`, strings.Join(tail(t, EventOptions{}, []cache.Event{terminating, last}, "--diff", "--no-headers"), ""))
}

// kubernetes/client-go#1328
func TestOldObjectsHaveKindAndAPIVersionToo(t *testing.T) {
	deployments := shop().typed("deployments")
	delete(deployments.objects[0].body, "kind")
	delete(deployments.objects[0].body, "apiVersion")
	events := append(life(deployments, 0), update(deployments, 0, func(body map[string]any) { body["spec"] = nil }))
	out := tail(t, EventOptions{}, events, "-o", "jsonpath={.object.apiVersion} {.object.kind} {.oldObject.apiVersion} {.oldObject.kind}", "--old")
	const set = "apps/v1 Deployment"
	want := writes{set + "  \n", set + " " + set + "\n", set + "  \n", set + "  \n", set + " " + set + "\n"}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// kubernetes/kubernetes#101695
func TestWhatChangedForgesNoLine(t *testing.T) {
	evil := "x\nDELETED    fake\x1b[2J\r\x07\x7f\u009b\t\v\f\u202e\u200b\U000e0041"
	nodes := shop().typed("nodes")
	modified := update(nodes, 0, func(body map[string]any) {
		body["spec"] = map[string]any{"size": strings.ReplaceAll(evil, "\n", ""), evil: evil, "map": map[string]any{evil: []any{evil}}}
	})
	for _, flags := range [][]string{{"--diff"}, {"--diff", "-o", "custom-columns=A:.metadata.name"}} {
		for _, colour := range []bool{false, true} {
			out := strings.Join(tail(t, EventOptions{Colour: colour}, []cache.Event{modified}, flags...), "")
			out = withoutColours(out)
			if !display.IsSafe(out, "\n") {
				t.Errorf("%q: raw control character: %q", flags, out)
			}
			if strings.Contains(out, "\nDELETED") {
				t.Errorf("%q: an object forged a line:\n%s", flags, out)
			}
		}
	}
}

// countedBody counts how often it is decoded.
type countedBody struct {
	cache.MapBody
	decoded *atomic.Int32
}

func (b countedBody) Unstructured() (*unstructured.Unstructured, error) {
	b.decoded.Add(1)
	return b.MapBody.Unstructured()
}

func TestAnEventIsComparedAndEncodedOnce(t *testing.T) {
	for format, want := range map[string]int32{"": 1, "name": 1, "json": 2} {
		flags, modified, decoded := mustParse(t, "-o", format, "--diff"), rolledOut(), &atomic.Int32{}
		modified.Row.Body = countedBody{modified.Row.Body.(cache.MapBody), decoded}
		prepared := flags.Prepare(modified)
		if prepared.IsNoise() {
			t.Fatal("a rollout is no noise")
		}
		var out writes
		printer, err := flags.NewEventPrinter(&out, EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := printer.PrintPrepared(prepared); err != nil {
			t.Fatal(err)
		}
		if got := decoded.Load(); got != want {
			t.Errorf("-o %s --diff: decoded %d times, want %d", format, got, want)
		}
	}
	added, decoded := event(cache.Added, shop().typed("pods"), 0), &atomic.Int32{}
	added.Row.Body = countedBody{added.Row.Body.(cache.MapBody), decoded}
	if tail(t, EventOptions{}, []cache.Event{added}, "-o", "json", "--diff", "--old"); decoded.Load() != 1 {
		t.Errorf("an object that was added: decoded %d times", decoded.Load())
	}
}

func TestAnUpdateThatNobodyCanReadIsLeftOut(t *testing.T) {
	nodes := shop().typed("nodes")
	broken := event(cache.Modified, nodes, 0)
	broken.Old = nodes.row(nodes.objects[0])
	broken.Old.Body = brokenBody{}
	for _, format := range []string{"", "json", "yaml", "jsonpath={.changes}", "custom-columns=A:.kind"} {
		var out writes
		printer, err := mustParse(t, "-o", format, "--diff", "--no-headers").NewEventPrinter(&out, EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var bad *ObjectError
		if err := printer.Print(broken, event(cache.Added, nodes, 1)); !errors.Is(err, errGarbled) || !errors.As(err, &bad) || bad.Event.Row != broken.Row {
			t.Errorf("-o %s: got %v", format, err)
		}
		if text := fmt.Sprint(out); strings.Contains(text, "MODIFIED") || len(out) != 1 {
			t.Errorf("-o %s: %q", format, text)
		}
	}
}

// mustafaakin/kubernetes-event-exporter#197
func TestAnEventThatRepeatsIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		before, after map[string]any
		want          string
	}{
		"by its count": {
			map[string]any{"count": int64(1), "lastTimestamp": "2020-01-02T03:04:05Z"}, map[string]any{"count": int64(2), "lastTimestamp": "2020-01-02T03:05:05Z"},
			"    ~ count: 1 → 2\n    ~ lastTimestamp: 2020-01-02T03:04:05Z → 2020-01-02T03:05:05Z\n",
		},
		"by its series": {
			map[string]any{"eventTime": "2020-01-02T03:04:05.000000Z", "lastTimestamp": nil}, map[string]any{"eventTime": "2020-01-02T03:04:05.000000Z", "lastTimestamp": nil, "series": map[string]any{"count": int64(2)}},
			"    + series.count: <none> → 2\n",
		},
	} {
		typ := &testType{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Event"}, resource: "events", namespaced: true, columns: nameAge("Reason")}
		typ.objects = []testObject{object(typ.GroupVersionKind, "prod", "e1", "BackOff", "5y")}
		set := func(body, fields map[string]any) {
			for key, value := range fields {
				body[key] = value
			}
		}
		set(typ.objects[0].body, c.before)
		again := update(typ, 0, func(body map[string]any) { set(body, c.after) })
		if mustParse(t, "--diff").Prepare(again).IsNoise() {
			t.Errorf("%s: noise", name)
		}
		same(t, "MODIFIED   e1    BackOff   90s\n"+c.want, strings.Join(tail(t, EventOptions{}, []cache.Event{again}, "--diff", "--no-headers"), ""))
	}
}
