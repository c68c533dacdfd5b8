package printers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestWhatChangedAndWhatWasInEveryFormat(t *testing.T) {
	nodes := shop().typed("nodes")
	modified := update(nodes, 0, func(body map[string]any) {
		body["spec"] = map[string]any{"size": "<2Gi>", "none": nil}
	})
	object := func(spec string) string {
		return `{"apiVersion":"v1","kind":"Node","metadata":{"creationTimestamp":"2020-01-02T03:04:05Z","name":"node-1"},"spec":{` + spec + `}}`
	}
	const (
		newSpec = `"none":null,"size":"\u003c2Gi\u003e"`
		oldSpec = `"size":"1Gi"`
		changes = `"changes":[{"path":"spec.none","new":null},{"path":"spec.size","old":"1Gi","new":"\u003c2Gi\u003e"}]`
		row     = "EVENT      NAME     STATUS   AGE\nMODIFIED   node-1   Ready    90s\n"
		lines   = "    + spec.none: <none> → null\n    ~ spec.size: 1Gi → <2Gi>\n"
	)
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"-o", "json"}, `{"type":"MODIFIED","object":` + object(newSpec) + "}\n"},
		{[]string{"-o", "json", "--diff"}, `{"type":"MODIFIED","object":` + object(newSpec) + "," + changes + "}\n"},
		{[]string{"-o", "jsonl", "--old"}, `{"type":"MODIFIED","object":` + object(newSpec) + `,"oldObject":` + object(oldSpec) + "}\n"},
		{[]string{"-o", "json", "--old", "--diff"}, `{"type":"MODIFIED","object":` + object(newSpec) + `,"oldObject":` + object(oldSpec) + "," + changes + "}\n"},
		{[]string{"-o", "yaml", "--diff"}, `changes:
- new: null
  path: spec.none
- new: <2Gi>
  old: 1Gi
  path: spec.size
object:
  apiVersion: v1
  kind: Node
  metadata:
    creationTimestamp: "2020-01-02T03:04:05Z"
    name: node-1
  spec:
    none: null
    size: <2Gi>
type: MODIFIED
---
`},
		{[]string{"-o", "kyaml", "--diff"}, `{
  type: "MODIFIED",
  object: {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      creationTimestamp: "2020-01-02T03:04:05Z",
      name: "node-1",
    },
    spec: {
      none: null,
      size: "<2Gi>",
    },
  },
  changes: [{
    path: "spec.none",
    new: null,
  }, {
    path: "spec.size",
    old: "1Gi",
    new: "<2Gi>",
  }],
}
---
`},
		{[]string{"-o", "jsonpath={.changes[*].path}", "--diff"}, "spec.none spec.size\n"},
		{[]string{"-o", `jsonpath={.changes[?(@.path=="spec.size")].old} {.oldObject.spec.size}`, "--diff", "--old"}, "1Gi 1Gi\n"},
		{[]string{"-o", "jsonpath={.changes[*].old}", "--diff"}, "1Gi\n"},
		{[]string{"-o", "jsonpath={.changes}", "--diff"}, `[{"new":null,"path":"spec.none"},{"new":"\u003c2Gi\u003e","old":"1Gi","path":"spec.size"}]` + "\n"},
		{[]string{"-o", "jsonpath={..path}", "--diff"}, "spec.none spec.size\n"},
		{[]string{"-o", "jsonpath={.changes}{.oldObject}"}, "\n"},
		{[]string{"-o", "go-template={{range .changes}}{{.path}}={{.new}} {{end}}", "--diff"}, "spec.none=<no value> spec.size=<2Gi> \n"},
		{[]string{"-o", "go-template={{.oldObject.spec.size}}", "--old"}, "1Gi\n"},
		{[]string{"-o", "name", "--diff"}, "node/node-1\n"},
		{nil, row},
		{[]string{"--diff"}, row + lines},
		{[]string{"-o", "wide", "--diff", "--no-headers"}, "MODIFIED   node-1   Ready   90s\n" + lines},
		{[]string{"-o", "custom-columns=SIZE:.spec.size", "--diff"}, "EVENT      SIZE\nMODIFIED   <2Gi>\n" + lines},
	} {
		if diff := cmp.Diff(c.want, strings.Join(tail(t, EventOptions{}, []cache.Event{modified}, c.flags...), "")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.flags, diff)
		}
	}
}

// kubernetes/kubernetes#17095
func TestBigIntegersOfAChangeKeepEveryDigit(t *testing.T) {
	for format, want := range map[string]string{
		"json": `{"path":"spec.priority","old":9007199254740993,"new":9007199254740992}`,
		"yaml": "- new: 9007199254740992\n  old: 9007199254740993\n",
		`jsonpath={range .changes[*]}{.old}{end}`:       "9007199254740993",
		"go-template={{range .changes}}{{.old}}{{end}}": "9007199254740993",
		"":                                "9007199254740993 → 9007199254740992",
		"kyaml":                           "old: 9007199254740993,",
		"custom-columns=A:.spec.priority": "MODIFIED   9007199254740992\n",
		"go-template={{.oldObject.spec.priority}}\n": "9007199254740993\n",
		`jsonpath={.oldObject.spec.priority}{"\n"}`:  "9007199254740993\n",
		"jsonpath-as-json={.changes[*].old}":         "    9007199254740993\n",
	} {
		if out := strings.Join(tail(t, EventOptions{}, []cache.Event{rolledOut()}, "-o", format, "--diff", "--old"), ""); !strings.Contains(out, want) {
			t.Errorf("-o %s: no %q in\n%s", format, want, out)
		}
	}
}

func TestAnEventWithoutChangesDoesNotMentionThem(t *testing.T) {
	nodes := shop().typed("nodes")
	for _, e := range append(life(nodes, 0), synced(nodes)) {
		for _, format := range []string{"json", "yaml", "kyaml", "go-template={{.}}"} {
			out := strings.Join(tail(t, EventOptions{}, []cache.Event{e}, "-o", format, "--diff", "--all-changes"), "")
			if strings.Contains(out, "changes") || !strings.Contains(out, string(e.Type)) {
				t.Errorf("%s, -o %s: %s", e.Type, format, out)
			}
		}
	}
}
