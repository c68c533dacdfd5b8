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
	// list is a list's first page, and mostly its only one.
	list mode
	// object is a single object, and the object of a watch event.
	object mode
	// typedEvent, where set, is better than object for a watch, from a server that
	// knows no more fields than we do.
	typedEvent *mode
	// more, where set, is how all pages but the first are asked for. A list that
	// has them is worth what a short one is not: a question of the server's
	// version, two requests instead of one.
	more *more
}

// more is pages of a list, each continued where the last one ended.
type more struct {
	objects mode
	// typed, where set, is better than objects, from a server that knows no more
	// fields than we do.
	typed *mode
	// cells, where set, is another request for the same page, for the cells alone.
	cells *mode
}

// mode is one way to ask, and to be answered.
type mode struct {
	// accept is the Accept header.
	accept string
	// includeObject says what comes with each row of a Table; empty elsewhere.
	includeObject string
	json          reader
	// protobuf is nil for what only comes as JSON.
	protobuf reader
}

// reader reads one answer: a *cache.RowList, a *cache.Row, or a *metav1.Status.
// It may keep no part of data, and may be used by several goroutines.
type reader func(data []byte) (runtime.Object, error)

// formOf chooses the form for r. Rows are of the given kind where the server
// does not say it. The form belongs to one ListerWatcher, which shares its Columns.
func formOf(r cache.Representation, kind schema.GroupVersionKind, c codecs) form {
	keep := r.Has(cache.ManagedFields)
	switch {
	case r.Has(cache.Cells | cache.Whole):
		return cellsAndWholeForm(kind, keep, c)
	case r.Has(cache.Cells):
		return cellsForm(kind, keep, c)
	case r.Has(cache.Whole):
		return wholeForm(kind, keep, c)
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
