package index

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

const paths = `
apiVersion: example.com/v1
kind: Widget
metadata:
  name: w
  generation: 7
  creationTimestamp: "2026-01-02T03:04:05Z"
  labels: {app.kubernetes.io/name: shop, plain: p, "*": star}
  annotations: {"a.b/c": quoted, "d,e": comma}
  finalizers: [f1, f2]
  managedFields: [{manager: kubectl}]
spec:
  replicas: 3
  big: 9007199254740993
  max: 9223372036854775807
  half: 2.50
  million: 1000000.0
  huge: 1e30
  small: 1e-7
  on-air: true
  off-air: false
  empty: ""
  none: null
  list: [a, b, a]
  mixed: [1, true, null, x, {k: v}, [nested]]
  map: {k: v}
  unicode: "日本 = ,"
  containers:
  - {name: c1, image: i1, ports: [{containerPort: 80}, {containerPort: 81}]}
  - {name: c2, image: i2, ports: [{containerPort: 90}]}
  - {name: c3, image: i3}
status:
  conditions:
  - {type: Ready, status: "True"}
  - {type: Live, status: "False"}
`

func TestFieldPaths(t *testing.T) {
	row := rowOf(t, paths)
	for _, tc := range []struct {
		path string
		want []string
	}{
		{"spec.replicas", []string{"3"}},
		{".spec.replicas", []string{"3"}},
		{"{spec.replicas}", []string{"3"}},
		{"{.spec.replicas}", []string{"3"}},
		{"{$.spec.replicas}", []string{"3"}},
		{"{ .spec.replicas }", []string{"3"}},
		{".spec['replicas']", []string{"3"}},
		{`.spec["replicas"]`, []string{"3"}},
		{".apiVersion", []string{"example.com/v1"}},
		{".kind", []string{"Widget"}},
		{".metadata.generation", []string{"7"}},
		{".metadata.creationTimestamp", []string{"2026-01-02T03:04:05Z"}},
		{`.metadata.labels.app\.kubernetes\.io/name`, []string{"shop"}},
		{".metadata.labels['app.kubernetes.io/name']", []string{"shop"}},
		{`.metadata.labels['app\.kubernetes\.io/name']`, []string{"shop"}},
		{".metadata.labels.app.kubernetes.io/name", nil},
		{".metadata.labels['*']", []string{"star"}},
		{".metadata.labels.*", []string{"p", "shop", "star"}},
		{".metadata.annotations['a.b/c']", []string{"quoted"}},
		{".metadata.annotations['d,e']", []string{"comma"}},
		{".metadata.finalizers", []string{"f1", "f2"}},
		{".metadata.finalizers[*]", []string{"f1", "f2"}},
		{".metadata.finalizers[1]", []string{"f2"}},
		{".metadata.managedFields[*].manager", []string{"kubectl"}},
		{".spec.big", []string{"9007199254740993"}},
		{".spec.max", []string{"9223372036854775807"}},
		{".spec.half", []string{"2.5"}},
		{".spec.million", []string{"1000000"}},
		{".spec.huge", []string{"1e+30"}},
		{".spec.small", []string{"1e-7"}},
		{".spec.on-air", []string{"true"}},
		{".spec.off-air", []string{"false"}},
		{".spec.empty", []string{""}},
		{".spec.none", nil},
		{".spec.absent", nil},
		{".spec.absent.deeper[*].still", nil},
		{".spec.replicas.deeper", nil},
		{".spec.replicas[*]", nil},
		{".spec.map", nil},
		{".spec.map[*]", nil},
		{".spec", nil},
		{".spec.list", []string{"a", "b"}},
		{".spec.list[*]", []string{"a", "b"}},
		{".spec.list[-1]", []string{"a"}},
		{".spec.list[1:]", []string{"a", "b"}},
		{".spec.list[9]", nil},
		{".spec.mixed", []string{"1", "true", "x"}},
		{".spec.unicode", []string{"日本 = ,"}},
		{".spec.containers[*].image", []string{"i1", "i2", "i3"}},
		{".spec.containers.image", nil},
		{".spec.containers[*].ports[*].containerPort", []string{"80", "81", "90"}},
		// One container has fewer ports, one has none: the others still count.
		{".spec.containers[*].ports[1].containerPort", []string{"81"}},
		{".spec.containers[0]['name','image']", []string{"c1", "i1"}},
		{"..containerPort", []string{"80", "81", "90"}},
		{".spec..containerPort", []string{"80", "81", "90"}},
		{`.status.conditions[?(@.type=="Ready")].status`, []string{"True"}},
		{`.status.conditions[?(@.type!="Ready")].status`, []string{"False"}},
		{`.status.conditions[?(@.type=="]=")].status`, nil},
		{`.metadata.managedFields[?(@.manager=="kubectl")].manager`, []string{"kubectl"}},
	} {
		t.Run(tc.path, func(t *testing.T) {
			p, err := fieldpath.Parse(tc.path)
			if err != nil {
				t.Fatal(err)
			}
			wantValues(t, onPath("p", p), row, tc.want)
			again, err := fieldpath.Parse(p.String())
			if err != nil || again.String() != p.String() {
				t.Fatalf("its own spelling %s is read as %s (%v)", p, again, err)
			}
			wantValues(t, onPath("p", again), row, tc.want)
		})
	}
}

