package index

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// structBody is a whole object as a Go struct.
type structBody struct{ object runtime.Object }

func (b structBody) Object() (runtime.Object, error) { return b.object, nil }

func (b structBody) Unstructured() (*unstructured.Unstructured, error) {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(b.object)
	return &unstructured.Unstructured{Object: object}, err
}

// filler fills API structs as a server could, zero values and absent fields among them.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).MaxDepth(14).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(5000), resource.DecimalSI)
		},
		func(i *intstr.IntOrString, c randfill.Continue) { *i = intstr.FromInt32(c.Int31n(3)) },
		func(at *metav1.Time, c randfill.Continue) {
			*at = metav1.Time{Time: time.Unix(c.Int63n(3)*1e9, 0).UTC()}
		},
		func(at *metav1.MicroTime, c randfill.Continue) {
			*at = metav1.MicroTime{Time: time.Unix(c.Int63n(3)*1e9, 0).UTC()}
		},
		func(f *metav1.FieldsV1, _ randfill.Continue) { *f = metav1.FieldsV1{Raw: []byte(`{"f:a":{}}`)} },
		func(raw *runtime.RawExtension, _ randfill.Continue) {
			raw.Raw = []byte(`{"spec":{"template":{"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}}}`)
		},
		func(s *string, c randfill.Continue) { *s = fmt.Sprint("s", c.Intn(3))[:c.Intn(3)] },
	)
}

// scalarPaths returns the path of every field of an object that a path can name.
func scalarPaths(node any, path string) []string {
	var found []string
	if path != "" {
		found = append(found, path)
	}
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			if name != "" && !strings.Contains(name, `\`) {
				found = append(found, scalarPaths(child, path+fieldpath.Spell(name))...)
			}
		}
	case []any:
		for _, child := range node {
			found = append(found, scalarPaths(child, path+"[*]")...)
		}
	}
	return found
}

// An index must not depend on the form in which an object is kept: what a struct
// leaves out of its JSON has no value, and all else has the value in the JSON.
func TestStructsAndMapsHaveTheSameValues(t *testing.T) {
	objects := 5
	if testing.Short() {
		objects = 1
	}
	seed := int64(1)
	for kind, typ := range servedKinds() {
		parsed := map[string]*fieldpath.Path{} // once for all objects of a kind
		for range objects {
			seed++
			object := reflect.New(typ).Interface().(runtime.Object)
			filler(seed).Fill(object)
			object.GetObjectKind().SetGroupVersionKind(kind)
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				t.Fatal(err)
			}
			wantSameValues(t, kind, object, content, parsed)
		}
	}
}

func wantSameValues(t *testing.T, kind schema.GroupVersionKind, object runtime.Object, content map[string]any, parsed map[string]*fieldpath.Path) {
	t.Helper()
	maps := rowOfMap(t, content)
	structs := &cache.Row{TypeMeta: maps.TypeMeta, ObjectMeta: maps.ObjectMeta, Body: structBody{object}}
	for _, d := range mustRegistry(t, "recursive=..name").For(targetOf(kind)) {
		if got, want := d.Values(structs), d.Values(maps); !slices.Equal(got, want) {
			t.Errorf("%s, index %q: %q of the struct, %q of the maps", kind, d.Name, got, want)
		}
	}
	for _, path := range scalarPaths(content, "") {
		p := parsed[path]
		if p == nil {
			var err error
			if p, err = fieldpath.Parse(path); err != nil {
				t.Fatal(err)
			}
			parsed[path] = p
		}
		want := valuesAt(p, &view{row: maps})
		if got := valuesAt(p, &view{row: structs}); !slices.Equal(got, want) {
			t.Errorf("%s%s: %q of the struct, %q of the maps", kind, p, got, want)
		}
		if p.Needs() != cache.Whole {
			got := valuesAt(p, &view{row: metadataOf(maps)})
			if !slices.Equal(got, want) {
				t.Errorf("%s%s: %q of the metadata, %q of the whole", kind, p, got, want)
			}
		}
	}
}

// countedBody is decoded whenever it is asked for, and may be broken.
type countedBody struct {
	structBody
	err     error
	decoded int
}

func (b *countedBody) Object() (runtime.Object, error) {
	b.decoded++
	return b.object, b.err
}

func TestAnObjectIsDecodedOnceForAllItsIndexes(t *testing.T) {
	body := &countedBody{structBody: structBody{&corev1.Pod{Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Image: "nginx"}}}}}}
	row := &cache.Row{Body: body}
	definitions := []Definition{mustLookup(t, podTarget(), "node"), mustLookup(t, podTarget(), "image"), mustLookup(t, podTarget(), ".spec.nodeName")}
	if _, err := Transform(definitions...)(row); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"node-1", "nginx", "node-1"} {
		if got := definitions[i].Values(row); !slices.Equal(got, []string{want}) {
			t.Errorf("%s has %q", definitions[i].Name, got)
		}
	}
	if body.decoded != 1 {
		t.Errorf("decoded %d times", body.decoded)
	}
}

func TestAnObjectThatCannotBeDecodedHasNoValues(t *testing.T) {
	row := &cache.Row{Body: &countedBody{err: errors.New("no protobuf")}}
	if got := mustLookup(t, podTarget(), "node").Values(row); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}
