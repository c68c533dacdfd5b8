package source

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The last choice is for servers that know no PartialObjectMetadata: they send
// whole objects, of which only the metadata is read.
const (
	metadataListJSON     = jsonType + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," + jsonType
	metadataListAccept   = protobufType + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," + metadataListJSON
	metadataObjectAccept = protobufType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1," +
		jsonType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1," + jsonType
)

func metadataForm(kind schema.GroupVersionKind, keepManagedFields bool, c codecs) form {
	texts := metadataObjects(kind, keepManagedFields)
	messages := metadataMessages(kind, keepManagedFields, c)
	return form{
		list:   mode{accept: metadataListAccept, json: texts.list, protobuf: messages.list},
		object: mode{accept: metadataObjectAccept, json: texts.object, protobuf: messages.object},
	}
}

// metadataObjects reads only the metadata of JSON objects.
func metadataObjects(kind schema.GroupVersionKind, keepManagedFields bool) objectTexts {
	known := typeMeta(kind)
	return objectTexts{managedFields: keepManagedFields, row: func(o *objectText) (*cache.Row, error) {
		row := &cache.Row{TypeMeta: known}
		return row, o.objectMeta(&row.ObjectMeta)
	}}
}

// metadataMessages reads metadata in protobuf.
func metadataMessages(kind schema.GroupVersionKind, keepManagedFields bool, c codecs) protobufList {
	known, meta := typeMeta(kind), newSharedMeta()
	return protobufList{
		kinds: []metav1.TypeMeta{
			typeMeta(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList")),
			typeMeta(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")),
		},
		statuses: c.protobuf,
		row: func(message []byte) (*cache.Row, error) {
			parts, err := splitObject(message, keepManagedFields)
			if err != nil {
				return nil, err
			}
			row := &cache.Row{TypeMeta: known}
			return row, meta.decode(parts.metadata, &row.ObjectMeta)
		},
	}
}
