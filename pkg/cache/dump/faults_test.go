package dump

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestABrokenDocumentIsNamedAndTheOthersAreRead(t *testing.T) {
	node := func(name string) string {
		return "apiVersion: v1\nkind: Node\nmetadata:\n  name: " + name + "\n"
	}
	jsonNode := func(name string) string {
		return `{"apiVersion":"v1","kind":"Node","metadata":{"name":"` + name + `"}}`
	}
	for name, test := range map[string]struct {
		text  string
		names []string
		fault string
	}{
		"YAML": {
			node("a") + "---\n" + "apiVersion: v1\nkind: Node\nmetadata:\n  name: b: c\n" + "---\n" + node("d"),
			[]string{"a", "d"}, "stdin: document 2, line 9: mapping values are not allowed in this context",
		},
		"a Helm template": {
			"---\n{{ if .x }}\nkind: Pod\n{{ end }}\n---\n" + node("a"),
			[]string{"a"}, "stdin: document 1, line ",
		},
		"an item of a YAML list": {
			"apiVersion: v1\nitems:\n" + listItem(node("a")) + "- apiVersion: v1\n  kind: 'Node\n" + listItem(node("c")) + "kind: List\n",
			[]string{"a", "c"}, "stdin: document 1, line 9: found unexpected end of stream",
		},
		"a YAML list that is broken off": {
			"apiVersion: v1\nitems:\n" + listItem(node("a")) + "- apiVersion: v1\n  kind: Node\n  meta",
			[]string{"a"}, "stdin: document 1, line ",
		},
		"the head of a YAML list": {
			"apiVersion: v1: 2\nitems:\n" + listItem(node("a")),
			[]string{"a"}, "stdin: document 1, line 1: mapping values",
		},
		"logs behind a typed YAML list, as of kubectl cluster-info dump": {
			"apiVersion: v1\nitems:\n- metadata: {name: a}\nkind: NodeList\nmetadata: {}\n==== START logs for c ====\nkind: x: y\n---\n" + node("b"),
			[]string{"a", "b"}, "stdin: document 1, line ",
		},
		"JSON in the middle": {
			jsonNode("a") + "\n{\n \"apiVersion\": \"v1\",\n \"kind\" \"Node\"\n}\n" + jsonNode("b"),
			[]string{"a", "b"}, `stdin: document 2, line 4: expected colon after object key`,
		},
		"a JSON line that is broken off": {
			jsonNode("a") + "\n" + jsonNode("b")[:40] + "\n" + jsonNode("c") + "\n" + jsonNode("d"),
			[]string{"a", "c", "d"}, "stdin: document 2, line ",
		},
		"a JSON line that is broken off between two members": {
			`{"apiVersion":"v1",` + "\n" + jsonNode("a"),
			[]string{"a"}, "stdin: document 1, line 2: invalid character '{'",
		},
		"the last JSON line": {
			jsonNode("a") + "\n" + jsonNode("b")[:40],
			[]string{"a"}, "stdin: document 2, line 2: unexpected end of JSON input",
		},
		"a JSON list that is broken off": {
			`{"kind":"List","items":[` + "\n" + jsonNode("a") + ",\n" + jsonNode("b") + ",\n" + jsonNode("c")[:20],
			[]string{"a", "b"}, "stdin: document 1, line 4: unexpected end of JSON input",
		},
		"a JSON list that ends after an item": {
			`{"kind":"List","items":[` + "\n" + jsonNode("a"),
			[]string{"a"}, "stdin: document 1, line 2: unexpected end of JSON input",
		},
		"text after JSON": {
			jsonNode("a") + "\nhello\n" + jsonNode("b"),
			[]string{"a", "b"}, "stdin: document 2, line 2: invalid character 'h'",
		},
		"an object without apiVersion": {
			"kind: Node\nmetadata: {name: a}\n---\n" + node("b"),
			[]string{"b"}, "stdin: document 1, line 1: the object has no apiVersion",
		},
		"an object without kind": {
			node("b") + "---\n\napiVersion: v1\nmetadata: {name: a}\n",
			[]string{"b"}, "stdin: document 2, line 6: the object has no kind",
		},
		"an object without name": {
			"apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-}\n---\n" + node("b"),
			[]string{"b"}, "stdin: document 1, line 1: the object has no metadata.name",
		},
		"an item without kind": {
			"kind: List\napiVersion: v1\nitems:\n- metadata: {name: a}\n" + listItem(node("b")),
			[]string{"b"}, "stdin: document 1, line 1: item 1: the object has no kind",
		},
		"an item without kind in JSON": {
			"{\"kind\":\"List\",\"items\":[\n" + jsonNode("b") + ",\n\n{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}]}",
			[]string{"b"}, "stdin: document 1, line 4: the object has no kind",
		},
		"a version that is none": {
			"apiVersion: a/b/c\nkind: Node\nmetadata: {name: a}\n---\n" + node("b"),
			[]string{"b"}, "stdin: document 1, line 1: unexpected GroupVersion string: a/b/c",
		},
		"metadata of another type": {
			"apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {b: 1}}\n---\n" + node("b"),
			[]string{"b"}, "stdin: document 1, line 1: json: cannot unmarshal number",
		},
		"YAML for something else": {
			"replicas: 3\n---\n" + node("b"),
			[]string{"b"}, "stdin: document 1, line 1: not a Kubernetes object",
		},
		"a scalar": {"hello\n---\n" + node("b"), []string{"b"}, "stdin: document 1, line 1: not a Kubernetes object"},
		"numbers that JSON lacks": {
			"apiVersion: v1\nkind: Node\nmetadata: {name: a}\nx: .nan\n---\n" + node("b"),
			[]string{"b"}, "stdin: document 1, line 1: json: unsupported value: NaN",
		},
	} {
		d, err := readText(t, test.text)
		var want []string
		for _, n := range test.names {
			want = append(want, "v1/Node//"+n)
		}
		faults := faultsOf(err)
		if !slices.Equal(names(d), want) || len(faults) != 1 || !strings.HasPrefix(faults[0], test.fault) {
			t.Errorf("%s: got %q and %q, want %q and %q", name, names(d), faults, want, test.fault)
		}
	}
}

