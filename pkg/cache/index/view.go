package index

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// view is one row as index functions read it. It decodes the row once at most,
// and is used by one goroutine.
type view struct {
	row     *cache.Row
	object  map[string]any
	decoded bool
	// typed is the object as a struct, once it was asked for.
	typed reflect.Value
}

// root is what the path starts from: never more of the object than it needs.
func (v *view) root(path *fieldpath.Path) reflect.Value {
	whole, structs := path.Needs().Has(cache.Whole), path.WalksStructs()
	switch {
	case whole && structs:
		return v.whole()
	case whole:
		return reflect.ValueOf(v.maps())
	case structs:
		return reflect.ValueOf(v.metadata())
	default:
		return reflect.ValueOf(v.metadataMaps())
	}
}

// whole is the object with every field that the row has: a pointer to a struct,
// or nested maps.
func (v *view) whole() reflect.Value {
	body, ok := v.row.Body.(cache.TypedBody)
	if !ok {
		return reflect.ValueOf(v.maps())
	}
	if !v.typed.IsValid() {
		object, err := body.Object()
		if err != nil {
			object = &metav1.PartialObjectMetadata{}
		}
		v.typed = reflect.ValueOf(object)
	}
	return v.typed
}

// maps is the object as nested maps; empty if it cannot be read.
func (v *view) maps() map[string]any {
	if !v.decoded {
		v.decoded = true
		if object, err := v.row.Unstructured(); err == nil {
			v.object = object.Object
		}
	}
	return v.object
}

// metadata is the object's type and metadata alone, which every row has.
func (v *view) metadata() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: v.row.TypeMeta, ObjectMeta: v.row.ObjectMeta}
}

// metadataMaps is metadata as nested maps; empty if it cannot be read.
func (v *view) metadataMaps() map[string]any {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(v.metadata())
	if err != nil {
		return nil
	}
	return object
}
