package cache

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Columns are the column definitions of one Table, shared by all its rows.
type Columns []metav1.TableColumnDefinition

// Body is a whole object in the form in which it is kept.
type Body interface {
	// Unstructured returns the object as nested maps. It may be shared with the
	// cache and with other callers: whoever wants to change it copies it first.
	// An error means bytes that no decoder can read as an object.
	Unstructured() (*unstructured.Unstructured, error)
}

// TypedBody is a Body that can be had as one of Kubernetes' Go structs. Whoever
// can read those saves the way through nested maps.
type TypedBody interface {
	Body
	// Object returns a pointer to the struct, which may be shared as the maps are.
	// The error is that of Unstructured.
	Object() (runtime.Object, error)
}

// JSONBody is a Body that can be had as JSON. Whoever prints JSON saves the way
// through nested maps.
type JSONBody interface {
	Body
	// JSON returns the object in one line, its members in any order, apiVersion and
	// kind among them. But for the order it is what encoding/json makes of the
	// nested maps; where it cannot be sure of that, it goes by those. The result
	// may be shared: nobody changes it. The error is that of Unstructured.
	JSON() ([]byte, error)
}

// SortedJSONBody is a JSONBody whose JSON is encoding/json's to the byte: its members
// are in order, and its text is escaped for HTML.
type SortedJSONBody interface {
	JSONBody
	HasSortedJSON()
}

// ComparedBody is a Body that knows whether another is the same, where the same
// object can be kept in several ways.
type ComparedBody interface {
	Body
	Equal(other Body) bool
}

// MapBody is a Body that is decoded already.
type MapBody map[string]any

// Unstructured returns the map itself, not a copy.
func (m MapBody) Unstructured() (*unstructured.Unstructured, error) {
	return &unstructured.Unstructured{Object: m}, nil
}

// Row is one object as the Indexer holds it, and the only type that our
// informers hold: metadata always, and the parts that the Representation asked
// for. Rows are shared and never changed once they are in the cache.
type Row struct {
	// TypeMeta is always set, whatever the server left out.
	metav1.TypeMeta
	metav1.ObjectMeta
	// Columns and Cells are set for the representation Cells, unless the server
	// cannot print the type (some aggregated APIs): then Body is set instead.
	Columns *Columns
	Cells   []any
	// Body is set for the representation Whole.
	Body Body
	// Position is the place that the server gave the row in the list it came in,
	// from 1; 0 for a row that came by a watch.
	Position int
	// Namesake numbers, from 0, the objects that have everything else of their
	// identity in common.
	Namesake int
	// indexed is what was noted last by AddIndexedValues.
	indexed *indexedValues
	// key is set by Pack.
	key string
}

// IndexedValues are the values that one object has in one index.
type IndexedValues struct {
	// Name is the index name.
	Name   string
	Values []string
}

// indexedValues are a list, since most rows have none: a slice in each row would take
// more room.
type indexedValues struct {
	IndexedValues
	next *indexedValues
}

// AddIndexedValues notes what an index was found to have for the row, before it enters
// the cache. Most rows have nothing noted, and then it is computed when asked for.
func (r *Row) AddIndexedValues(values IndexedValues) {
	r.indexed = &indexedValues{values, r.indexed}
}

// IndexedValues returns the values that were noted of the index of that name, and
// whether they were.
func (r *Row) IndexedValues(name string) ([]string, bool) {
	for indexed := r.indexed; indexed != nil; indexed = indexed.next {
		if indexed.Name == name {
			return indexed.Values, true
		}
	}
	return nil, false
}

// ContextIndex is the name of the index that says in which of several clusters an object
// is.
const ContextIndex = "context"

// Place is what the rows of one of several clusters note: rows of all meet in one table.
// It is a value of an index since most rows have none, and a field would take room in each.
func Place(context string) IndexedValues { return IndexedValues{ContextIndex, []string{context}} }

// SetPlace notes where the row is, before it enters the cache.
func (r *Row) SetPlace(place IndexedValues) {
	if r.Context() == "" {
		r.AddIndexedValues(place)
	}
}

// Context is that of the Target, where several clusters are asked; else it is empty.
func (r *Row) Context() string {
	if r.indexed == nil {
		return ""
	}
	if values, noted := r.IndexedValues(ContextIndex); noted {
		return values[0]
	}
	return ""
}

// Bare returns the row without its Place, and what else was noted of it.
func (r *Row) Bare() *Row {
	if r.Context() == "" {
		return r
	}
	out := *r
	out.indexed = nil
	return &out
}

// DeepCopyObject copies all but Body and the values of indexes, which are never changed
// by anyone.
func (r *Row) DeepCopyObject() runtime.Object {
	out := *r
	r.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Cells = slices.Clone(r.Cells)
	return &out
}

// Unstructured returns the whole object where the row has one, else its
// metadata with apiVersion and kind. The result may be shared: copy before changing.
func (r *Row) Unstructured() (*unstructured.Unstructured, error) {
	if r.Body != nil {
		return r.Body.Unstructured()
	}
	return r.metadataOnly()
}

func (r *Row) metadataOnly() (*unstructured.Unstructured, error) {
	partial := &metav1.PartialObjectMetadata{TypeMeta: r.TypeMeta, ObjectMeta: r.ObjectMeta}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(partial)
	return &unstructured.Unstructured{Object: object}, err
}

// RowList is a page of rows, as a ListerWatcher returns it to the reflector.
type RowList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []*Row
}

// DeepCopyObject copies the list and its rows.
func (l *RowList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]*Row, len(l.Items))
	for i, row := range l.Items {
		out.Items[i] = row.DeepCopyObject().(*Row)
	}
	return &out
}

// SortRows puts rows into the order in which the API server lists them; an
// Indexer gives them in a map's order. Where all have come in one list, that is
// the list's own order, which a few types do not take from their names. Else it
// is the order of the server's own keys, NAMESPACE/NAME.
func SortRows(rows []*Row) {
	if !slices.ContainsFunc(rows, func(row *Row) bool { return row.Position == 0 }) {
		slices.SortFunc(rows, func(a, b *Row) int { return cmp.Compare(a.Position, b.Position) })
		return
	}
	slices.SortFunc(rows, CompareRows)
}

// CompareRows compares two rows of one type in the order of the server's own keys.
func CompareRows(a, b *Row) int {
	return cmp.Or(compareNamespaces(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.UID, b.UID), cmp.Compare(a.Namesake, b.Namesake))
}

// compareNamespaces orders namespaces as the keys that begin with them: the
// slash behind a namespace is part of the key, and comes after '-' and '.'.
func compareNamespaces(a, b string) int {
	switch n := min(len(a), len(b)); {
	case a == b:
		return 0
	case a[:n] != b[:n]:
		return cmp.Compare(a, b)
	case len(a) < len(b):
		return cmp.Compare('/', b[n])
	default:
		return cmp.Compare(a[n], '/')
	}
}
