package printers

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// inContexts are the same objects of several clusters, type by type.
func inContexts(contexts []string, resources ...string) (groups []Group) {
	for _, resource := range resources {
		for _, context := range contexts {
			for _, group := range allOf(shop(), resource) {
				group.Target.Context = context
				for n, row := range group.Rows {
					of := *row
					of.SetPlace(cache.Place(context))
					group.Rows[n] = &of
				}
				groups = append(groups, group)
			}
		}
	}
	return groups
}

func ofContexts() ListOptions { return ListOptions{Scope: Scope{AllNamespaces: true, Contexts: true}} }

func TestTablesOfSeveralClustersSayWhichIsARows(t *testing.T) {
	out, _ := list(t, ofContexts(), inContexts([]string{"west", "east"}, "deployments", "nodes"))
	same(t, `CONTEXT   NAMESPACE   NAME                  READY   UP-TO-DATE   AGE
west      prod        deployment.apps/web   2/2     2            5y
west      test        deployment.apps/web   1/1                  5y
east      prod        deployment.apps/web   2/2     2            5y
east      test        deployment.apps/web   1/1                  5y

CONTEXT   NAME          STATUS     AGE
west      node/node-1   Ready      5y
west      node/node-2   NotReady   5y
east      node/node-1   Ready      5y
east      node/node-2   NotReady   5y
`, out)

	groups := inContexts([]string{"west", "east"}, "deployments")
	for _, row := range groups[0].Rows {
		row.Columns, row.Cells = nil, nil
	}
	out, _ = list(t, ofContexts(), groups, "--no-headers", "--show-kind")
	for _, want := range []string{"west   prod   deployment.apps/web   ", "east   prod   deployment.apps/web   5y       2/2   2"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// ofAnotherVersion has the objects of a cluster be of another version of their type,
// which has a column fewer, a hidden one more, and other words for the rest.
func ofAnotherVersion(target *cache.Target, rows ...*cache.Row) {
	target.Resource.Version, target.Kind.Version = "v0", "v0"
	var columns *cache.Columns
	for _, row := range rows {
		if columns == nil {
			other := slices.Clone(*row.Columns)
			for n := range other {
				if !isAge(other[n]) {
					other[n].Description += " (in other words)"
				}
			}
			other[len(other)-2].Name, other[len(other)-2].Priority = "Hidden", 1
			columns = &other
		}
		row.APIVersion, row.Columns = "apps/v0", columns
	}
}

func TestATypeOfSeveralClustersIsOneTableWhicheverVersionsTheyHave(t *testing.T) {
	groups := inContexts([]string{"west", "east"}, "deployments")
	ofAnotherVersion(&groups[1].Target, groups[1].Rows...)
	out, _ := list(t, ofContexts(), groups)
	same(t, `CONTEXT   NAMESPACE   NAME   READY   UP-TO-DATE   AGE
west      prod        web    2/2     2            5y
west      test        web    1/1                  5y
east      prod        web    2/2                  5y
east      test        web    1/1                  5y
`, out)
	out, _ = list(t, ofContexts(), groups, "--sort-by=.metadata.namespace", "-o", "wide")
	same(t, `CONTEXT   NAMESPACE   NAME   READY   UP-TO-DATE   AGE   HIDDEN
west      prod        web    2/2     2            5y    
east      prod        web    2/2                  5y    2
west      test        web    1/1                  5y    
east      test        web    1/1                  5y    
`, out)
}

func TestTheHeaderOfEventsComesAgainOnlyWithAColumnThatIsNew(t *testing.T) {
	groups := inContexts([]string{"west", "east"}, "deployments")
	ofAnotherVersion(&groups[1].Target, groups[1].Rows...)
	for wide, want := range map[string]string{
		"": `EVENT      CONTEXT   NAMESPACE   NAME   READY   UP-TO-DATE   AGE
ADDED      west      prod        web    2/2     2            90s
ADDED      east      prod        web    2/2                  90s
ADDED      west      test        web    1/1                  90s
ADDED      east      test        web    1/1                  90s
`,
		"wide": `EVENT      CONTEXT   NAMESPACE   NAME   READY   UP-TO-DATE   AGE
ADDED      west      prod        web    2/2     2            90s
EVENT      CONTEXT   NAMESPACE   NAME   READY   UP-TO-DATE   AGE   HIDDEN
ADDED      east      prod        web    2/2                  90s   2
ADDED      west      test        web    1/1                  90s   
ADDED      east      test        web    1/1                  90s   
`,
	} {
		flags, out := mustParse(t, "-o", wide), &bytes.Buffer{}
		printer, err := flags.NewEventPrinter(out, EventOptions{
			Scope: ofContexts().Scope, Targets: []cache.Target{groups[0].Target, groups[1].Target}, Now: now,
		})
		if err != nil {
			t.Fatal(err)
		}
		for n := range groups[0].Rows {
			for _, group := range groups {
				if err := printer.Print(cache.Event{Type: cache.Added, Target: group.Target, Row: group.Rows[n]}); err != nil {
					t.Fatal(err)
				}
			}
		}
		same(t, want, out.String())
	}
}

func TestObjectsOfSeveralClustersSayWhichIsTheirs(t *testing.T) {
	groups := inContexts([]string{"we<st", "east"}, "nodes")
	for format, want := range map[string]string{
		"jsonl":                            "{\"apiVersion\":\"v1\",\"context\":\"we\\u003cst\",\"kind\":\"Node\",",
		"json":                             "            \"context\": \"east\",\n            \"kind\": \"Node\",",
		"yaml":                             "  context: east\n  kind: Node\n",
		"jsonpath={.items[*].context}":     "we<st we<st east east",
		"custom-columns=IN:.context":       "IN\nwe<st\nwe<st\neast\neast\n",
		"name":                             "node/node-1\nnode/node-2\nnode/node-1\nnode/node-2\n",
		"go-template={{len .items}} nodes": "4 nodes",
	} {
		if out, _ := list(t, ofContexts(), groups, "-o", format); !strings.Contains(out, want) {
			t.Errorf("-o %s: no %q in\n%s", format, want, out)
		}
	}
	out, _ := list(t, ofContexts(), groups, "-o", "custom-columns=IN:.context,NAME:.metadata.name", "--sort-by=.metadata.name", "--sort-by=.context", "--no-headers")
	same(t, "east    node-1\nwe<st   node-1\neast    node-2\nwe<st   node-2\n", out)
}

func TestCellsOfSeveralClustersSayWhichIsARows(t *testing.T) {
	groups := inContexts([]string{"west"}, "deployments", "nodes")
	cells := NewFlags().Cells(Scope{AllNamespaces: true, Contexts: true}, []cache.Target{groups[0].Target})
	for n, want := range []string{"CONTEXT NAMESPACE NAME / west prod web", "CONTEXT NAME STATUS / west node-1 Ready"} {
		target, row := groups[n].Target, groups[n].Rows[0]
		var names []string
		for _, column := range cells.Columns(target, row)[:3] {
			names = append(names, column.Name)
		}
		if got := strings.Join(append(append(names, "/"), cells.Of(target, row, now())[:3]...), " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A body that is at hand as JSON gets the context without being decoded; one that has a
// member of that name shows the cluster's.
func TestAContextIsPutIntoJSONAsItIsIntoMaps(t *testing.T) {
	for _, text := range []string{`{"kind":"Pod","apiVersion":"v1"}`, `{"context":"own","kind":"Pod","apiVersion":"v1"}`, `{"kind":"Pod","apiVersion":"v1","x":"😀"}`} {
		row := &cache.Row{Body: textBody(text)}
		row.SetPlace(cache.Place("west"))
		row.APIVersion, row.Kind = "v1", "Pod"
		line, err := appendJSON(nil, row, asLine, true)
		if err != nil || !strings.HasPrefix(string(line), `{"apiVersion":"v1","context":"west","kind":"Pod"`) || strings.Contains(string(line), "own") {
			t.Errorf("%s: %s, %v", text, line, err)
		}
	}
}

func TestEventsOfSeveralClustersSayWhichIsTheirs(t *testing.T) {
	shop := shop()
	deployments, nodes := shop.typed("deployments"), shop.typed("nodes")
	in := func(context string, event cache.Event) cache.Event {
		event.Target.Context = context
		for _, row := range []*cache.Row{event.Row, event.Old} {
			if row != nil {
				row.SetPlace(cache.Place(context))
			}
		}
		return event
	}
	resized := update(deployments, 0, func(body map[string]any) { body["spec"].(map[string]any)["size"] = "2Gi" })
	events := []cache.Event{in("west", event(cache.Added, deployments, 0)), in("east", resized), in("east", synced(deployments))}
	print := func(types []*testType, events []cache.Event, args ...string) string {
		t.Helper()
		flags := mustParse(t, args...)
		flags.Contexts = true
		if err := flags.ValidateEvents(); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		printer, err := flags.NewEventPrinter(&out, EventOptions{Scope: Scope{AllNamespaces: true, Contexts: true}, Targets: targets(types...)})
		if err != nil {
			t.Fatal(err)
		}
		if err := printer.Print(events...); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	schema := compileSchema(t, schemaFile)
	lines := strings.Split(strings.TrimSpace(print([]*testType{deployments}, events, "-o", "json", "--old")), "\n")
	for n, want := range []string{"west", "east", "east"} {
		members := checkLine(t, schema, lines[n])
		if members["context"] != want {
			t.Errorf("context is not %s: %s", want, lines[n])
		}
		for _, name := range []string{"object", "oldObject"} {
			if object, ok := members[name].(map[string]any); ok && object["context"] != nil {
				t.Errorf("%s is not as it is in the cluster: %s", name, lines[n])
			}
		}
	}
	for _, test := range []struct {
		types []*testType
		args  []string
		want  string
	}{
		{[]*testType{deployments}, nil, "EVENT      CONTEXT   NAMESPACE   NAME   READY   UP-TO-DATE   AGE\nADDED      west      prod        web    2/2     2 "},
		{[]*testType{deployments, nodes}, nil, "EVENT      CONTEXT   NAMESPACE   NAME                  VALUES\nADDED      west      prod        deployment.apps/web   READY 2/2"},
		{[]*testType{deployments}, []string{"-o", "custom-columns=NAME:.metadata.name,IN:.context"}, "EVENT      NAME   IN\nADDED      web    west\n"},
		{[]*testType{deployments}, []string{"-o", "jsonpath={.context}/{.object.metadata.name}"}, "west/web\neast/web\n"},
		{[]*testType{deployments}, []string{"-o", "name"}, "deployment.apps/web\ndeployment.apps/web\n"},
	} {
		if out := print(test.types, events, test.args...); !strings.HasPrefix(out, test.want) {
			t.Errorf("%q: want\n%s\ngot\n%s", test.args, test.want, out)
		}
	}
}

func TestATableThatIsWidenedBeginsAnewWhereItLooksDifferent(t *testing.T) {
	shop := shop()
	nodes, deployments := shop.typed("nodes"), shop.typed("deployments")
	var out bytes.Buffer
	scope := Scope{AllNamespaces: true, Contexts: true}
	print := func(printer *EventPrinter, events ...cache.Event) {
		t.Helper()
		for _, event := range events {
			if err := printer.Print(event); err != nil {
				t.Fatal(err)
			}
		}
	}
	printer, err := NewFlags().NewEventPrinter(&out, EventOptions{Scope: scope, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	printer.Widen(scope, targets(nodes))
	print(printer, event(cache.Added, nodes, 0))
	printer.Widen(scope, targets(nodes, nodes))
	print(printer, event(cache.Added, nodes, 1))
	printer.Widen(scope, targets(nodes, nodes, deployments))
	print(printer, event(cache.Added, deployments, 0))
	same(t, `EVENT      CONTEXT   NAME     STATUS   AGE
ADDED                node-1   Ready    90s
ADDED                node-2   NotReady   90s
EVENT      CONTEXT   NAMESPACE   NAME                  VALUES
ADDED                prod        deployment.apps/web   READY 2/2  UP-TO-DATE 2  AGE 90s
`, out.String())

	out.Reset()
	flags := mustParse(t, "-o", "custom-columns=NAME:.metadata.name")
	if printer, err = flags.NewEventPrinter(&out, EventOptions{Scope: scope, Targets: targets(nodes)}); err != nil {
		t.Fatal(err)
	}
	print(printer, event(cache.Added, nodes, 0))
	printer.Widen(scope, targets(nodes, deployments))
	print(printer, event(cache.Added, deployments, 0))
	if n := strings.Count(out.String(), "NAME"); n != 1 {
		t.Errorf("%d headers of custom columns:\n%s", n, out.String())
	}
}
