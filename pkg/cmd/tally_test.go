package cmd

import "testing"

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
