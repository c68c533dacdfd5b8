package fieldlabel_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldlabel"
)

const document = `{"components":{"schemas":{
  "com.example.v1.Widget": {"type":"object",
    "properties":{"spec":{"type":"object","properties":{
      "color":{"type":"string"},"on":{"type":"boolean"},"size":{"type":"integer"}}}},
    "x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Widget","version":"v1"}],
    "x-kubernetes-selectable-fields":[{"fieldPath":"spec.color"},{"fieldPath":".spec.on"},{"fieldPath":"spec.size"},{"fieldPath":"spec.gone.x"}]},
  "com.example.v1.Gadget": {"x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Gadget","version":"v1"}],
    "x-kubernetes-selectable-fields":[{"fieldPath":"spec.weight"}]},
  "nothing": null,
  "com.example.v1.WidgetList": {"x-kubernetes-group-version-kind":[{"group":"example.com","kind":"WidgetList","version":"v1"}]}}}}`

func TestATypeDeclaresFieldsByWhichItIsSelected(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	got, err := fieldlabel.Declared([]byte(document), kind)
	want := []fieldlabel.Field{{Path: "spec.color", IsText: true}, {Path: "spec.on"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, other := range []schema.GroupVersionKind{
		{Group: "example.com", Version: "v2", Kind: "Widget"}, {Group: "example.com", Version: "v1", Kind: "Gadget"},
		{Group: "other.com", Version: "v1", Kind: "Widget"},
	} {
		if got, err := fieldlabel.Declared([]byte(document), other); err != nil || len(got) > 0 {
			t.Errorf("%v: got %v, %v", other, got, err)
		}
	}
	if _, err := fieldlabel.Declared([]byte("<html>"), kind); err == nil {
		t.Error("a page is no document")
	}
}
