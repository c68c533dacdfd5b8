package index

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestParseQuery(t *testing.T) {
	for _, tc := range []struct {
		by    string
		name  string
		not   bool
		value string
	}{
		{by: "node=n1", name: "node", value: "n1"},
		{by: "node!=n1", name: "node", not: true, value: "n1"},
		{by: "label=app=web", name: "label", value: "app=web"},
		{by: "label!=app!=web", name: "label", not: true, value: "app!=web"},
		{by: "label=app", name: "label", value: "app"},
		{by: "image=", name: "image"},
		{by: "image!=", name: "image", not: true},
		{by: "image==", name: "image"},
		{by: "image==x", name: "image", value: "x"},
		{by: "image===x", name: "image", value: "=x"},
		{by: "image====x", name: "image", value: "==x"},
		{by: "image!==x", name: "image", not: true, value: "=x"},
		{by: "image==@@x", name: "image", value: "@x"},
		{by: "annotation=note=a, b=c", name: "annotation", value: "note=a, b=c"},
		{by: "annotation=note=日本 \t\n'\"[{(", name: "annotation", value: "note=日本 \t\n'\"[{("},
		{by: "name=@@home", name: "name", value: "@home"},
		{by: "name=@@@home", name: "name", value: "@@home"},
		{by: "name=a@b", name: "name", value: "a@b"},
		{by: "spec.nodeName=n1", name: "spec.nodeName", value: "n1"},
		{by: `.metadata.labels.a\.b/c=d`, name: `.metadata.labels.a\.b/c`, value: "d"},
		{by: `.data.a\=b=c`, name: `.data.a\=b`, value: "c"},
		{by: ".data['a=b']!=c=d", name: ".data['a=b']", not: true, value: "c=d"},
		{by: ".data['a]=b']=c", name: ".data['a]=b']", value: "c"},
		{by: `.c[?(@.type=="Ready")].status=True`, name: `.c[?(@.type=="Ready")].status`, value: "True"},
		{by: `{.c[?(@.type!="a=]}")].status}!=True`, name: `{.c[?(@.type!="a=]}")].status}`, not: true, value: "True"},
		{by: ".spec.containers[*].image=nginx:1.27", name: ".spec.containers[*].image", value: "nginx:1.27"},
	} {
		q, err := ParseQuery([]string{tc.by})
		if err != nil {
			t.Errorf("%s: %v", tc.by, err)
			continue
		}
		got := q.terms[0]
		if got.name != tc.name || got.not != tc.not || !slices.Equal(got.values, []string{tc.value}) || got.reference != nil || got.empty != (tc.value == "") {
			t.Errorf("%s is read as %+v", tc.by, got)
		}
	}
}

func TestByThatIsNoExpression(t *testing.T) {
	for by, reason := range map[string]string{
		"":             "expected NAME=VALUE or NAME!=VALUE",
		"node":         "expected NAME=VALUE or NAME!=VALUE",
		"node!":        "expected NAME=VALUE or NAME!=VALUE",
		".a['b=c":      "expected NAME=VALUE or NAME!=VALUE",
		`.a[?(@.b=="c`: "expected NAME=VALUE or NAME!=VALUE",
		`.a\=`:         "expected NAME=VALUE or NAME!=VALUE",
		"=x":           "expected a NAME before the operator",
		"!=x":          "expected a NAME before the operator",
		"node=@pod":    "expected @TYPE/OBJECT or @TYPE/NAMESPACE/OBJECT (@@ is a literal @)",
		"node=@":       "expected @TYPE/OBJECT",
		"node=@/x":     "expected @TYPE/OBJECT",
		"node=@pod/":   "expected @TYPE/OBJECT",
		"node=@p//x":   "expected @TYPE/OBJECT",
		"node=@p/a/b/": "expected @TYPE/OBJECT",
	} {
		_, err := ParseQuery([]string{"name=x", by})
		if err == nil || !strings.Contains(err.Error(), reason) || !strings.HasPrefix(err.Error(), `invalid --by "`) {
			t.Errorf("%q: %v", by, err)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"node=n1", `{.a[?(@.b=="}")]}!=@pod/x`, "a[{('\"\\", "=@@", ".a\\", "@/=@/", "{[{['=", "日=本"} {
		f.Add(seed)
	}
	pods := targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	f.Fuzz(func(t *testing.T, by string) {
		q, err := ParseQuery([]string{by})
		if err != nil {
			return
		}
		if name := q.terms[0].name; name == "" || !strings.HasPrefix(by, name) {
			t.Errorf("%q has the name %q", by, name)
		}
		_, _ = q.Bind(mustRegistry(t), pods)
	})
}

// Whatever a value holds, it can be asked for: only its leading @ is doubled, and
// the = before a leading =.
func FuzzEveryValueCanBeAskedFor(f *testing.F) {
	for _, seed := range []string{"", "=", "==x", "!=x", "@", "@@", "@a/b", "a,b", " a ", "日本", "\x00", "{", "['"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		asked := value
		if strings.HasPrefix(value, "@") {
			asked = "@" + value
		}
		for _, operator := range []string{"=", "!="} {
			by := ".data['k']" + operator + asked
			if operator == "=" && strings.HasPrefix(value, "=") {
				by = ".data['k']==" + asked
			}
			q, err := ParseQuery([]string{by})
			if err != nil {
				t.Fatal(err)
			}
			if got := q.terms[0]; got.values[0] != value || got.not != (operator == "!=") || got.reference != nil {
				t.Errorf("%q is read as %+v", by, got)
			}
		}
	})
}

