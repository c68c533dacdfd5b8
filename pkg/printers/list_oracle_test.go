package printers

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// agree fails if kubectl and PrintList differ in a byte.
func agree(t *testing.T, cluster served, q question) {
	t.Helper()
	wantOut, wantErr, err := cluster.kubectl(t, q)
	if err != nil && len(q.names) == 0 {
		t.Fatalf("kubectl %s: %v", q, err)
	}
	gotOut, gotErr, err := cluster.ours(t, q)
	if err != nil {
		t.Fatalf("ours %s: %v", q, err)
	}
	if diff := cmp.Diff(wantOut, gotOut); diff != "" {
		t.Errorf("%s: stdout differs from kubectl's (-kubectl +ours):\n%s", q, diff)
	}
	if diff := cmp.Diff(wantErr, gotErr); diff != "" {
		t.Errorf("%s: stderr differs from kubectl's (-kubectl +ours):\n%s", q, diff)
	}
}

// every is a value for every format and companion flag of kubectl get.
func every() [][]string {
	return [][]string{
		{}, {"-o", "wide"}, {"--no-headers"}, {"--show-labels"}, {"-L", "app,app.kubernetes.io/part-of"}, {"--show-kind"},
		{"-o", "wide", "--show-labels", "-L", "app", "--show-kind", "--no-headers"},
		{"-o", "name"}, {"-o", "json"}, {"-o", "yaml"}, {"-o", "kyaml"}, {"-o", "JSON"},
		{"-o", "json", "--show-managed-fields"}, {"-o", "yaml", "--show-managed-fields"}, {"-o", "kyaml", "--show-managed-fields"},
		{"-o", "jsonpath={.items[*].metadata.name}{.metadata.name}"},
		{"-o", `jsonpath={range .items[*]}{.metadata.name}{"\t"}{.spec.priority}{"\n"}{end}`},
		{"-o", "jsonpath={.items[*].metadata}"},
		{"-o", "jsonpath={.items[*].metadata.labels.app\\.kubernetes\\.io/part-of}"},
		{"-o", "jsonpath={.kind}"},
		{"-o", "jsonpath-as-json={.items[*].metadata.name}"},
		{"-o", "jsonpath", "--template", "{.kind}"},
		{"-o", "go-template={{range .items}}{{.metadata.name}} {{.spec.priority}}\n{{end}}{{.kind}}"},
		{"--template", "{{.kind}}"},
		{"-o", "template", "--template", "{{.apiVersion}}"},
		{"-o", "custom-columns=Name:.metadata.name,LABELS:.metadata.labels,PRIO:.spec.priority,NONE:.spec.nope"},
		{"-o", "custom-columns=NAME:metadata.name", "--no-headers"},
		{"-o", "custom-columns=MF:.metadata.managedFields"},
		{"--sort-by", ".metadata.name"},
		{"-o", "json", "--sort-by", "{.metadata.name}"},
		{"-o", "name", "--sort-by", "metadata.name"},
	}
}

func TestListEqualsKubectlForEveryFormat(t *testing.T) {
	cluster := serve(t, shop())
	sortable := func(flags []string) bool { return !slices.Contains(flags, "--sort-by") }
	for _, q := range []question{
		{types: []string{"pods"}, namespaces: []string{"prod"}},
		{types: []string{"pods"}, all: true},
		{types: []string{"nodes"}, namespaces: []string{"prod"}},
		{types: []string{"deployments"}, all: true},
		{types: []string{"gadgets"}, namespaces: []string{"prod"}},
		{types: []string{"pods", "nodes", "gadgets", "secrets", "deployments"}, all: true},
		{types: []string{"nodes", "deployments", "pods"}, all: true},
		{types: []string{"secrets"}, namespaces: []string{"prod"}},
		{types: []string{"secrets"}, all: true},
		{types: []string{"secrets"}, namespaces: []string{"prod"}, ignore: true},
		{types: []string{"secrets", "pods"}, namespaces: []string{"test"}},
		{names: []string{"pods/web-1"}, namespaces: []string{"prod"}},
		{names: []string{"gadgets/gizmo"}, namespaces: []string{"prod"}},
		{names: []string{"pods/web-1", "pods/web-2-with-a-long-name"}, namespaces: []string{"prod"}},
		{names: []string{"pods/web-1", "nodes/node-1", "deployments/web", "pods/web-2-with-a-long-name"}, namespaces: []string{"prod"}},
		{names: []string{"pods/nope"}, namespaces: []string{"prod"}},
		{names: []string{"pods/nope"}, namespaces: []string{"prod"}, ignore: true},
		{names: []string{"pods/nope", "pods/web-1"}, namespaces: []string{"prod"}},
		{names: []string{"pods/nope", "nodes/nope"}, namespaces: []string{"prod"}, ignore: true},
	} {
		t.Run(q.String(), func(t *testing.T) {
			for _, flags := range every() {
				q.flags = flags
				// kubectl cannot sort tables of several requests: it looks for
				// the field in the Tables.
				if sortable(flags) || len(q.types) == 1 && len(q.names) == 0 {
					agree(t, cluster, q)
				}
			}
		})
	}
}

func TestPagesAreLaidOutAsKubectlDoes(t *testing.T) {
	sizes := []int{101, 500, 501, 1203}
	if testing.Short() {
		sizes = []int{101, 501}
	}
	for _, n := range sizes {
		cluster := serve(t, crowd(n))
		for _, flags := range [][]string{{}, {"--no-headers"}, {"-o", "wide"}, {"-o", "custom-columns=N:.metadata.name"}} {
			agree(t, cluster, question{types: []string{"pods"}, all: true, flags: flags})
		}
	}
}

func TestTiesFallAsInKubectl(t *testing.T) {
	for _, n := range []int{12, 13, 300} {
		cluster := serve(t, crowd(n))
		for _, path := range []string{".spec.nodeName", ".status.restarts", ".metadata.creationTimestamp"} {
			for _, flags := range [][]string{{}, {"-o", "name"}} {
				agree(t, cluster, question{types: []string{"pods"}, all: true, flags: append(flags, "--sort-by", path)})
			}
		}
	}
}
