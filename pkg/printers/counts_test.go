package printers

import (
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

func TestCountsInEveryFormat(t *testing.T) {
	values := []Count{{"node-2", 1200000}, {"node<1>", 3}, {"", 1}}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "NODE      COUNT\nnode-2    1200000\nnode<1>   3\n          1\n"},
		{[]string{"--no-headers", "--limit=2"}, "node-2    1200000\nnode<1>   3\n"},
		{[]string{"-o", "name"}, "node-2\nnode<1>\n\n"},
		{[]string{"-o", "json", "--limit=1"}, `{
    "index": "node",
    "values": [
        {
            "value": "node-2",
            "count": 1200000
        }
    ]
}
`},
		{[]string{"-o", "yaml", "--limit=2"}, "index: node\nvalues:\n- count: 1200000\n  value: node-2\n- count: 3\n  value: node<1>\n"},
		{[]string{"-o", "kyaml", "--limit=1"}, "---\n{\n  index: \"node\",\n  values: [{\n    value: \"node-2\",\n    count: 1200000,\n  }],\n}\n"},
		{[]string{"-o", "jsonl", "--limit=2"}, "{\"value\":\"node-2\",\"count\":1200000}\n{\"value\":\"node\\u003c1\\u003e\",\"count\":3}\n"},
		{[]string{"-o", "jsonpath={.values[*].count}"}, "1200000 3 1"},
		{[]string{"-o", "go-template={{range .values}}{{.value}}={{.count}} {{end}}"}, "node-2=1200000 node<1>=3 =1 "},
	} {
		var out strings.Builder
		if err := mustParse(t, c.args...).PrintCounts(&out, Counts{Index: "node", Values: values}, false); err != nil {
			t.Errorf("%q: %v", c.args, err)
		}
		same(t, c.want, out.String())
	}
}

func TestNoCountsIsAnEmptyDocument(t *testing.T) {
	for format, want := range map[string]string{
		"":      "",
		"name":  "",
		"jsonl": "",
		"json":  "{\n    \"index\": \"node\",\n    \"values\": []\n}\n",
		"yaml":  "index: node\nvalues: []\n",
	} {
		var out strings.Builder
		if err := mustParse(t, "-o", format).PrintCounts(&out, Counts{Index: "node", Values: nil}, false); err != nil {
			t.Errorf("-o %s: %v", format, err)
		}
		same(t, want, out.String())
	}
}

func TestCountsOfHostileValues(t *testing.T) {
	values := []Count{{"\x1b[31m\u009b\t\n\u202e", 1}, {"plain", 2}}
	for _, format := range []string{"", "name", "json", "yaml"} {
		var out strings.Builder
		if err := mustParse(t, "-o", format).PrintCounts(&out, Counts{Index: "node", Values: values}, true); err != nil {
			t.Errorf("-o %s: %v", format, err)
		}
		if !display.IsSafe(out.String(), "\n\t") {
			t.Errorf("-o %s: raw control character in %q", format, out.String())
		}
	}
	if err := mustParse(t).PrintCounts(&brokenPipe{}, Counts{Index: "node", Values: values}, false); err != syscall.EPIPE {
		t.Errorf("got %v", err)
	}
	err := mustParse(t, "-o", "custom-columns=A:.a").PrintCounts(&strings.Builder{}, Counts{Index: "node", Values: values}, false)
	if err == nil || !strings.Contains(err.Error(), "--count-by") {
		t.Errorf("got %v", err)
	}
}
