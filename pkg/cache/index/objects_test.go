package index

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/value"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// rowOf makes a row with every field of a manifest.
func rowOf(t testing.TB, manifest string) *cache.Row {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{}
	if err := kubejson.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	return rowOfMap(t, object)
}

func rowOfMap(t testing.TB, object map[string]any) *cache.Row {
	t.Helper()
	row := &cache.Row{Body: cache.MapBody(object)}
	row.APIVersion, _ = object["apiVersion"].(string)
	row.Kind, _ = object["kind"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(metadata, &row.ObjectMeta); err != nil {
		t.Fatal(err)
	}
	return row
}

// metadataOf is the row as it is kept where metadata alone was asked for.
func metadataOf(row *cache.Row) *cache.Row {
	return &cache.Row{TypeMeta: row.TypeMeta, ObjectMeta: row.ObjectMeta}
}

func targetOf(kind schema.GroupVersionKind) cache.Target {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return cache.Target{Resource: resource, Kind: kind, Namespaced: true}
}

func targetFor(row *cache.Row) cache.Target {
	return targetOf(schema.FromAPIVersionAndKind(row.APIVersion, row.Kind))
}

func mustLookup(t testing.TB, target cache.Target, name string) Definition {
	t.Helper()
	d, err := mustRegistry(t).Lookup(target, name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustRegistry(t testing.TB, definitions ...string) *Registry {
	t.Helper()
	r, err := NewRegistry(definitions)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustBind(t testing.TB, target cache.Target, by ...string) *Bound {
	t.Helper()
	q, err := ParseQuery(by)
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.Bind(mustRegistry(t), target)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantValues compares without order; want may be nil.
func wantValues(t *testing.T, d Definition, row *cache.Row, want []string) {
	t.Helper()
	got, err := d.Func(row)
	if err != nil {
		t.Fatalf("index %q: %v", d.Name, err)
	}
	want = slices.Sorted(slices.Values(want))
	if len(got) != 0 || len(want) != 0 {
		if !slices.Equal(got, want) {
			t.Errorf("index %q of %s %s:\n got %q\nwant %q", d.Name, row.Kind, row.Name, got, want)
		}
	}
}

// namePlaces gives every string in an API struct the text of its own path, one
// element to every list and one entry to every map, so that a value tells where
// it was read.
func namePlaces(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		namePlaces(v.Elem(), path)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			namePlaces(v.Index(0), path+"[*]")
		}
	case reflect.String:
		v.SetString(path)
	case reflect.Struct:
		entry := value.TypeReflectEntryOf(v.Type())
		if entry.CanConvertToUnstructured() || v.Type() == reflect.TypeFor[metav1.ManagedFieldsEntry]() {
			return
		}
		for name, field := range entry.Fields() {
			at := strings.TrimPrefix(path+"."+name, ".")
			if at == "kind" || at == "apiVersion" || strings.Count(at, ".") > 12 {
				continue
			}
			namePlaces(field.GetFrom(v), at)
		}
	}
}

// leaves returns the path of every string that is the text of its path.
func leaves(node any, path string) []string {
	var found []string
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			found = append(found, leaves(child, strings.TrimPrefix(path+"."+name, "."))...)
		}
	case []any:
		for _, child := range node {
			found = append(found, leaves(child, path+"[*]")...)
		}
	case string:
		if node == path {
			found = append(found, path)
		}
	}
	return found
}
