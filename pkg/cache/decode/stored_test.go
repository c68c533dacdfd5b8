package decode

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
)

// A row of each form is, after it was stored, what it was before.
func TestAStoredRowIsReadAsItWas(t *testing.T) {
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	widget := schema.GroupVersionKind{Group: "factory.example.com", Version: "v1", Kind: "Widget"}
	meta := metav1.ObjectMeta{
		Name: "a", Namespace: "shop", UID: "1", ResourceVersion: "7", CreationTimestamp: metav1.Unix(1_700_000_000, 0),
		Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"text": "ü <b>\x01"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "2"}},
		ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{}}`)}}},
	}
	typed, err := typedKindOf(pod).row(messageOf(t, &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "node-1"}}), true)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		kind schema.GroupVersionKind
		row  *cache.Row
	}{
		"metadata": {pod, &cache.Row{ObjectMeta: meta}},
		"cells":    {pod, &cache.Row{ObjectMeta: meta, Cells: []any{"a", int64(1 << 60), 1.5, true, nil, "1/1"}}},
		"protobuf": {pod, typed},
		"JSON":     {widget, &cache.Row{ObjectMeta: meta, Body: jsonBody{compress.Plain([]byte(`{"spec":{"serial":9007199254740993,"price":1.0}}`))}}},
	} {
		t.Run(name, func(t *testing.T) {
			row := test.row
			row.TypeMeta = typeMeta(test.kind)
			codec := NewStored(test.kind)
			data, err := codec.Append([]byte("before"), row)
			if err != nil {
				t.Fatal(err)
			}
			got, err := codec.Read(data[len("before"):])
			if err != nil {
				t.Fatal(err)
			}
			if row.Body != nil {
				before, _ := row.Body.(cache.JSONBody).JSON()
				after, err := got.Body.(cache.JSONBody).JSON()
				if err != nil || string(before) != string(after) {
					t.Errorf("got  %s, %v\nwant %s", after, err, before)
				}
			}
			got.Body, row.Body = nil, nil
			if !cache.SameContent(got, row) || got.TypeMeta != row.TypeMeta {
				t.Errorf("got  %+v\nwant %+v", got, row)
			}
			for end := range len(data) - len("before") {
				_, _ = codec.Read(data[len("before"):][:end]) // whatever is cut off: no panic
			}
		})
	}
}

// What is in no kind of ours comes as maps, and goes as JSON.
func TestMapsAreStoredAsJSON(t *testing.T) {
	codec := NewStored(schema.GroupVersionKind{Group: "factory.example.com", Version: "v1", Kind: "Widget"})
	data, err := codec.Append(nil, &cache.Row{Body: cache.MapBody{"kind": "Widget", "apiVersion": "factory.example.com/v1", "spec": map[string]any{"size": int64(4)}}})
	if err != nil {
		t.Fatal(err)
	}
	row, err := codec.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if object, err := row.Unstructured(); err != nil || object.Object["spec"].(map[string]any)["size"] != int64(4) {
		t.Errorf("got %v, %v", object, err)
	}
}

func TestWhatIsNoStoredRowIsAnError(t *testing.T) {
	for name, data := range map[string]string{
		"a number":         "\x08\x01",
		"an unknown field": "\x7a\x01a",
		"bytes cut off":    "\x0a\x05a",
		"no protobuf type": "\x1a\x01a",
	} {
		if _, err := NewStored(schema.GroupVersionKind{Version: "v1", Kind: "Nothing"}).Read([]byte(data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
