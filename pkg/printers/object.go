package printers

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// contextMember is the member of an object as data that says in which cluster it is.
const contextMember = "context"

// printable is the row's object for a printer that only reads: its maps are the
// cache's own, but for those that differ from them, which are new. It always
// has apiVersion and kind, and managedFields only where they are to be shown; and the
// context where objects of several clusters are printed.
func printable(row *cache.Row, showManagedFields bool) (*unstructured.Unstructured, error) {
	shared, err := row.Unstructured()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", objectName(row), err)
	}
	object := shared.Object
	if shared.GetKind() == "" || shared.GetAPIVersion() == "" {
		object = maps.Clone(object)
		object["apiVersion"], object["kind"] = row.APIVersion, row.Kind
	}
	if row.Context() != "" {
		object = maps.Clone(object)
		object[contextMember] = row.Context()
	}
	if metadata, ok := object["metadata"].(map[string]any); ok && !showManagedFields {
		if _, has := metadata["managedFields"]; has {
			metadata = maps.Clone(metadata)
			delete(metadata, "managedFields")
			object = maps.Clone(object)
			object["metadata"] = metadata
		}
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// objectName names a row in an error.
func objectName(row *cache.Row) string {
	name := fmt.Sprintf("%s %q", row.GroupVersionKind().GroupKind(), row.Name)
	if row.Namespace != "" {
		name += fmt.Sprintf(" in namespace %q", row.Namespace)
	}
	return name + cache.Target{Context: row.Context()}.InContext()
}

// withoutPanic makes an error of a panic: the JSONPath engine panics on a few
// odd combinations of template and object.
func withoutPanic(evaluate func() error) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%v", caught)
		}
	}()
	return evaluate()
}
