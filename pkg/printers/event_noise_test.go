package printers

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// typeOf is a type with one object.
func typeOf(gvk schema.GroupVersionKind, resource string) *testType {
	typ := &testType{GroupVersionKind: gvk, resource: resource, namespaced: true, columns: nameAge()}
	typ.objects = []testObject{object(gvk, "prod", "a", "5y")}
	return typ
}

// set returns a change that gives the field at path a value.
func set(value any, path ...string) func(map[string]any) {
	return func(body map[string]any) {
		for _, key := range path[:len(path)-1] {
			if _, ok := body[key].(map[string]any); !ok {
				body[key] = map[string]any{}
			}
			body = body[key].(map[string]any)
		}
		body[path[len(path)-1]] = value
	}
}

func heartbeat(status, at string) func(map[string]any) {
	return set([]any{map[string]any{"type": "Ready", "status": status, "lastHeartbeatTime": at}}, "status", "conditions")
}

func TestNoiseIsToldFromChanges(t *testing.T) {
	node := typeOf(schema.GroupVersionKind{Version: "v1", Kind: "Node"}, "nodes")
	heartbeat("True", "2020-01-02T03:04:05Z")(node.objects[0].body)
	lease := typeOf(schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}, "leases")
	for name, c := range map[string]struct {
		typ    *testType
		change func(map[string]any)
		noise  bool
		// shown is what --all-changes shows.
		shown string
	}{
		"the server's bookkeeping": {node, set("7", "metadata", "resourceVersion"), true, `+ metadata.resourceVersion: <none> → "7"`},
		"managedFields":            {node, set([]any{map[string]any{"manager": "x"}}, "metadata", "managedFields"), true, "+ metadata.managedFields[0]: <none> → {manager: x}"},
		"a generation":             {node, set(int64(2), "metadata", "generation"), true, "+ metadata.generation: <none> → 2"},
		"a heartbeat":              {node, heartbeat("True", "2020-01-02T03:05:05Z"), true, "~ status.conditions[Ready].lastHeartbeatTime: 2020-01-02T03:04:05Z → 2020-01-02T03:05:05Z"},
		"a lease renewed":          {lease, set("2020-01-02T03:05:05Z", "spec", "renewTime"), true, "+ spec.renewTime: <none> → 2020-01-02T03:05:05Z"},
		"nothing at all":           {node, func(map[string]any) {}, true, ""},
		"a label":                  {node, set("x", "metadata", "labels", "a"), false, "+ metadata.labels.a: <none> → x"},
		"a condition that turned":  {node, heartbeat("False", "2020-01-02T03:04:05Z"), false, "~ status.conditions[Ready].status: True → False"},
		"another holder":           {lease, set("x", "spec", "holderIdentity"), false, "+ spec.holderIdentity: <none> → x"},
	} {
		modified := update(c.typ, 0, c.change)
		if got := mustParse(t, "--diff").Prepare(modified).IsNoise(); got != c.noise {
			t.Errorf("%s: noise %t", name, got)
		}
		if mustParse(t, "--diff", "--all-changes").Prepare(modified).IsNoise() {
			t.Errorf("%s: noise also with --all-changes", name)
		}
		want := "MODIFIED   a     90s\n"
		if c.shown != "" {
			want += "    " + c.shown + "\n"
		}
		same(t, want, strings.Join(tail(t, EventOptions{}, []cache.Event{modified}, "--diff", "--all-changes", "--no-headers"), ""))
	}
}

func TestOnlyAnUpdateOfAWholeObjectCanBeNoise(t *testing.T) {
	node := typeOf(schema.GroupVersionKind{Version: "v1", Kind: "Node"}, "nodes")
	unchanged := update(node, 0, func(map[string]any) {})
	metadata, broken, first := unchanged, unchanged, unchanged
	metadata.Row = reducedRow(unchanged.Row, cache.Cells)
	broken.Row = reducedRow(unchanged.Row, cache.Cells)
	broken.Row.Body = brokenBody{}
	first.Old = nil
	events := append(life(node, 0)[2:], metadata, broken, first, synced(node))
	for _, eventType := range []cache.EventType{cache.Added, cache.Deleted, cache.Resync} {
		other := unchanged
		other.Type = eventType
		events = append(events, other)
	}
	flags := mustParse(t)
	for _, e := range events {
		if flags.Prepare(e).IsNoise() {
			t.Errorf("%s is noise: %+v", e.Type, e)
		}
	}
	if !flags.Prepare(unchanged).IsNoise() {
		t.Error("without --diff (for --changed) noise is not noise")
	}
}