func TestAPathUnderMetadataNeedsNoMore(t *testing.T) {
	row := rowOf(t, paths)
	for path, want := range map[string]cache.Representation{
		"metadata.labels['app.kubernetes.io/name']":         cache.Metadata,
		"metadata.creationTimestamp":                        cache.Metadata,
		"metadata.generation":                               cache.Metadata,
		"metadata.finalizers[1]":                            cache.Metadata,
		"{.kind}":                                           cache.Metadata,
		".apiVersion":                                       cache.Metadata,
		"metadata.managedFields[*].manager":                 cache.ManagedFields,
		`metadata.managedFields[?(@.manager!="x")].manager`: cache.ManagedFields,
		"spec.replicas":                                     cache.Whole,
		".metadataX.name":                                   cache.Whole,
		"..image":                                           cache.Whole,
		"{.*}":                                              cache.Whole,
	} {
		d := mustLookup(t, targetFor(row), path)
		if d.Needs != want {
			t.Errorf("%s needs %s, want %s", path, d.Needs, want)
		}
		if want.Has(cache.Whole) {
			continue
		}
		if values := d.Values(row); len(values) == 0 || !slices.Equal(values, d.Values(metadataOf(row))) {
			t.Errorf("%s: %q of the whole object, %q of its metadata", path, values, d.Values(metadataOf(row)))
		}
	}
}

// Beneath metadata a recursive descent comes to managedFields too.
func TestADescentIsGivenTheManagedFieldsItAsksFor(t *testing.T) {
	row := rowOf(t, paths)
	d := mustLookup(t, targetFor(row), "metadata..manager")
	if !d.Needs.Has(cache.ManagedFields) {
		t.Errorf("needs %s", d.Needs)
	}
	wantValues(t, d, row, []string{"kubectl"})
}

func TestPathsThatAreNone(t *testing.T) {
	for _, path := range []string{
		"", ".", "{}", "{.}", "{", "{.a", "a.", ".a b", "a.b,c", ".a{.b}", "{.a}{.b}", "x{.a}", "{.a} x", "[", ".a[", ".a[b]",
		".a['b", ".a['']", "{range .a[*]}{.b}{end}", "{.a}{range .b[*]}", ".a[?(@.b==c)]", ".a[?(b)]", ".a[?(@.b==",
		".a['b','']", "{..}{end}", `.a\\b`, `.a['b\\c']`,
	} {
		if p, err := fieldpath.Parse(path); err == nil {
			t.Errorf("%q is read as %s", path, p)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", path)) {
			t.Errorf("%q: the error does not name it: %v", path, err)
		}
	}
}

