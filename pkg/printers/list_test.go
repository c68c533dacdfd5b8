package printers

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// list prints groups with flags and returns stdout and stderr.
func list(t *testing.T, o ListOptions, groups []Group, args ...string) (string, string) {
	t.Helper()
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	o.Warn = printers.NewWarningPrinter(errOut, printers.WarningPrinterOptions{}).Print
	if err := mustParse(t, args...).PrintList(streams, groups, o); err != nil {
		t.Fatalf("list %q: %v", args, err)
	}
	return out.String(), errOut.String()
}

func same(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func everywhere() ListOptions { return ListOptions{Scope: Scope{AllNamespaces: true}} }

func allOf(cluster testCluster, resources ...string) []Group {
	groups, _ := cluster.groups(question{types: resources, all: true})
	return groups
}

func TestSeveralNamespacesAreToldApart(t *testing.T) {
	q := question{types: []string{"deployments", "nodes"}, namespaces: []string{"prod", "test"}}
	groups, _ := shop().groups(q)
	out, _ := list(t, ListOptions{Scope: Scope{Namespaces: q.namespaces}}, groups)
	same(t, `NAMESPACE   NAME                  READY   UP-TO-DATE   AGE
prod        deployment.apps/web   2/2     2            5y
test        deployment.apps/web   1/1                  5y

NAMESPACE   NAME          STATUS     AGE
            node/node-1   Ready      5y
            node/node-2   NotReady   5y
`, out)

	q.types = []string{"secrets"}
	groups, _ = shop().groups(q)
	out, errOut := list(t, ListOptions{Scope: Scope{Namespaces: q.namespaces}}, groups)
	same(t, "", out)
	same(t, "No resources found in prod, test namespaces.\n", errOut)
}

// kubernetes/kubectl#821
func TestAFailedPartIsNotCalledNothingFound(t *testing.T) {
	_, errOut := list(t, ListOptions{Scope: Scope{Namespaces: []string{"prod"}}, Failed: true}, nil)
	same(t, "", errOut)
	out, _ := list(t, ListOptions{SingleItem: true, Failed: true}, nil, "-o", "json")
	same(t, "", out)
}

func TestJSONLinesKeepsIntegersAndIsEmptyWithoutObjects(t *testing.T) {
	out, errOut := list(t, everywhere(), allOf(shop(), "gadgets", "nodes"), "-o", "jsonl", "--limit", "3")
	same(t, `{"apiVersion":"example.com/v1alpha1","kind":"Gadget","metadata":{"creationTimestamp":"2020-01-02T03:04:05Z","name":"gizmo","namespace":"prod"},"spec":{"size":"1Gi"}}
{"apiVersion":"example.com/v1alpha1","kind":"Gadget","metadata":{"creationTimestamp":"2020-01-02T03:04:05Z","name":"widget","namespace":"prod"},"spec":{"size":"1Gi"}}
{"apiVersion":"v1","kind":"Node","metadata":{"creationTimestamp":"2020-01-02T03:04:05Z","name":"node-1"},"spec":{"size":"1Gi"}}
`, out)
	same(t, "", errOut)

	out, errOut = list(t, everywhere(), allOf(shop(), "secrets"), "-o", "jsonl")
	same(t, "", out+errOut)

	out, _ = list(t, everywhere(), allOf(shop(), "pods"), "-o", "jsonl", "--limit", "1")
	if !strings.Contains(out, `"priority":9007199254740993,`) {
		t.Errorf("a 64-bit integer was changed: %s", out)
	}
	if strings.Contains(out, "managedFields") {
		t.Errorf("managedFields were not asked for: %s", out)
	}
}

// kubernetes/kubernetes#17095
func TestIntegersBeyondFloatsSurviveEveryFormat(t *testing.T) {
	for _, format := range []string{"json", "yaml", "kyaml", "jsonl", "jsonpath={.items[0].spec.priority}",
		"go-template={{range .items}}{{.spec.priority}}{{end}}", "custom-columns=P:.spec.priority"} {
		out, _ := list(t, everywhere(), allOf(shop(), "pods"), "-o", format)
		if !strings.Contains(out, "9007199254740993") || strings.Contains(out, "e+") {
			t.Errorf("-o %s: %s", format, out)
		}
	}
}

func TestLimitCutsAfterSortingAndAcrossTypes(t *testing.T) {
	out, _ := list(t, everywhere(), allOf(shop(), "pods"), "--sort-by=-.status.restarts", "--limit=2", "--no-headers")
	same(t, `prod   web-2-with-a-long-name   1/1   CrashLoopBackOff   12    5y
test   web-1                    1/1   Line...            3     5y
`, out)
	out, _ = list(t, everywhere(), allOf(shop(), "pods", "nodes"), "-o=name", "--limit=4")
	same(t, "pod/web-1\npod/web-2-with-a-long-name\npod/web-1\nnode/node-1\n", out)
}

func TestSortingNamedObjectsSortsThemTogether(t *testing.T) {
	groups, _ := shop().groups(question{names: []string{"pods/web-2-with-a-long-name", "pods/web-1"}, namespaces: []string{"prod"}})
	out, _ := list(t, ListOptions{Scope: Scope{Namespaces: []string{"prod"}}}, groups, "--sort-by=.metadata.name", "--no-headers")
	same(t, `web-1                    1/1   Running            0     5y
web-2-with-a-long-name   1/1   CrashLoopBackOff   12    5y
`, out)
}

func TestSortingByAFieldNobodyHasStillAnswers(t *testing.T) {
	for _, format := range []string{"", "wide", "json", "name"} {
		plain, _ := list(t, everywhere(), allOf(shop(), "pods", "nodes"), "-o", format)
		out, errOut := list(t, everywhere(), allOf(shop(), "pods", "nodes"), "-o", format, "--sort-by=.spec.nope")
		same(t, plain, out)
		same(t, "Warning: couldn't find any field with path \"{.spec.nope}\" in the list of objects: not sorted by it\n", errOut)
	}
	_, errOut := list(t, everywhere(), allOf(shop(), "secrets"), "--sort-by=.spec.nope")
	same(t, "No resources found\n", errOut)
	_, errOut = list(t, everywhere(), allOf(shop(), "nodes", "pods"), "--sort-by=.status.restarts")
	same(t, "", errOut)
}

func TestTheNeedsAreEnoughToPrint(t *testing.T) {
	more := [][]string{
		{"-o", "jsonl"}, {"-o", "jsonl", "--show-managed-fields"},
		{"--sort-by", ".spec.priority", "--sort-by", "-.metadata.name"},
		{"-o", "name", "--sort-by", ".metadata.labels.app"},
		{"-o", "jsonpath={.items[?(@.spec.nodeName=='node-1')].metadata.name}"},
		{"-o", "jsonpath={.items[0].metadata.managedFields}"},
		{"-o", "jsonpath={.items[*]}"}, {"-o", "jsonpath={.items}"},
		{"-o", "jsonpath={range .items[*]}{.metadata}{end}"},
		{"-o", "jsonpath={range .items[*]}{@}{end}"},
		{"-o", "jsonpath={range .items[*].metadata}{.name}{.managedFields}{end}"},
		{"-o", "jsonpath={.items[*]['metadata.name','spec.nodeName']}"},
		{"-o", "custom-columns=A:.metadata.name,B:.kind,C:.apiVersion,D:.metadata.labels"},
		{"-o", "custom-columns=A:.metadata"}, {"-o", "custom-columns=A:.spec.nodeName"},
	}
	for _, flags := range append(every(), more...) {
		groups := annotated(allOf(shop(), "pods", "gadgets"))
		want, _ := list(t, everywhere(), groups, flags...)
		printed := mustParse(t, flags...)
		need := printed.ListNeeds()
		less := reduced(groups, need)
		if !printed.ListsAnnotations() {
			withoutAnnotations(less)
		}
		got, _ := list(t, everywhere(), less, flags...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s is not enough, annotations %v (-all +needs):\n%s", flags, need, printed.ListsAnnotations(), diff)
		}
	}
}

// annotated has an annotation in each object.
func annotated(groups []Group) []Group {
	for _, group := range groups {
		for _, row := range group.Rows {
			row.Annotations = map[string]string{"note": "seen"}
			body := runtime.DeepCopyJSON(row.Body.(cache.MapBody))
			body["metadata"].(map[string]any)["annotations"] = map[string]any{"note": "seen"}
			row.Body = cache.MapBody(body)
		}
	}
	return groups
}

// withoutAnnotations drops them where a cache can, not in whole objects.
func withoutAnnotations(groups []Group) {
	for _, group := range groups {
		for _, row := range group.Rows {
			row.Annotations = nil
		}
	}
}

// reduced are the rows as a cache holds them that keeps no more than form.
func reduced(groups []Group, form cache.Representation) []Group {
	var less []Group
	for _, group := range groups {
		copied := Group{Target: group.Target}
		for _, row := range group.Rows {
			copied.Rows = append(copied.Rows, reducedRow(row, form))
		}
		less = append(less, copied)
	}
	return less
}

func reducedRow(row *cache.Row, form cache.Representation) *cache.Row {
	if row == nil {
		return nil
	}
	copied := *row
	if !form.Has(cache.Cells) {
		copied.Columns, copied.Cells = nil, nil
	}
	if !form.Has(cache.ManagedFields) {
		copied.ManagedFields = nil
	}
	switch {
	case !form.Has(cache.Whole):
		copied.Body = nil
	case !form.Has(cache.ManagedFields):
		object, err := printable(row, false)
		if err != nil {
			panic(err)
		}
		copied.Body = cache.MapBody(object.Object)
	}
	return &copied
}

func TestColumnsThatChangeMidwayGetTheirOwnHeader(t *testing.T) {
	group := allOf(shop(), "deployments")[0]
	group.Rows[1].Columns = nameAge("Ready", "Other")
	out, _ := list(t, everywhere(), []Group{group})
	same(t, `NAMESPACE   NAME   READY   UP-TO-DATE   AGE
prod        web    2/2     2            5y
NAMESPACE   NAME   READY   OTHER        AGE
test        web    1/1                  5y
`, out)
}

func TestATypeWithoutColumnsIsTimedByTheClock(t *testing.T) {
	groups := allOf(shop(), "gadgets")
	groups[0].Rows[0].CreationTimestamp = metav1.Time{}
	out, _ := list(t, everywhere(), groups, "--no-headers")
	if !strings.HasPrefix(out, "prod   gizmo    <unknown>\n") {
		t.Errorf("got %s", out)
	}
}

// GetName of a row is a storage key, which nobody is to see.
func TestARowIsPrintedByItsNameAlone(t *testing.T) {
	pods := shop().typed("pods")
	row := event(cache.Added, pods, 0).Row
	row.UID, row.Namesake = "uid", 1
	row.Pack()
	plain := *row
	plain.Columns, plain.Cells = nil, nil
	for _, object := range (rowTables{}).tables([]*cache.Row{row, &plain}) {
		var out bytes.Buffer
		if err := printers.NewTablePrinter(printers.PrintOptions{WithNamespace: true}).PrintObj(object, &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), row.Namespace+" ") || strings.ContainsAny(out.String(), "\x00") || strings.Contains(out.String(), "uid") {
			t.Errorf("got %q", out.String())
		}
	}
}
