package dump

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

const podsYAML = `apiVersion: v1
kind: PodList
items:
- metadata: {name: a, namespace: shop, labels: {app: web}, managedFields: [{manager: me, operation: Update}]}
  spec: {nodeName: n1, hostNetwork: true, big: 9007199254740993}
- metadata: {name: b, namespace: shop, labels: {app: db}}
  spec: {nodeName: n2}
  status: {phase: Running}
- metadata: {name: a, namespace: batch, labels: {app: web, tier: x}}
`

func podTarget() cache.Target {
	return cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: podKind, Namespaced: true}
}

func TestAListHoldsWhatTheTargetSelects(t *testing.T) {
	d := mustRead(t, podsYAML)
	for name, test := range map[string]struct {
		narrow func(*cache.Target)
		want   string
	}{
		"all":              {func(*cache.Target) {}, "batch/a shop/a shop/b"},
		"a namespace":      {func(t *cache.Target) { t.Namespace = "shop" }, "shop/a shop/b"},
		"a name":           {func(t *cache.Target) { t.Name = "a" }, "batch/a shop/a"},
		"both":             {func(t *cache.Target) { t.Namespace, t.Name = "shop", "a" }, "shop/a"},
		"nothing":          {func(t *cache.Target) { t.Name = "c" }, ""},
		"labels":           {func(t *cache.Target) { t.LabelSelector = "app=web,!tier" }, "shop/a"},
		"a set of labels":  {func(t *cache.Target) { t.LabelSelector = "app in (db,web),tier notin (x)" }, "shop/a shop/b"},
		"a field":          {func(t *cache.Target) { t.FieldSelector = "spec.nodeName=n1" }, "shop/a"},
		"a field, not":     {func(t *cache.Target) { t.FieldSelector = "spec.nodeName!=n1" }, "batch/a shop/b"},
		"fields":           {func(t *cache.Target) { t.FieldSelector = "metadata.namespace=shop,metadata.name!=b" }, "shop/a"},
		"an absent field":  {func(t *cache.Target) { t.FieldSelector = "status.phase=" }, "batch/a shop/a"},
		"a boolean":        {func(t *cache.Target) { t.FieldSelector = "spec.hostNetwork=false" }, "batch/a shop/b"},
		"an old name":      {func(t *cache.Target) { t.FieldSelector = "spec.host=n2" }, "shop/b"},
		"another kind":     {func(t *cache.Target) { t.Kind.Kind = "Node" }, ""},
		"a bad selector":   {func(t *cache.Target) { t.LabelSelector = "!!" }, "unable to parse requirement: found '!', expected: identifier"},
		"a bad field":      {func(t *cache.Target) { t.FieldSelector = "a" }, "invalid selector: 'a'; can't understand 'a'"},
		"an unknown field": {func(t *cache.Target) { t.FieldSelector = "spec.x=y" }, "field label not supported: spec.x"},
	} {
		target := podTarget()
		test.narrow(&target)
		rows, err := list(t, d, target, cache.Metadata)
		var got []string
		for _, row := range rows {
			got = append(got, row.Namespace+"/"+row.Name)
		}
		if err != nil {
			got = []string{strings.Split(err.Error(), "\n")[0]}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestCustomResourcesAreSelectedByTheFieldsThatTheirDefinitionNames(t *testing.T) {
	d := mustRead(t, definitionYAML+"---\napiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: a}\nspec: {color: red}\n---\napiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: b}\n")
	target := cache.Target{Kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Gadget"}, FieldSelector: "spec.color=red"}
	if rows, err := list(t, d, target, cache.Metadata); err != nil || len(rows) != 1 || rows[0].Name != "a" {
		t.Errorf("got %v, %v", rows, err)
	}
	target.FieldSelector = "spec.size=1"
	if _, err := list(t, d, target, cache.Metadata); err == nil || !strings.HasPrefix(err.Error(), "field label not supported: spec.size") {
		t.Errorf("got %v", err)
	}
}

func TestARowHasThePartsThatAreAskedFor(t *testing.T) {
	d := mustRead(t, podsYAML)
	target := podTarget()
	target.Namespace, target.Name = "shop", "a"
	for _, form := range []cache.Representation{cache.Metadata, cache.Whole, cache.Cells, cache.ManagedFields, cache.Whole | cache.ManagedFields, cache.Cells | cache.Whole} {
		rows, err := list(t, d, target, form)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%v: %v, %v", form, rows, err)
		}
		row := rows[0]
		if row.APIVersion != "v1" || row.Kind != "Pod" || row.Labels["app"] != "web" {
			t.Errorf("%v: got %+v", form, row)
		}
		// Cells of any object, name and age, it always has: the age counts from the dump's time.
		if (row.Body != nil) != form.Has(cache.Whole) || (len(row.Cells) > 2) != form.Has(cache.Cells) || (len(row.ManagedFields) > 0) != form.Has(cache.ManagedFields) {
			t.Errorf("%v: got %+v", form, row)
		}
		if row.Body == nil {
			continue
		}
		whole, err := row.Unstructured()
		if err != nil {
			t.Fatal(err)
		}
		spec := whole.Object["spec"].(map[string]any)
		if whole.GetKind() != "Pod" || whole.GetAPIVersion() != "v1" || spec["big"] != int64(9007199254740993) || (len(whole.GetManagedFields()) > 0) != form.Has(cache.ManagedFields) {
			t.Errorf("%v: got %v", form, whole)
		}
	}
}

// table is the columns and cells of a list, a line each.
func table(t *testing.T, d *Dump, kind schema.GroupVersionKind) []string {
	t.Helper()
	rows, err := list(t, d, cache.Target{Kind: kind}, cache.Cells)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for n, row := range rows {
		if n == 0 {
			var header []string
			for _, column := range *row.Columns {
				header = append(header, column.Name)
			}
			lines = append(lines, strings.Join(header, "|"))
		} else if row.Columns != rows[0].Columns {
			t.Error("rows do not share their columns")
		}
		lines = append(lines, strings.Trim(fmt.Sprint(row.Cells), "[]"))
	}
	return lines
}

func TestColumnsAreThoseOfTheDefinitionOrNameAndAge(t *testing.T) {
	gadgets := func(version string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: "example.com", Version: version, Kind: "Gadget"}
	}
	object := func(version, rest string) string {
		return "---\napiVersion: example.com/" + version + "\nkind: Gadget\n" + rest + "\n"
	}
	broken := strings.Replace(definitionYAML, "jsonPath: .spec.color}", "jsonPath: '.spec['}", 1)
	for name, test := range map[string]struct {
		dump string
		kind schema.GroupVersionKind
		want []string
	}{
		"a built-in type": {podsYAML, podKind, []string{
			"Name|Ready|Status|Restarts|Age|IP|Node|Nominated Node|Readiness Gates",
			"a 0/0 Pending 0 <unknown> <none> <none> <none> <none>",
			"a 0/0 Pending 0 <unknown> <none> n1 <none> <none>",
			"b 0/0 Running 0 <unknown> <none> n2 <none> <none>",
		}},
		"an object that is none of its type": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a, creationTimestamp: 2024-05-01T10:00:00Z}\nspec: {containers: 3}", podKind, []string{
				"Name|Ready|Status|Restarts|Age|IP|Node|Nominated Node|Readiness Gates",
				"a <nil> <nil> <nil> 5m <nil> <nil> <nil> <nil>",
			},
		},
		"a type without any":     {definitionYAML + object("v2beta1", "metadata: {name: a}"), gadgets("v2beta1"), []string{"Name|Age", "a <unknown>"}},
		"a defined type":         {definitionYAML + object("v1", "metadata: {name: a}\nspec: {color: red, size: 3}"), gadgets("v1"), []string{"Name|Color|Size|Age", "a red 3 <nil>"}},
		"fields that are absent": {definitionYAML + object("v1", "metadata: {name: a}\nspec: []"), gadgets("v1"), []string{"Name|Color|Size|Age", "a <nil> <nil> <nil>"}},
		"dates": {
			definitionYAML + object("v1", "metadata: {name: a, creationTimestamp: '2024-05-01T10:02:00Z'}") +
				object("v1", "metadata: {name: b, creationTimestamp: '2024-05-01T09:00:00Z'}\nspec: {color: blue}"),
			gadgets("v1"), []string{"Name|Color|Size|Age", "a <nil> <nil> 3m", "b blue <nil> 65m"},
		},
		"columns that are none": {broken + object("v1", "metadata: {name: a}"), gadgets("v1"), []string{"Name|Age", "a <unknown>"}},
	} {
		if got := table(t, mustRead(t, test.dump), test.kind); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestAnInformerSyncsOverADumpAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := mustRead(t, podsYAML)
		guarded := guard.New(d.ListerWatcher(podTarget(), cache.Metadata, time.Now()), guard.Options{Target: podTarget()})
		informer := toolscache.NewSharedIndexInformer(guarded, &cache.Row{}, 0, toolscache.Indexers{})
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			informer.Run(stop)
		}()
		if !toolscache.WaitForCacheSync(stop, informer.HasSynced) {
			t.Fatal("not synced")
		}
		synctest.Wait()
		if keys := informer.GetIndexer().ListKeys(); len(keys) != 3 {
			t.Errorf("got %q", keys)
		}
		close(stop)
		<-done
		if objects, remaining := guarded.Progress(); objects != 3 || remaining != 0 {
			t.Errorf("the list has %d objects, and %d more", objects, remaining)
		}
	})
}

func TestTheWatchOfADumpTellsNothing(t *testing.T) {
	d := mustRead(t, podsYAML)
	source := d.ListerWatcher(podTarget(), cache.Metadata, time.Now())
	w, err := source.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	select {
	case event, ok := <-w.ResultChan():
		t.Errorf("got %v, %v", event, ok)
	default:
	}
}
