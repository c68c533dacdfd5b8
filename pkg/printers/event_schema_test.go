package printers

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The schema that users get, and its part for what a COMMAND reads.
const (
	schemaFile    = "../../docs/event.schema.json"
	commandSchema = schemaFile + "#/$defs/command"
)

func compileSchema(t *testing.T, location string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiled, err := compiler.Compile(location)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// checkLine validates a line and returns its members.
func checkLine(t *testing.T, compiled *jsonschema.Schema, line string) map[string]any {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if err := compiled.Validate(document); err != nil {
		t.Errorf("%v\n%s", err, line)
	}
	return document.(map[string]any)
}

// everyKind are events of every kind, of objects of every sort.
func everyKind() []cache.Event {
	var events []cache.Event
	for _, typ := range shop() {
		if len(typ.objects) == 0 {
			continue
		}
		tombstone, left, aged := event(cache.Deleted, typ, 0), event(cache.Deleted, typ, 0), event(cache.Added, typ, 0)
		tombstone.FinalStateUnknown = true
		left.Reason, aged.Reason = cache.NoLongerMatches, cache.TimePassed
		missed, renewed, found := tombstone, update(typ, 0, func(body map[string]any) { body["spec"].(map[string]any)["size"] = int64(7) }), event(cache.Added, typ, 0)
		missed.Since, renewed.Since, found.Since = cache.SinceState, cache.SinceState, cache.SinceState
		grow := update(typ, 0, func(body map[string]any) { body["spec"].(map[string]any)["size"] = nil })
		everywhere := synced(typ)
		everywhere.Target.Namespace = ""
		elsewhere := event(cache.Added, typ, 0)
		elsewhere.Target.Context = "west"
		elsewhere.Row.SetPlace(cache.Place("west"))
		events = append(append(events, life(typ, 0)...), elsewhere, tombstone, left, aged, missed, renewed, found, grow, synced(typ), everywhere)
	}
	return append(events, rolledOut(), update(shop().typed("pods"), 0, restart), reordered(), rotated())
}

// reordered is an update that changes nothing but the order of a list.
func reordered() cache.Event {
	pods := shop().typed("pods")
	spec := pods.objects[0].body["spec"].(map[string]any)
	spec["containers"] = append(spec["containers"].([]any), map[string]any{"name": "side", "image": "envoy"})
	return update(pods, 0, func(body map[string]any) {
		slices.Reverse(body["spec"].(map[string]any)["containers"].([]any))
	})
}

// rotated is an update of a Secret's value.
func rotated() cache.Event {
	secret := object(schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "prod", "tls")
	secret.body["data"] = map[string]any{"key": "b2xk"}
	typ := &testType{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, resource: "secrets", namespaced: true, objects: []testObject{secret}}
	return update(typ, 0, func(body map[string]any) { body["data"] = map[string]any{"key": "bmV3", "more": ""} })
}

func TestEveryEventIsAsTheSchemaSays(t *testing.T) {
	compiled := compileSchema(t, schemaFile)
	seen := map[string]bool{}
	for _, flags := range [][]string{
		{},
		{"--old", "--diff", "--timestamps"},
		{"--diff", "--all-changes", "--show-secrets"},
		{"--show-managed-fields"},
	} {
		for _, line := range tail(t, EventOptions{}, everyKind(), append(flags, "-o", "json")...) {
			for member := range checkLine(t, compiled, line) {
				seen[member] = true
			}
		}
	}
	for member := range compiled.Properties {
		if !seen[member] {
			t.Errorf("no event has the member %q of the schema", member)
		}
	}
}

func TestWhatACommandReadsIsAsTheSchemaSays(t *testing.T) {
	compiled := compileSchema(t, commandSchema)
	for _, event := range everyKind() {
		if event.Row == nil {
			continue // no COMMAND is run for it
		}
		var out strings.Builder
		printer, err := mustParse(t, "--old", "--diff", "--timestamps").AsJSON().NewEventPrinter(&out, EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := printer.Print(event); err != nil {
			t.Fatal(err)
		}
		checkLine(t, compiled, out.String())
	}
}

func TestTheSchemaRefusesWhatIsNoEvent(t *testing.T) {
	const object = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`
	event := func(members string) string { return `{"type":"MODIFIED","object":` + object + members + `}` }
	good, whole := event(`,"time":"2020-01-02T03:05:35.5Z"`), compileSchema(t, schemaFile)
	checkLine(t, whole, good)
	for name, line := range map[string]string{
		"an unknown member":                    event(`,"kindness":1`),
		"no type":                              `{"object":` + object + `}`,
		"an unknown type":                      strings.Replace(good, "MODIFIED", "BOOKMARK", 1),
		"no object":                            `{"type":"ADDED"}`,
		"an object without a name":             `{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{}}}`,
		"an object of no type":                 `{"type":"ADDED","object":{"metadata":{"name":"a"}}}`,
		"an update that was there":             event(`,"initial":true`),
		"initial that says nothing":            `{"type":"ADDED","object":` + object + `,"initial":false}`,
		"an old object of an add":              `{"type":"ADDED","object":` + object + `,"oldObject":` + object + `}`,
		"no changes":                           event(`,"changes":[]`),
		"a change of nothing":                  event(`,"changes":[{"path":"a"}]`),
		"a change with an unknown member":      event(`,"changes":[{"path":"a","old":1,"was":2}]`),
		"an unknown final state of an update":  event(`,"finalStateUnknown":true`),
		"an update that no longer matches":     event(`,"reason":"NoLongerMatches"`),
		"a deletion as time passes":            `{"type":"DELETED","object":` + object + `,"reason":"TimePassed"}`,
		"an add that no longer matches":        `{"type":"ADDED","object":` + object + `,"reason":"NoLongerMatches"}`,
		"an unknown reason":                    `{"type":"DELETED","object":` + object + `,"reason":"Why"}`,
		"a time of no zone":                    event(`,"time":"2020-01-02T03:05:35"`),
		"a time of another zone":               event(`,"time":"2020-01-02T03:05:35+01:00"`),
		"a kind beside the object":             event(`,"kind":"Pod"`),
		"the sync of no type":                  `{"type":"SYNCED"}`,
		"the sync of an object":                `{"type":"SYNCED","apiVersion":"v1","kind":"Pod","object":` + object + `}`,
		"a namespace that is none, of a sync":  `{"type":"SYNCED","apiVersion":"v1","kind":"Pod","namespace":""}`,
		"a list of events, as kubectl has one": `[` + good + `]`,
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if whole.Validate(document) == nil {
			t.Errorf("%s is an event to the schema: %s", name, line)
		}
	}
	var sync any
	if err := json.Unmarshal([]byte(`{"type":"SYNCED","apiVersion":"v1","kind":"Pod"}`), &sync); err != nil {
		t.Fatal(err)
	}
	if whole.Validate(sync) != nil || compileSchema(t, commandSchema).Validate(sync) == nil {
		t.Error("SYNCED should be an event, and none that a COMMAND reads")
	}
}

// The examples of docs/events.md, a line each, or over several lines.
func TestTheExamplesOfEventsAreAsTheSchemaSays(t *testing.T) {
	text, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	compiled := compileSchema(t, schemaFile)
	seen := map[string]bool{}
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1) {
		decoder := json.NewDecoder(strings.NewReader(string(block[1])))
		for decoder.More() {
			var example json.RawMessage
			if err := decoder.Decode(&example); err != nil {
				t.Fatalf("%v in\n%s", err, block[1])
			}
			for member := range checkLine(t, compiled, string(example)) {
				seen[member] = true
			}
		}
	}
	for member := range compiled.Properties {
		if !seen[member] {
			t.Errorf("no example has the member %q", member)
		}
	}
}