func TestReferencesAreResolvedBeforeTheQueryIsBound(t *testing.T) {
	q, err := ParseQuery([]string{"node=@pod/web-1", "node=n9", "owner!=@deployments.v1.apps/shop/web", "node=@pod/web-1", "name=@@x"})
	if err != nil {
		t.Fatal(err)
	}
	references := q.References()
	want := []Reference{
		{Index: "node", Type: "pod", Object: "web-1"},
		{Index: "owner", Type: "deployments.v1.apps", Namespace: "shop", Object: "web"},
	}
	if !slices.Equal(references, want) {
		t.Fatalf("references are %+v", references)
	}
	if references[0].String() != "@pod/web-1" || references[1].String() != "@deployments.v1.apps/shop/web" {
		t.Errorf("references are spelled %s, %s", references[0], references[1])
	}
	pods := targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	partly := q.Resolve(map[Reference][]string{want[0]: {"n1", "n2"}})
	if _, err := partly.Bind(mustRegistry(t), pods); err == nil || !strings.Contains(err.Error(), "@deployments.v1.apps/shop/web has not been looked up") {
		t.Errorf("bound with an unknown reference: %v", err)
	}
	resolved := partly.Resolve(map[Reference][]string{want[1]: {"X/owner"}})
	b, err := resolved.Bind(mustRegistry(t), pods)
	if err != nil {
		t.Fatal(err)
	}
	for manifest, match := range map[string]bool{
		"{kind: Pod, metadata: {name: '@x'}, spec: {nodeName: n1}}":                                            true,
		"{kind: Pod, metadata: {name: '@x'}, spec: {nodeName: n2}}":                                            true,
		"{kind: Pod, metadata: {name: '@x'}, spec: {nodeName: n9}}":                                            true,
		"{kind: Pod, metadata: {name: '@x'}, spec: {nodeName: n3}}":                                            false,
		"{kind: Pod, metadata: {name: 'x'}, spec: {nodeName: n1}}":                                             false,
		"{kind: Pod, metadata: {name: '@x', ownerReferences: [{kind: X, name: owner}]}, spec: {nodeName: n1}}": false,
	} {
		if got := b.Match(rowOf(t, manifest)); got != match {
			t.Errorf("%s: %v", manifest, got)
		}
	}
	if len(q.References()) != 2 {
		t.Error("the query itself was changed")
	}
}

// Of a reference too, a doubled = is one.
func TestAReferenceBehindADoubledSign(t *testing.T) {
	q, err := ParseQuery([]string{"node==@pod/web-1"})
	if err != nil || !slices.Equal(q.References(), []Reference{{Index: "node", Type: "pod", Object: "web-1"}}) {
		t.Errorf("%+v, %v", q, err)
	}
}

// An object that has the value "" has neighbours: they are not those without any.
func TestAReferenceToAnEmptyValueIsNotAboutObjectsWithoutOne(t *testing.T) {
	pods := targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	q, err := ParseQuery([]string{".data.k=@cm/x"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.Resolve(map[Reference][]string{q.References()[0]: {""}}).Bind(mustRegistry(t), pods)
	if err != nil {
		t.Fatal(err)
	}
	if !b.Match(rowOf(t, "{kind: Pod, metadata: {name: x}, data: {k: ''}}")) || b.Match(rowOf(t, "{kind: Pod, metadata: {name: x}}")) {
		t.Error("it is not that of the value alone")
	}
}

// A pod that is on no node has no neighbours; nor is everything its neighbour.
func TestAReferenceWithoutValuesMatchesNothing(t *testing.T) {
	pods := targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	row := rowOf(t, "{kind: Pod, metadata: {name: x}}")
	for by, want := range map[string]bool{"node=@pod/pending": false, "node!=@pod/pending": true} {
		q, err := ParseQuery([]string{by})
		if err != nil {
			t.Fatal(err)
		}
		b, err := q.Resolve(map[Reference][]string{q.References()[0]: nil}).Bind(mustRegistry(t), pods)
		if err != nil {
			t.Fatal(err)
		}
		indexer := indexerOf(t, b.Indexers(), row)
		if got := b.Match(row); got != want || len(b.Select(indexer)) == 1 != want {
			t.Errorf("%s: match %v, selected %d", by, got, len(b.Select(indexer)))
		}
	}
}

func TestAQueryThatAsksNothingSelectsEverything(t *testing.T) {
	q, err := ParseQuery(nil)
	if err != nil || !q.Empty() {
		t.Fatalf("%+v, %v", q, err)
	}
	pods := targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	b, err := q.Bind(mustRegistry(t), pods)
	if err != nil {
		t.Fatal(err)
	}
	row := rowOf(t, "{kind: Pod, metadata: {name: x}}")
	if !b.Match(row) || len(b.Select(indexerOf(t, b.Indexers(), row))) != 1 {
		t.Error("it does not")
	}
}
