package source

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The last choice is for servers that know no PartialObjectMetadata: they send
// whole objects, of which only the metadata is read.
const (
	metadataListAccept = protobufType + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," +
		jsonType + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," + jsonType
	metadataObjectAccept = protobufType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1," +
		jsonType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1," + jsonType
)

func metadataForm(kind schema.GroupVersionKind, keepManagedFields bool, c codecs) form {
	m := metadata{typeMeta: typeMeta(kind), managedFields: keepManagedFields, protobuf: c.protobuf}
	return form{
		listAccept:   metadataListAccept,
		objectAccept: metadataObjectAccept,
		json:         readers{list: m.list, object: m.object},
		protobuf:     readers{list: m.fromProtobuf, object: m.fromProtobuf},
	}
}

type metadata struct {
	typeMeta      metav1.TypeMeta
	managedFields bool
	protobuf      *protobuf.Serializer
}

func (m metadata) row(object metav1.ObjectMeta) *cache.Row {
	if !m.managedFields {
		object.ManagedFields = nil
	}
	return &cache.Row{TypeMeta: m.typeMeta, ObjectMeta: object}
}

func (m metadata) fromProtobuf(data []byte) (runtime.Object, error) {
	object, _, err := m.protobuf.Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	switch o := object.(type) {
	case *metav1.PartialObjectMetadataList:
		list := &cache.RowList{ListMeta: o.ListMeta, Items: make([]*cache.Row, 0, len(o.Items))}
		for i := range o.Items {
			list.Items = append(list.Items, m.row(o.Items[i].ObjectMeta))
		}
		return list, nil
	case *metav1.PartialObjectMetadata:
		return m.row(o.ObjectMeta), nil
	case *metav1.Status:
		return o, nil
	}
	return nil, fmt.Errorf("the server sent %T where metadata was expected", object)
}

func (m metadata) list(data []byte) (runtime.Object, error) {
	var wire struct {
		metav1.TypeMeta
		Metadata metav1.ListMeta `json:"metadata"`
		Items    []wireObject    `json:"items"`
	}
	if err := kubejson.Unmarshal(data, &wire); err != nil {
		return nil, err
	}
	if isStatus(wire.TypeMeta) {
		return readStatus(data)
	}
	if err := needList(wire.Kind, wire.Items != nil); err != nil {
		return nil, err
	}
	list := &cache.RowList{ListMeta: wire.Metadata, Items: make([]*cache.Row, 0, len(wire.Items))}
	for i := range wire.Items {
		row, err := m.fromWire(&wire.Items[i])
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, row)
	}
	return list, nil
}

func (m metadata) object(data []byte) (runtime.Object, error) {
	var wire wireObject
	if err := kubejson.Unmarshal(data, &wire); err != nil {
		return nil, err
	}
	if isStatus(wire.TypeMeta) {
		return readStatus(data)
	}
	return m.fromWire(&wire)
}

func (m metadata) fromWire(wire *wireObject) (*cache.Row, error) {
	object, err := wire.objectMeta(m.managedFields)
	if err != nil {
		return nil, err
	}
	return m.row(object), nil
}

// wireObject is what is read of an object of which only the metadata is wanted.
type wireObject struct {
	metav1.TypeMeta
	Metadata *wireMeta `json:"metadata"`
}

// wireMeta is ObjectMeta with managedFields, often its greater part, left undecoded.
type wireMeta struct {
	metav1.ObjectMeta
	ManagedFields span `json:"managedFields"`
}

// span is a piece of the JSON it was read from, not a copy.
type span []byte

// UnmarshalJSON keeps data, which is valid as long as the input it is part of.
func (s *span) UnmarshalJSON(data []byte) error {
	*s = data
	return nil
}

func (w *wireObject) objectMeta(keepManagedFields bool) (metav1.ObjectMeta, error) {
	if w.Metadata == nil {
		return metav1.ObjectMeta{}, errNoObject
	}
	out := w.Metadata.ObjectMeta
	if !keepManagedFields || w.Metadata.ManagedFields == nil {
		return out, nil
	}
	err := kubejson.Unmarshal(w.Metadata.ManagedFields, &out.ManagedFields)
	return out, err
}
