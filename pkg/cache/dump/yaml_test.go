package dump

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

func TestItemsOfAYAMLListAreFoundByTheirLines(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		items []string
	}{
		"as kubectl writes":        {"apiVersion: v1\nitems:\n- a: 1\n  b:\n  - c\n- a: 2\nkind: List\n", []string{"- a: 1\n  b:\n  - c\n", "- a: 2\n"}},
		"indented":                 {"items:\n  - a: 1\n    b:\n    - c\n  - a: 2\nkind: List\n", []string{"  - a: 1\n    b:\n    - c\n", "  - a: 2\n"}},
		"up to the end":            {"items:\n- a: 1\n- a: 2", []string{"- a: 1\n", "- a: 2"}},
		"with comments":            {"items: # two\n\n# one\n- a: 1\n# two\n\n- a: 2\n", []string{"- a: 1\n# two\n\n", "- a: 2\n"}},
		"with text like a list":    {"items:\n- a: |\n    items:\n    - b\n\n    # c\n- a: 2\n", []string{"- a: |\n    items:\n    - b\n\n    # c\n", "- a: 2\n"}},
		"with dashes alone":        {"items:\n-\n  a: 1\n-\n  a: 2\n", []string{"-\n  a: 1\n", "-\n  a: 2\n"}},
		"on Windows":               {"items:\r\n- a: 1\r\n- a: 2\r\n", []string{"- a: 1\r\n", "- a: 2\r\n"}},
		"a member further down":    {"spec:\n  items:\n  - a\n", nil},
		"in flow style":            {"items: [{a: 1}]\n", nil},
		"flow style on new lines":  {"items:\n  [{a: 1}]\n", nil},
		"a map":                    {"items:\n  a: 1\n", nil},
		"nothing":                  {"items:\nkind: List\n", nil},
		"the end":                  {"items:\n", nil},
		"a name that begins alike": {"itemsets:\n- a\n", nil},
	} {
		head, items := divide([]byte(test.text))
		var got []string
		for _, item := range items {
			got = append(got, test.text[item.from:item.to])
			if before := strings.Count(test.text[:item.from], "\n"); before != item.line {
				t.Errorf("%s: item %q is said to begin in line %d, not %d", name, got[len(got)-1], item.line, before)
			}
		}
		if !slices.Equal(got, test.items) {
			t.Errorf("%s: got %q, want %q", name, got, test.items)
		}
		if len(items) > 0 && strings.Count(string(head), "\n") != len(strings.Split(strings.TrimSuffix(test.text, "\n"), "\n")) {
			t.Errorf("%s: the head has other lines: %q", name, head)
		}
	}
}

func TestAnAliasOfAnotherItemIsReadInASmallListAndAnErrorInALongOne(t *testing.T) {
	const list = "kind: List\napiVersion: v1\nitems:\n" +
		"- &n1\n  apiVersion: v1\n  kind: Node\n  metadata: {name: n1, labels: &labels {a: b}}\n" +
		"- apiVersion: v1\n  kind: Node\n  metadata: {name: n2, labels: *labels}\n"
	if d := mustRead(t, list); len(names(d)) != 2 {
		t.Errorf("got %q", names(d))
	}
	long := list + "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data: {a: " + strings.Repeat("x", wholeYAML) + "}\n"
	d, err := readText(t, long)
	if faults := faultsOf(err); len(names(d)) != 2 || len(faults) != 1 || faults[0] != "stdin: document 1, line 8: unknown anchor 'labels' referenced" {
		t.Errorf("got %q, %q", names(d), faults)
	}
}

// FuzzDivide compares a document that is divided with the same document as the
// YAML library reads it as a whole.
func FuzzDivide(f *testing.F) {
	for _, seed := range []string{
		"apiVersion: v1\nitems:\n- a: 1\n  b:\n  - c\n- a: 2\nkind: List\n",
		"items:\n  - a: |\n      x\n    b: >-\n      y\n\n  - 'a\n\n    b'\nmetadata:\n  x: y\n",
		"items:\n- - a\n  - b\n- [c,\n  d]\n-\n- null\n",
		"a: b\nitems:\n- a\nitems:\n- b\n",
		"items:\n- \"a\n\n  - b\"\n- ? a\n  : b\n",
		"items:\n- a: b\n # c\n- !!str d\n...\n",
		"x: |\n items:\n - a\nitems:\n- b\n",
		"items:\n-\ta\n- b\t\n",
		"items:\n- a\n\n- b # c\n#\nx: 'items:\n  - z'\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, ok := decodeYAML(text).(map[string]any)
		head, items := divide([]byte(text))
		if !ok || len(items) == 0 {
			return
		}
		var divided []any
		for _, item := range items {
			one, ok := decodeYAML(text[item.from:item.to]).([]any)
			if !ok || len(one) != 1 {
				return // an error, and that is allowed
			}
			divided = append(divided, one[0])
		}
		if about := decodeYAML(string(head)); about != nil {
			rest, ok := about.(map[string]any)
			if _, again := rest["items"]; !ok || again {
				return // a list with two members of that name, or no list
			}
		}
		if !reflect.DeepEqual(whole["items"], divided) {
			t.Errorf("%q is divided into %v, and is %v", text, divided, whole["items"])
		}
	})
}

// decodeYAML is nil for what is no YAML.
func decodeYAML(text string) any {
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil
	}
	var value any
	if err := kubejson.Unmarshal(raw, &value); err != nil {
		return nil
	}
	return value
}
