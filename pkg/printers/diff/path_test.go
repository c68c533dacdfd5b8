package diff_test

import (
	"reflect"
	"regexp"
	"testing"

	"k8s.io/client-go/util/jsonpath"

	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

// at returns what client-go's JSONPath finds at a path in an object.
func at(t *testing.T, object map[string]any, path string) any {
	t.Helper()
	parsed := jsonpath.New("path")
	if err := parsed.Parse("{." + path + "}"); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	results, err := parsed.FindResults(object)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(results) != 1 || len(results[0]) != 1 {
		t.Fatalf("%s leads to %v", path, results)
	}
	return results[0][0].Interface()
}

var index = regexp.MustCompile(`[^\\"]\[[0-9]+\]`)

// checkPaths follows the path of each change in the states it was found in.
func checkPaths(t *testing.T, old, now map[string]any, changes []diff.Change) {
	t.Helper()
	for _, change := range changes {
		if change.New != nil {
			if got := at(t, now, change.Path); !reflect.DeepEqual(got, *change.New) {
				t.Errorf("%s leads to %v, want %v", change.Path, got, *change.New)
			}
		}
		// An index counts in the new state.
		if change.Old != nil && !index.MatchString(change.Path) {
			if got := at(t, old, change.Path); !reflect.DeepEqual(got, *change.Old) {
				t.Errorf("%s led to %v, want %v", change.Path, got, *change.Old)
			}
		}
	}
}

func TestPathsLeadToWhatChanged(t *testing.T) {
	for _, name := range []string{
		"plain", "app.kubernetes.io/name", "a b", "*", "a*", "$@", "{}", "[0]", "a,b", "a]", "a\tb\nc\r", "'", `"`, "é", "a)", "?(@", "..", "\x1b", "-1", "true",
	} {
		object := func(s string) map[string]any {
			return map[string]any{"spec": map[string]any{
				"map": map[string]any{name: s, "other": "x"},
				"list": []any{
					map[string]any{"name": "other", "s": "x"},
					map[string]any{"name": name, "s": s, "deep": map[string]any{name: s}},
				},
			}}
		}
		old, now := object("1"), object("2")
		d, err := diff.Between(rowOf(t, old), rowOf(t, now), diff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Changes) != 3 || index.MatchString(d.Changes[0].Path) {
			t.Errorf("%q: got %+v", name, d.Changes)
		}
		checkPaths(t, old, now, d.Changes)
	}
}

func TestWhatNoJSONPathCanNameIsToldOneLevelHigher(t *testing.T) {
	for name, test := range map[string]struct{ key, path string }{
		"a backslash in a key": {`a\b`, "spec.map"},
		"no key":               {"", "spec.map"},
		"a key beside it":      {"a", "spec.map.a"},
	} {
		t.Run(name, func(t *testing.T) {
			old := map[string]any{"spec": map[string]any{"map": map[string]any{test.key: "1"}}}
			now := map[string]any{"spec": map[string]any{"map": map[string]any{test.key: "2"}}}
			d, err := diff.Between(rowOf(t, old), rowOf(t, now), diff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Changes) != 1 || d.Changes[0].Path != test.path {
				t.Fatalf("got %+v", d.Changes)
			}
			checkPaths(t, old, now, d.Changes)
		})
	}
}

func TestAnObjectWithAKeyThatNoJSONPathCanNameIsStillToldFieldByField(t *testing.T) {
	runAll(t, map[string]states{"root": {
		old:  `{spec: {x: 1}, 'a\b': 1}`,
		now:  `{spec: {x: 2}, 'a\b': 2}`,
		want: []string{`{"path":"a\\\\b","old":1,"new":2}`, `{"path":"spec.x","old":1,"new":2}`},
	}})
}

func TestAnItemWhoseNameEndsInABackslashHasAnIndex(t *testing.T) {
	runAll(t, map[string]states{"root": {
		old:  widget(`{list: [{name: a, x: 1}, {name: 'b\', x: 1}]}`),
		now:  widget(`{list: [{name: a, x: 2}, {name: 'b\', x: 2}]}`),
		want: []string{`{"path":"spec.list[1].x","old":1,"new":2}`, `{"path":"spec.list[?(@.name==\"a\")].x","old":1,"new":2}`},
	}})
}
