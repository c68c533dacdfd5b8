package source

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func wholeForm(w whole) form {
	return form{
		listAccept:   jsonType,
		objectAccept: jsonType,
		json:         readers{list: w.list, object: w.object},
	}
}

// whole reads JSON objects with every field, by the rules of unstructured
// objects: case counts, and integers stay int64.
type whole struct {
	kind          schema.GroupVersionKind
	managedFields bool
}

func (w whole) list(data []byte) (runtime.Object, error) {
	var wire struct {
		metav1.TypeMeta
		Metadata metav1.ListMeta  `json:"metadata"`
		Items    []map[string]any `json:"items"`
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
	for _, body := range wire.Items {
		row, err := w.row(body)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, row)
	}
	return list, nil
}

func (w whole) object(data []byte) (runtime.Object, error) {
	var body map[string]any
	if err := kubejson.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	apiVersion, _ := body["apiVersion"].(string)
	kind, _ := body["kind"].(string)
	if isStatus(metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}) {
		return readStatus(data)
	}
	return w.row(body)
}

// row makes a row of a body, and the body complete: built-in types come in
// lists without apiVersion and kind. The row's metadata shares the body's strings.
func (w whole) row(body map[string]any) (*cache.Row, error) {
	metadata, ok := body["metadata"].(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	if !w.managedFields {
		delete(metadata, "managedFields")
	}
	apiVersion, kind := w.kind.ToAPIVersionAndKind()
	row := &cache.Row{Body: cache.MapBody(body)}
	row.APIVersion = setIfEmpty(body, "apiVersion", apiVersion)
	row.Kind = setIfEmpty(body, "kind", kind)
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(metadata, &row.ObjectMeta)
	return row, err
}

func setIfEmpty(body map[string]any, key, value string) string {
	if have, _ := body[key].(string); have != "" {
		return have
	}
	body[key] = value
	return value
}