func TestWhatWasPreparedIsNotShownWithoutDiff(t *testing.T) {
	for _, format := range []string{"", "json", "yaml", "jsonpath={.changes}", "custom-columns=A:.kind", "name"} {
		var out writes
		flags := mustParse(t, "-o", format)
		printer, err := flags.NewEventPrinter(&out, EventOptions{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if err := printer.PrintPrepared(flags.Prepare(rolledOut())); err != nil {
			t.Fatal(err)
		}
		same(t, strings.Join(tail(t, EventOptions{}, []cache.Event{rolledOut()}, "-o", format), ""), strings.Join(out, ""))
		if strings.Contains(strings.Join(out, ""), "changes") {
			t.Errorf("-o %s: %q", format, out)
		}
	}
}

// kubernetes/kubernetes#87840
func TestNoFormatShowsWhatChangedInASecret(t *testing.T) {
	typ := shop().typed("secrets")
	secret := object(typ.GroupVersionKind, "prod", "login", "5y")
	secret.body["data"] = map[string]any{"password": "c2VjcmV0MQ==", "same": "c2VjcmV0MA=="}
	const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	set(`{"data":{"password":"c2VjcmV0MQ=="}}`, "metadata", "annotations", lastApplied)(secret.body)
	typ.objects = []testObject{secret}
	modified := update(typ, 0, func(body map[string]any) {
		body["data"].(map[string]any)["password"] = "c2VjcmV0Mg=="
		body["stringData"] = map[string]any{"new": "secret in plain text"}
		set(`{"data":{"password":"c2VjcmV0Mg=="}}`, "metadata", "annotations", lastApplied)(body)
	})
	holds := func(text string) bool {
		return strings.Contains(text, "c2VjcmV0") || strings.Contains(text, "plain text")
	}

	masked := `MODIFIED   login   90s
    ~ data.password: *** (before) → *** (after)
    ~ metadata.annotations.kubectl\.kubernetes\.io/last-applied-configuration: *** (before) → *** (after)
    + stringData.new: <none> → ***
`
	same(t, masked, strings.Join(tail(t, EventOptions{}, []cache.Event{modified}, "--diff", "--no-headers"), ""))
	for _, flags := range [][]string{
		{}, {"-o", "wide", "--show-labels"}, {"-o", "name"}, {"-o", "custom-columns=A:.metadata.name"},
		{"-o", "jsonpath={.changes}"}, {"-o", "jsonpath-as-json={.changes}"}, {"-o", "go-template={{.changes}}"},
	} {
		for _, all := range [][]string{nil, {"--all-changes"}} {
			flags := slices.Concat(flags, []string{"--diff"}, all)
			if out := strings.Join(tail(t, EventOptions{Colour: true}, []cache.Event{modified}, flags...), ""); holds(out) {
				t.Errorf("%q shows a value:\n%s", flags, out)
			}
			shown := strings.Join(tail(t, EventOptions{}, []cache.Event{modified}, append(flags, "--show-secrets")...), "")
			isName := slices.Contains(flags, "name")
			if holds(shown) == isName {
				t.Errorf("%q with --show-secrets:\n%s", flags, shown)
			}
		}
	}
	for _, format := range []string{"json", "jsonl", "yaml", "kyaml"} {
		out := strings.Join(tail(t, EventOptions{}, []cache.Event{modified}, "-o", format, "--diff", "--old"), "")
		// The object on request is complete, so is the old one; what changed is not.
		for value, times := range map[string]int{"c2VjcmV0Mg==": 2, "c2VjcmV0MQ==": 2, "plain text": 1, "*** (after)": 2} {
			if strings.Count(out, value) != times {
				t.Errorf("-o %s: %q is not there %d times:\n%s", format, value, times, out)
			}
		}
	}
}
