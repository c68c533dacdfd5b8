package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

func TestCountsOfSeveralTypesAreMostFirstThenByValue(t *testing.T) {
	got := question.MostFirst(map[string]int{"b": 2, "a": 2, "": 1, "c": 9, "z": 1})
	want := []printers.Count{{Value: "c", Count: 9}, {Value: "a", Count: 2}, {Value: "b", Count: 2}, {Value: "", Count: 1}, {Value: "z", Count: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := question.MostFirst(nil); got == nil || len(got) != 0 {
		t.Errorf("nothing is %#v: a document would say null", got)
	}
}

func TestCountsSayWhyThereAreNone(t *testing.T) {
	const path = "Warning: no object has a value at .spec.nope; write a dot within a key as \\. and the elements of a list as [*]\n"
	for args, want := range map[string]struct {
		stdout, stderr string
		code           int
	}{
		"list pods --count-by pvc":                                              {"", "No values found in index \"pvc\".\n", 0},
		"list pods --count-by pvc --exit-status":                                {"", "No values found in index \"pvc\".\n", 3},
		"list pods --count-by pvc -o name --exit-status":                        {"", "", 3},
		"list pods --count-by pvc -o jsonl":                                     {"", "", 0},
		"list pods --count-by spec.nope":                                        {"", path, 0},
		"list pods --count-by spec.nope --by .spec.nope=x -o name":              {"", path, 0},
		"list pods --count-by node --by spec.nope=x":                            {"", path, 0},
		"list pods --count-by node --by name=nope -o jsonpath={.values}":        {"[]", "hint: no pod has name \"nope\"; there are \"web-1\", \"db-0\"\n", 0},
		"list pods,gadgets --count-by spec.color -o name":                       {"red\n", "", 0},
		"list pods,gadgets --count-by spec.color --by .spec.nodeName=x -o name": {"", "hint: no object has spec.nodeName \"x\"; there are \"node-1\", \"node-2\"\n", 0},
		"list pod db-0 nope -n shop --count-by node -o name":                    {"node-2\n", "Error from server (NotFound): pods \"nope\" not found\n", 1},
		"list pod nope -n shop --count-by node -o name --exit-status":           {"", "Error from server (NotFound): pods \"nope\" not found\n", 1},
		"list pod nope -n shop --count-by node --ignore-not-found":              {"", "No values found in index \"node\".\n", 0},
	} {
		stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": savedCluster}, "", args+" --from dump.yaml")
		if stdout != want.stdout || stderr != want.stderr || code != want.code {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// A variable of a shell that is not set made it a list of objects.
func TestAnEmptyNameIsNotCountedBy(t *testing.T) {
	const want = "--count-by needs the name of an index, or a field path"
	dump := map[string]string{"dump.yaml": savedCluster}
	stdout, stderr, code := askDump(t, dump, "", "list pods --from dump.yaml --count-by=")
	if stdout != "" || stderr != "error: "+want+"\n" || code != 1 {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if got, _ := askQuery(t, "", "--count-by ''"); !strings.Contains(got, `"message":"`+want+`"`) {
		t.Errorf("got %q", got)
	}
}

func TestCountsObeyEverythingThatNarrows(t *testing.T) {
	for args, want := range map[string]string{
		"":                                 "node-1 2, node-2 1",
		"-n shop":                          "node-1 1, node-2 1",
		"-l app=web":                       "node-1 2",
		"--by namespace=batch":             "node-1 1",
		"--by label!=app=web":              "node-2 1",
		"--where object.metadata.name<'e'": "node-2 1",
		"--limit 1":                        "node-1 2",
		"--index app=.metadata.labels.app --by app=web": "node-1 2",
	} {
		stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": savedCluster}, "", "list pods --count-by node --no-headers --from dump.yaml "+args)
		var got []string
		for line := range strings.Lines(stdout) {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
		if code != 0 || stderr != "" || strings.Join(got, ", ") != want {
			t.Errorf("%s: code %d, stdout %q, stderr %q, want %s", args, code, stdout, stderr, want)
		}
	}
}

func TestPairsOfValuesAreCountedInEveryFormat(t *testing.T) {
	for args, want := range map[string]string{
		"pods -n shop --count-by namespace,root":                                                "NAMESPACE   ROOT             COUNT\nshop        Deployment/web   1\nshop        Pod/alone        1\n",
		"pods --count-by namespace,pvc -o name":                                                 "shop\tdata\n",
		"pvc --count-by name,namespace":                                                         "NAME   NAMESPACE   COUNT\ndata   dev         1\ndata   shop        1\n",
		"pvc --count-by namespace,name --limit 1 --no-headers":                                  "dev   data   1\n",
		"secrets --count-by name,namespace -o jsonl":                                            `{"values":["old","shop"],"count":1}` + "\n" + `{"values":["tls","dev"],"count":1}` + "\n" + `{"values":["tls","shop"],"count":1}` + "\n",
		"pvc --count-by namespace,name -n dev -o json":                                          "{\n    \"indexes\": [\n        \"namespace\",\n        \"name\"\n    ],\n    \"values\": [\n        {\n            \"values\": [\n                \"dev\",\n                \"data\"\n            ],\n            \"count\": 1\n        }\n    ]\n}\n",
		"pvc --count-by namespace,name -n dev -o yaml":                                          "indexes:\n- namespace\n- name\nvalues:\n- count: 1\n  values:\n  - dev\n  - data\n",
		"pvc --count-by namespace,name -n dev -o jsonpath={.indexes[1]}={.values[0].values[1]}": "name=data",
		"pods -n shop --count-by namespace,pvc -o json --by name=alone":                         "{\n    \"indexes\": [\n        \"namespace\",\n        \"pvc\"\n    ],\n    \"values\": []\n}\n",
		"pods -n shop --count-by kind,node --index kind=.kind -o name":                          "Pod\tnode-1\n",
		"pvc,secrets -n dev --count-by namespace,metadata.name -o name":                         "dev\tdata\ndev\ttls\n",
	} {
		stdout, stderr, code := askShop(t, "list "+args)
		if code != 0 || stdout != want || stderr != "" {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
	for args, want := range map[string]string{
		"pods --count-by namespace,":     "error: --count-by \"namespace,\": an index has no name\n",
		"svc --count-by namespace,phase": "error: services has no index \"phase\": it has ",
	} {
		_, stderr, code := askShop(t, "list "+args)
		if code != 1 || len(stderr) < len(want) || stderr[:len(want)] != want {
			t.Errorf("%s: code %d, stderr %q", args, code, stderr)
		}
	}
	lines := "--count-by name,namespace -o name\n--count-by namespace,name -n dev\n--count-by namespace,name -n dev -o json --by name=tsl"
	stdout, _, code := askDump(t, map[string]string{"dump.yaml": savedShop}, lines, "query secrets --from dump.yaml")
	want := "old\tshop\ntls\tdev\ntls\tshop\n---\nNAMESPACE   NAME   COUNT\ndev         tls    1\n---\n" +
		"{\n    \"indexes\": [\n        \"namespace\",\n        \"name\"\n    ],\n    \"values\": [],\n    \"warnings\": [\n        \"no secret has name \\\"tsl\\\"; there are \\\"tls\\\", \\\"old\\\"\"\n    ]\n}\n---\n"
	if code != 0 || stdout != want {
		t.Errorf("query: code %d, got\n%s", code, stdout)
	}
}
