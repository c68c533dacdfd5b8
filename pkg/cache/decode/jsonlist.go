package decode

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
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
func wholeObjects(kind schema.GroupVersionKind, keepManagedFields bool) objectReader {
	known, meta := typeMeta(kind), newSharedMeta()
	return objectReader{keepManagedFields: keepManagedFields, row: func(o *jsonObject) (*cache.Row, error) {
		row := &cache.Row{TypeMeta: o.typeOr(known)}
		if err := o.objectMeta(meta, &row.ObjectMeta); err != nil {
			return nil, err
		}
		body, err := o.whole(row.TypeMeta)
		row.Body = jsonBody{compress.Plain(body)}
		return row, err
	}}
}

// metadataObjects reads only the metadata of JSON objects.
func metadataObjects(kind schema.GroupVersionKind, keepManagedFields bool) objectReader {
	known, meta := typeMeta(kind), newSharedMeta()
	return objectReader{keepManagedFields: keepManagedFields, row: func(o *jsonObject) (*cache.Row, error) {
		row := &cache.Row{TypeMeta: known}
		return row, o.objectMeta(meta, &row.ObjectMeta)
	}}
}

// objectReader reads JSON: lists of objects, and single objects.
type objectReader struct {
	keepManagedFields bool
	// row makes a row of an object. It keeps no part of the text.
	row func(*jsonObject) (*cache.Row, error)
}

func (r objectReader) readers() Readers { return Readers{List: r.list, Object: r.object} }

// jsonList is a list of objects.
type jsonList struct {
	metav1.TypeMeta
	Metadata metav1.ListMeta `json:"metadata"`
	Items    jsonItems       `json:"items"`
}

// jsonItems makes rows of a list's items, one after the other.
type jsonItems struct {
	objects objectReader
	object  jsonObject
	// present reports whether the list has items, be they none.
	present bool
	rows    []*cache.Row
}

// UnmarshalJSONFrom reads the items.
func (i *jsonItems) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	there, err := elements(d, func() error {
		i.object.reset(i.objects.keepManagedFields)
		if err := json.UnmarshalDecode(d, &i.object); err != nil {
			return err
		}
		row, err := i.objects.row(&i.object)
		i.rows = append(i.rows, row)
		return err
	})
	i.present = i.present || there
	return err
}

func (r objectReader) list(data []byte) (runtime.Object, error) {
	list := jsonList{Items: jsonItems{objects: r}}
	if err := unmarshal(data, &list); err != nil {
		return nil, err
	}
	if isStatus(list.TypeMeta) {
		return readStatus(data)
	}
	return &cache.RowList{ListMeta: list.Metadata, Items: list.Items.rows}, needList(list.Kind, list.Items.present)
}

func (r objectReader) object(data []byte) (runtime.Object, error) {
	var object jsonObject
	if object.reset(r.keepManagedFields); !object.scan(data) {
		object.reset(r.keepManagedFields)
		if err := unmarshal(data, &object); err != nil {
			return nil, err
		}
	}
	if isStatus(object.TypeMeta) {
		return readStatus(data)
	}
	return r.row(&object)
}
