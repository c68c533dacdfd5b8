package client

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/decode"
)

// The Accept headers. The last choice is for servers that know nothing better, some
// aggregated APIs: they send whole objects whatever they are asked for.
const (
	acceptTable = jsonType + ";as=Table;v=v1;g=meta.k8s.io," +
		jsonType + ";as=Table;v=v1beta1;g=meta.k8s.io," + jsonType
	acceptMetadataListJSON = jsonType + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," + jsonType
	acceptMetadataList     = protobufType + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," + acceptMetadataListJSON
	acceptMetadata         = protobufType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1," +
		jsonType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1," + jsonType
	acceptProtobuf = protobufType + "," + jsonType
)

// encodings is a Representation as HTTP has it: what to ask for, and how to read
// what comes.
type encodings struct {
	// list is a list's first page, and mostly its only one, unless a watch follows.
	list encoding
	// object is a single object, and the object of a watch event.
	object encoding
	// typedEvent, where set, is better than object for a watch, from a server that
	// knows no more fields than we do.
	typedEvent *encoding
	// more, where set, is how all pages but the first are asked for. A list that
	// has them is worth what a short one is not: a question of the server's
	// version, two requests instead of one. Where a watch follows, which asks that
	// question too, objects without cells come so from the first page on.
	more *moreEncodings
}

// moreEncodings are those of pages of a list, each continued where the last one ended.
type moreEncodings struct {
	objects encoding
	// typed, where set, is better than objects, from a server that knows no more
	// fields than we do.
	typed *encoding
	// cells, where set, is another request for the same page, for the cells alone.
	cells *encoding
}

// encoding is one way to ask, and to be answered.
type encoding struct {
	// accept is the Accept header.
	accept string
	// includeObject says what comes with each row of a Table; empty elsewhere.
	includeObject string
	json          decode.Reader
	// protobuf is nil for what only comes as JSON.
	protobuf decode.Reader
	// dropManagedFields has them dropped from events before those are read.
	dropManagedFields bool
}

// encodingsOf chooses the encodings for r. Rows are of the given kind where the
// server does not say it. They belong to one ListerWatcher, which shares its Columns.
func encodingsOf(r cache.Representation, kind schema.GroupVersionKind) encodings {
	keep := r.Has(cache.ManagedFields)
	switch {
	case r.Has(cache.Cells | cache.Whole):
		return cellsAndWhole(kind, keep)
	case r.Has(cache.Cells):
		return cells(kind, keep)
	case r.Has(cache.Whole):
		return whole(kind, keep)
	default:
		return metadata(kind, keep)
	}
}

func metadata(kind schema.GroupVersionKind, keepManagedFields bool) encodings {
	json, protobuf := decode.MetadataJSON(kind, keepManagedFields), decode.MetadataProtobuf(kind, keepManagedFields)
	return encodings{
		list:   encoding{accept: acceptMetadataList, json: json.List, protobuf: protobuf.List},
		object: encoding{accept: acceptMetadata, json: json.Object, protobuf: protobuf.Object, dropManagedFields: !keepManagedFields},
	}
}

// cells are a Table whose rows come with their metadata. In the pages after the
// first, metadata and cells of a built-in type come apart: in protobuf, and without
// anything else. Of a custom resource the server decodes and converts each object
// for each request: a second one costs it more than it saves.
func cells(kind schema.GroupVersionKind, keepManagedFields bool) encodings {
	tables := decode.NewTables(kind, keepManagedFields)
	out := table(metav1.IncludeMetadata, tables.WithMetadata(), keepManagedFields)
	if decode.WholeProtobuf(kind, keepManagedFields) == nil {
		return out
	}
	out.more = &moreEncodings{objects: metadata(kind, keepManagedFields).list, cells: cellsAlone(tables)}
	return out
}

// cellsAndWhole are a Table whose rows come with the whole object, and those of a
// built-in type apart from them in the pages after the first.
func cellsAndWhole(kind schema.GroupVersionKind, keepManagedFields bool) encodings {
	tables := decode.NewTables(kind, keepManagedFields)
	out := table(metav1.IncludeObject, tables.WithObjects(), keepManagedFields)
	more := whole(kind, keepManagedFields).more
	if more.typed == nil {
		return out
	}
	out.more = more
	out.more.cells = cellsAlone(tables)
	return out
}

func table(include metav1.IncludeObjectPolicy, readers decode.Readers, keepManagedFields bool) encodings {
	return encodings{
		list:   encoding{accept: acceptTable, includeObject: string(include), json: readers.List},
		object: encoding{accept: acceptTable, includeObject: string(include), json: readers.Object, dropManagedFields: !keepManagedFields},
	}
}

func cellsAlone(tables *decode.Tables) *encoding {
	return &encoding{accept: acceptTable, includeObject: string(metav1.IncludeNone), json: tables.CellsAlone()}
}

// whole is JSON, and of a built-in type protobuf for the watch, and for all pages but
// the first of a list without a watch.
func whole(kind schema.GroupVersionKind, keepManagedFields bool) encodings {
	json := decode.WholeJSON(kind, keepManagedFields)
	list := encoding{accept: jsonType, json: json.List}
	out := encodings{
		list:   list,
		object: encoding{accept: jsonType, json: json.Object, dropManagedFields: !keepManagedFields},
		more:   &moreEncodings{objects: list},
	}
	if typed := decode.WholeProtobuf(kind, keepManagedFields); typed != nil {
		out.more.typed = &encoding{accept: acceptProtobuf, json: json.List, protobuf: typed.List}
		out.typedEvent = &encoding{accept: acceptProtobuf, json: json.Object, protobuf: typed.Object, dropManagedFields: !keepManagedFields}
	}
	return out
}
