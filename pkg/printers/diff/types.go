package diff

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	merge "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// types knows the types below one object's: what is a list with keys, and which.
type types struct {
	schema *merge.Schema
	root   merge.TypeRef
}

// typesOf returns the types of a built-in kind. Of any other kind only its
// metadata is known. client-go reads its schema when it is first asked (80 ms),
// and keeps it.
func typesOf(kind schema.GroupVersionKind) types {
	if known, ok := builtIn(kind); ok {
		return known
	}
	// Every kind has the same metadata: any built-in one's will do.
	other, ok := builtIn(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	if !ok {
		return types{schema: &merge.Schema{}}
	}
	metadata := merge.StructField{Name: "metadata", Type: other.field(other.root, "metadata")}
	other.root = merge.TypeRef{Inlined: merge.Atom{Map: &merge.Map{Fields: []merge.StructField{metadata}}}}
	return other
}

func builtIn(kind schema.GroupVersionKind) (types, bool) {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(kind)
	typed, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(empty)
	if err != nil {
		return types{}, false
	}
	return types{schema: typed.Schema(), root: typed.TypeRef()}, true
}

// field is the type of a map's member; the zero type where it is not known.
func (t types) field(ref merge.TypeRef, name string) merge.TypeRef {
	atom, ok := t.schema.Resolve(ref)
	if !ok || atom.Map == nil {
		return merge.TypeRef{}
	}
	if field, ok := atom.Map.FindField(name); ok {
		return field.Type
	}
	return atom.Map.ElementType
}

// items is the type of a list's items, and the keys that tell them apart; none
// where the type does not say.
func (t types) items(ref merge.TypeRef) (item merge.TypeRef, keys []string) {
	atom, ok := t.schema.Resolve(ref)
	if !ok || atom.List == nil {
		return merge.TypeRef{}, nil
	}
	return atom.List.ElementType, atom.List.Keys
}