// listItem writes a document as an item of a list.
func listItem(document string) string {
	return "- " + strings.ReplaceAll(strings.TrimSuffix(document, "\n"), "\n", "\n  ") + "\n"
}

func TestPathsThatCannotBeReadEndTheCommand(t *testing.T) {
	empty := t.TempDir()
	for path, want := range map[string]string{
		"/no/such/file": `the path "/no/such/file" does not exist`,
		empty:           "error reading [" + empty + "]: recognized file extensions are [.json .jsonl .yaml .yml]",
	} {
		d, err := Read(context.Background(), []string{path}, nil)
		if d != nil || err == nil || err.Error() != want {
			t.Errorf("%s: got %v, %v", path, d, err)
		}
	}
}

func TestAFileThatBreaksOffIsNamed(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": webYAML})
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "b.yaml")); err != nil {
		t.Fatal(err)
	}
	stdin := &failingReader{strings.NewReader(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}` + "\n")}
	d, err := Read(context.Background(), []string{dir, "-"}, stdin)
	faults := faultsOf(err)
	if len(faults) != 2 || !strings.Contains(faults[0], "b.yaml: ") || faults[1] != "stdin: the disk is broken" {
		t.Errorf("got %q", faults)
	}
	if got := names(d); !slices.Equal(got, []string{"apps/v1/Deployment/shop/web", "v1/Node//n1"}) {
		t.Errorf("got %q", got)
	}
}

func TestFaultsCanBeToldApart(t *testing.T) {
	_, err := readText(t, webYAML+"---\nkind: x\nmetadata: {name: y}\n")
	var fault *DocumentError
	if !errors.As(err, &fault) || fault.File != "stdin" || fault.Document != 2 || fault.Line != 9 {
		t.Errorf("got %+v", fault)
	}
}
