package decode

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// WholeJSON reads JSON objects with every field.
func WholeJSON(kind schema.GroupVersionKind, keepManagedFields bool) Readers {
	return wholeObjects(kind, keepManagedFields).readers()
}

// MetadataJSON reads only the metadata of JSON objects.
func MetadataJSON(kind schema.GroupVersionKind, keepManagedFields bool) Readers {
	return metadataObjects(kind, keepManagedFields).readers()
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

// metadataObjects reads only the metadata of JSON objects.
func metadataObjects(kind schema.GroupVersionKind, keepManagedFields bool) objectTexts {
	known := typeMeta(kind)
	return objectTexts{managedFields: keepManagedFields, row: func(o *objectText) (*cache.Row, error) {
		row := &cache.Row{TypeMeta: known}
		return row, o.objectMeta(&row.ObjectMeta)
	}}
}

// objectTexts reads JSON: lists of objects, and single objects.
type objectTexts struct {
	managedFields bool
	// row makes a row of an object. It keeps no part of the text.
	row func(*objectText) (*cache.Row, error)
}

func (r objectTexts) readers() Readers { return Readers{List: r.list, Object: r.object} }

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