// Where kubectl's own JSONPath answers, an index holds the same.
func FuzzPathsAgreeWithJSONPath(f *testing.F) {
	for _, path := range []string{
		".spec.replicas", ".metadata.labels.plain", `.metadata.labels.app\.kubernetes\.io/name`, ".spec.containers[*].image",
		".spec.containers[*].ports[0].containerPort", "..image", ".spec.*", ".spec.containers[0:2].name", "..containers[*].name",
		`.status.conditions[?(@.type=="Ready")].status`, ".spec['replicas']", ".metadata.finalizers[-1]", ".spec.list[*]",
		".spec.containers[?(@.name)].image", ".spec['on-air','off-air']", ".a.b[*][*].c", ".[0]", ".spec. list", `\.`, ".a\\",
	} {
		f.Add(path)
	}
	row := rowOf(f, paths)
	object, err := row.Unstructured()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		p, err := fieldpath.Parse(path)
		if err != nil {
			return
		}
		got := valuesAt(p, &view{row: row})
		// Quoted keys and backslashes before backslashes are read better here.
		if !strings.HasPrefix(path, ".") || strings.ContainsAny(path, `{}"'$@`) || strings.Contains(path, `\\`) {
			return
		}
		reference := jsonpath.New("reference").AllowMissingKeys(true)
		if reference.Parse("{"+path+"}") != nil {
			return
		}
		results, err := reference.FindResults(object.Object)
		if err != nil {
			return
		}
		want := flatten(results)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, client-go finds %q", path, got, want)
		}
	})
}

// flatten turns JSONPath's results into indexed values.
func flatten(results [][]reflect.Value) []string {
	var values []string
	for _, part := range results {
		for _, value := range part {
			if value.Kind() != reflect.Uint8 {
				fieldpath.Texts(value, func(s string) { values = append(values, s) })
			}
		}
	}
	return values
}

// Any object that JSON can say, however broken, and every index over it.
func FuzzIndexFunctionsOnAnyObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, `{"metadata":null,"spec":null,"status":null}`, `{"spec":{"containers":[null,1,"x",{}],"volumes":{"a":1}}}`,
		`{"spec":{"template":{"spec":{"containers":[{"name":"a","env":{},"envFrom":[[]]}]}}}}`, `{"status":{"conditions":[{"type":1}]}}`,
		`{"spec":{"replicas":-1,"ordinals":{"start":9223372036854775807},"volumeClaimTemplates":[{"metadata":{"name":1}}]}}`,
		`{"spec":{"replicas":"many","volumeClaimTemplates":"x"}}`, `{"subjects":[{"kind":"ServiceAccount","name":{}}]}`,
		`{"spec":{"a":{"limits":{"cpu":"1e999999999"}}}}`, `{"spec":[[[[[[{"containers":[{"name":"x"}]}]]]]]]}`, `{"a":1e400}`,
	} {
		f.Add([]byte(seed), ".spec.limits.cpu")
	}
	f.Add([]byte(`{"a":[1,"x",{"b":null}]}`), "..b")
	f.Add([]byte(`{"a":["x",{"b":1}]}`), `.a[?(@.b>0)].b`)
	f.Add([]byte(`{"a":"text"}`), ".a.*")
	f.Add([]byte(`{"limits":{"cpu":"999999999999999999Ei"}}`), "..limits.cpu")
	definitions := everyDefinition(f)
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		var object map[string]any
		if err := kubejson.Unmarshal(data, &object); err != nil {
			object = map[string]any{"data": string(bytes.ToValidUTF8(data, nil))}
		}
		row := &cache.Row{Body: cache.MapBody(object)}
		for _, d := range definitions {
			mustNotFail(t, d, row)
		}
		if p, err := fieldpath.Parse(path); err == nil {
			mustNotFail(t, onPath("path", p), row)
		}
	})
}

// everyDefinition returns the indexes of every kind, those that read alike once.
func everyDefinition(t testing.TB) []Definition {
	kinds := slices.Collect(maps.Keys(servedKinds()))
	kinds = append(kinds, schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	distinct := map[string]Definition{}
	for _, kind := range kinds {
		target := targetOf(kind)
		target.Context = "west"
		for _, d := range mustRegistry(t, "user={.spec.x}").For(target) {
			distinct[d.Name+" reads "+d.Reads] = d
		}
	}
	return slices.Collect(maps.Values(distinct))
}

func mustNotFail(t *testing.T, d Definition, row *cache.Row) {
	t.Helper()
	values, err := d.Func(row)
	if err != nil {
		t.Errorf("index %q: %v", d.Name, err)
	}
	if !slices.IsSorted(values) || len(slices.Compact(slices.Clone(values))) != len(values) {
		t.Errorf("index %q: %q is not sorted, each once", d.Name, values)
	}
}
