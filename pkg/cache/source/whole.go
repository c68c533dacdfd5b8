package source

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// wholeForm is JSON, and protobuf for all pages but the first, and for the watch,
// of a built-in type.
func wholeForm(kind schema.GroupVersionKind, keepManagedFields bool, c codecs) form {
	objects := wholeObjects(kind, keepManagedFields)
	first := mode{accept: jsonType, json: objects.list}
	list, event := typedModes(kind, keepManagedFields, c, objects)
	return form{
		list:       first,
		object:     mode{accept: jsonType, json: objects.object},
		typedEvent: event,
		more:       &more{objects: first, typed: list},
	}
}

// typedModes are a page, and a watch event's object, in protobuf; nil for types
// that do not come in it.
func typedModes(kind schema.GroupVersionKind, keepManagedFields bool, c codecs, objects objectTexts) (list, event *mode) {
	typed := typedKindOf(kind)
	if typed == nil {
		return nil, nil
	}
	messages := protobufList{
		kinds:    []metav1.TypeMeta{typed.list(), typed.TypeMeta},
		statuses: c.protobuf,
		row:      func(message []byte) (*cache.Row, error) { return typed.row(message, keepManagedFields) },
	}
	const accept = protobufType + "," + jsonType
	return &mode{accept: accept, json: objects.list, protobuf: messages.list},
		&mode{accept: accept, json: objects.object, protobuf: messages.object}
}

// wholeObjects reads JSON objects with every field. Built-in types come in lists
// without apiVersion and kind: rows and their bodies get those of kind.
func wholeObjects(kind schema.GroupVersionKind, keepManagedFields bool) objectTexts {
	known := typeMeta(kind)
	return objectTexts{managedFields: keepManagedFields, row: func(o *objectText) (*cache.Row, error) {
		row := &cache.Row{TypeMeta: o.typeOr(known)}
		if err := o.objectMeta(&row.ObjectMeta); err != nil {
			return nil, err
		}
		body, err := o.whole(row.TypeMeta)
		row.Body = jsonBody(body)
		return row, err
	}}
}

// objectTexts reads JSON: lists of objects, and single objects.
type objectTexts struct {
	managedFields bool
	// row makes a row of an object. It keeps no part of the text.
	row func(*objectText) (*cache.Row, error)
}

func (r objectTexts) list(data []byte) (runtime.Object, error) {
	t, list, object := newText(data), &cache.RowList{}, &objectText{}
	head, err := t.list(`"items"`, func() error {
		if err := object.read(t, r.managedFields); err != nil {
			return err
		}
		row, err := r.row(object)
		list.Items = append(list.Items, row)
		return err
	}, t.skip)
	switch {
	case err != nil:
		return nil, err
	case isStatus(head.TypeMeta):
		return readStatus(data)
	}
	list.ListMeta = head.ListMeta
	return list, needList(head.Kind, head.hasItems)
}

func (r objectTexts) object(data []byte) (runtime.Object, error) {
	t, object := newText(data), &objectText{}
	if err := object.read(t, r.managedFields); err != nil {
		return nil, err
	}
	if err := t.end(); err != nil {
		return nil, err
	}
	if isStatus(object.TypeMeta) {
		return readStatus(data)
	}
	return r.row(object)
}
