package source

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// form is a Representation as HTTP has it: what to ask for, and how to read what comes.
type form struct {
	// listAccept is the Accept header of a list, objectAccept that of a get and a watch.
	listAccept, objectAccept string
	// includeObject says what comes with each row of a Table; empty elsewhere.
	includeObject string
	json          readers
	// protobuf is empty for forms that only come as JSON.
	protobuf readers
}

// readers read a list, and a single object or the object of a watch event.
type readers struct {
	list, object reader
}

// reader reads one answer: a *cache.RowList, a *cache.Row, or a *metav1.Status.
// It may keep no part of data.
type reader func(data []byte) (runtime.Object, error)

// formOf chooses the form for r. Rows are of the given kind where the server
// does not say it. The form belongs to one ListerWatcher, which shares its Columns.
func formOf(r cache.Representation, kind schema.GroupVersionKind, c codecs) form {
	keep := r.Has(cache.ManagedFields)
	switch {
	case r.Has(cache.Cells | cache.Whole):
		return cellsAndWholeForm(whole{kind: kind, managedFields: keep})
	case r.Has(cache.Cells):
		return cellsForm(kind, keep)
	case r.Has(cache.Whole):
		return wholeForm(whole{kind: kind, managedFields: keep})
	default:
		return metadataForm(kind, keep, c)
	}
}

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
	return fmt.Errorf("the server sent %q where a list was expected", kind)
}

var errNoObject = errors.New("the server sent a row without its object")
