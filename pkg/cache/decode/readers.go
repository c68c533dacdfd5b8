package decode

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

// Reader reads one answer: a *cache.RowList, a *cache.Row, or a *metav1.Status.
// It keeps no part of data, and may be used by several goroutines.
type Reader func(data []byte) (runtime.Object, error)

// Readers read what comes in one content type.
type Readers struct {
	// List reads a page of a list.
	List Reader
	// Object reads a single object, or the object of a watch event.
	Object Reader
}

var errNoObject = &unexpectedError{"a row without its object"}

func typeMeta(kind schema.GroupVersionKind) metav1.TypeMeta {
	apiVersion, name := kind.ToAPIVersionAndKind()
	return metav1.TypeMeta{APIVersion: apiVersion, Kind: name}
}

func isStatus(t metav1.TypeMeta) bool { return t.Kind == "Status" && t.APIVersion == "v1" }

func readStatus(data []byte) (runtime.Object, error) {
	status := &metav1.Status{}
	return status, kubejson.Unmarshal(data, status)
}

// needList refuses JSON that is no list, such as the {} of a proxy: taken for
// an empty list, it would delete every object from a cache.
func needList(kind string, hasItems bool) error {
	if hasItems || strings.HasSuffix(kind, "List") {
		return nil
	}
	return &unexpectedError{fmt.Sprintf("%q where a list was expected", kind)}
}
