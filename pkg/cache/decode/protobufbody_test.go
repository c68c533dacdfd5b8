package decode

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
)

// listableKinds are the built-in types that can be listed.
func listableKinds(t *testing.T) []schema.GroupVersionKind {
	t.Helper()
	var kinds []schema.GroupVersionKind
	for kind, goType := range scheme.Scheme.AllKnownTypes() {
		_, isObject := reflect.New(goType).Interface().(metav1.Object)
		if isObject && scheme.Scheme.Recognizes(kind.GroupVersion().WithKind(kind.Kind+"List")) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) < 100 {
		t.Fatalf("the scheme has %d listable types only", len(kinds))
	}
	return kinds
}

// realistic fills objects at random, with what a server can hold: JSON where JSON
// is embedded, times of whole seconds.
func realistic(seed int64) *randfill.Filler {
	funcs := fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, func(serializer.CodecFactory) []any {
		return []any{
			func(raw *runtime.RawExtension, c randfill.Continue) {
				raw.Raw = []byte(`{"kind":"X","b":1,"a":["` + c.String(9) + `"]}`)
				if !json.Valid(raw.Raw) {
					raw.Raw = []byte(`{"kind":"X"}`)
				}
			},
			func(text *string, c randfill.Continue) { *text = strings.ToValidUTF8(c.String(12), "?") },
		}
	})
	return fuzzer.FuzzerFor(funcs, rand.NewSource(seed), scheme.Codecs)
}

// stored is the object as a server has it that keeps it in protobuf.
func stored(t *testing.T, object runtime.Object) runtime.Object {
	t.Helper()
	kept := reflect.New(reflect.TypeOf(object).Elem()).Interface().(protobufObject)
	if err := kept.Unmarshal(messageOf(t, object)); err != nil {
		t.Fatal(err)
	}
	return kept
}

// messageOf is the object in protobuf, without an envelope.
func messageOf(t *testing.T, object runtime.Object) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := protobuf.NewRawSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What a server prints, and what is decoded of that, must not depend on the way
// an object came.
func TestAnObjectInProtobufIsTheObjectInJSON(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	for _, kind := range listableKinds(t) {
		typed := typedKindOf(kind)
		if typed == nil {
			t.Errorf("%s is not read from protobuf", kind)
			continue
		}
		for seed := range int64(rounds) {
			object, err := scheme.Scheme.New(kind)
			if err != nil {
				t.Fatal(err)
			}
			realistic(seed).Fill(object)
			object = stored(t, object)
			row, err := typed.row(messageOf(t, object), false)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			object.GetObjectKind().SetGroupVersionKind(kind)
			object.(metav1.Object).SetManagedFields(nil)
			expectSameJSON(t, object, row)
			if t.Failed() {
				t.Fatalf("of %s, filled by seed %d", kind, seed)
			}
		}
	}
}

// expectSameJSON compares a row with the JSON of its object.
func expectSameJSON(t *testing.T, object runtime.Object, row *cache.Row) {
	t.Helper()
	sent, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := kubejson.Unmarshal(sent, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, body(t, row)); diff != "" {
		t.Errorf("decoded: %s", diff)
	}
	text, err := row.Body.(cache.JSONBody).JSON()
	if err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(sorted), string(text)); diff != "" {
		t.Errorf("printed: %s", diff)
	}
	metadata := *reflect.ValueOf(object).Elem().FieldByName("ObjectMeta").Addr().Interface().(*metav1.ObjectMeta)
	if diff := cmp.Diff(metadata, row.ObjectMeta); diff != "" {
		t.Errorf("metadata: %s", diff)
	}
}

func TestKindsWithoutProtobufAreReadAsJSON(t *testing.T) {
	for _, kind := range []schema.GroupVersionKind{
		{Group: "factory.example.com", Version: "v1", Kind: "Widget"},
		{Group: "apps", Version: "v3", Kind: "Deployment"},
		{Version: "v1", Kind: "Pods"},
		{Version: "v1", Kind: "PodLogOptions"},
	} {
		if typedKindOf(kind) != nil {
			t.Errorf("%s has a struct", kind)
		}
	}
}

func TestManagedFieldsInProtobufAreKeptWhereAskedFor(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: managedMeta()}
	for _, keep := range []bool{false, true} {
		row, err := typedKindOf(podKind).row(messageOf(t, pod), keep)
		if err != nil {
			t.Fatal(err)
		}
		if has := len(row.ManagedFields) == 1; has != keep || row.Name != "a" {
			t.Errorf("the metadata is %+v", row.ObjectMeta)
		}
		if _, has := body(t, row)["metadata"].(map[string]any)["managedFields"]; has != keep {
			t.Errorf("the body has managedFields: %v", has)
		}
	}
}

func TestBytesThatAreNoObjectAreAnError(t *testing.T) {
	for name, message := range map[string][]byte{"no metadata": {}, "cut off": messageOf(t, &corev1.Pod{})[:1], "no protobuf": []byte("<html>")} {
		if _, err := typedKindOf(podKind).row(message, false); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	broken := &protobufBody{kind: typedKindOf(podKind), message: compress.Plain([]byte{0xff})}
	_, objectErr := broken.Object()
	_, mapsErr := broken.Unstructured()
	_, jsonErr := broken.JSON()
	if objectErr == nil || mapsErr == nil || jsonErr == nil {
		t.Errorf("errors %v, %v, %v", objectErr, mapsErr, jsonErr)
	}
}

// FuzzProtobufObject compares our reading in pieces with the generated reading
// of the whole.
func FuzzProtobufObject(f *testing.F) {
	pod := &corev1.Pod{ObjectMeta: managedMeta(), Spec: corev1.PodSpec{NodeName: "node-1"}}
	message, err := pod.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(message)
	f.Add(append(message, message...))
	typed := typedKindOf(podKind)
	f.Fuzz(func(t *testing.T, message []byte) {
		want := &corev1.Pod{}
		row, err := typed.row(message, false)
		if want.Unmarshal(message) != nil || err != nil {
			return
		}
		got, err := row.Body.(cache.TypedBody).Object()
		if err != nil {
			t.Fatalf("the whole can be read, its parts cannot: %v", err)
		}
		want.ManagedFields = nil
		want.SetGroupVersionKind(podKind)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want.ObjectMeta, row.ObjectMeta); diff != "" {
			t.Error(diff)
		}
	})
}
