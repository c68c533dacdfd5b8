package printers

import (
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
					of.Context = context
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
	for _, want := range []string{"west   prod   deployment.apps/web   ", "east   prod   deployment.apps/web   2/2"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
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

// A body that is at hand as JSON gets the context without being decoded; one that has a
// member of that name shows the cluster's.
func TestAContextIsPutIntoJSONAsItIsIntoMaps(t *testing.T) {
	for _, text := range []string{`{"kind":"Pod","apiVersion":"v1"}`, `{"context":"own","kind":"Pod","apiVersion":"v1"}`, `{"kind":"Pod","apiVersion":"v1","x":"😀"}`} {
		row := &cache.Row{Context: "west", Body: textBody(text)}
		row.APIVersion, row.Kind = "v1", "Pod"
		line, err := appendJSON(nil, row, asLine, true)
		if err != nil || !strings.HasPrefix(string(line), `{"apiVersion":"v1","context":"west","kind":"Pod"`) || strings.Contains(string(line), "own") {
			t.Errorf("%s: %s, %v", text, line, err)
		}
	}
}
