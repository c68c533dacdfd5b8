package dump

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

// object is one object of a dump: what has to be known of all, and the JSON that
// it was read as.
type object struct {
	kind                             schema.GroupVersionKind
	namespace, name, resourceVersion string
	uid                              types.UID
	// raw may lack apiVersion and kind, as the items of a typed list do.
	raw    []byte
	origin origin
	// deleted says that the last that is known of the object is its deletion.
	deleted bool
}

// objectMeta is ObjectMeta with managedFields, often its greater part, left
// undecoded.
type objectMeta struct {
	metav1.ObjectMeta
	ManagedFields span `json:"managedFields"`
}

// metadata decodes the object's metadata, which was found to be sound when the
// object was read. managedFields that cannot be read are none.
func (o *object) metadata(managedFields bool) metav1.ObjectMeta {
	var wire struct {
		Metadata objectMeta `json:"metadata"`
	}
	if err := kubejson.Unmarshal(o.raw, &wire); err != nil {
		return metav1.ObjectMeta{Namespace: o.namespace, Name: o.name}
	}
	meta := wire.Metadata.ObjectMeta
	if managedFields && len(wire.Metadata.ManagedFields) > 0 {
		if err := kubejson.Unmarshal(wire.Metadata.ManagedFields, &meta.ManagedFields); err != nil {
			meta.ManagedFields = nil
		}
	}
	return meta
}

// unstructured decodes the whole object; the maps are new.
func (o *object) unstructured(managedFields bool) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if err := kubejson.Unmarshal(o.raw, &u.Object); err != nil {
		return nil, err
	}
	u.SetGroupVersionKind(o.kind)
	if !managedFields {
		u.SetManagedFields(nil)
	}
	return u, nil
}
