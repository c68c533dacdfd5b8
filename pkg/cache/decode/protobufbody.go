package decode

import (
	"reflect"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
)

// typedKind is a built-in type whose objects come in protobuf.
type typedKind struct {
	metav1.TypeMeta
	// goType is its struct in Kubernetes' Go API.
	goType reflect.Type
	meta   *sharedMeta
	json   *sortedJSONs
	// room is how much the JSON of the next object will take, as far as is known.
	room atomic.Int64
}

// leastRoom and mostRoom bound what is made room for before JSON is written.
const leastRoom, mostRoom = 1 << 10, 32 << 10

// protobufObject is what the structs of Kubernetes' API are.
type protobufObject interface {
	runtime.Object
	Unmarshal(data []byte) error
}

// typedKindOf returns nil for a kind that client-go has no struct of, in that
// very version, or none that can be read field by field.
func typedKindOf(kind schema.GroupVersionKind) *typedKind {
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil
	}
	if _, ok := object.(protobufObject); !ok {
		return nil
	}
	goType := reflect.TypeOf(object).Elem()
	if !hasField(goType, "ObjectMeta", metadataField) {
		return nil
	}
	return &typedKind{TypeMeta: typeMeta(kind), goType: goType, meta: newSharedMeta(), json: &sortedJSONs{}}
}

// hasField reports whether a struct's field has that number in protobuf.
func hasField(goType reflect.Type, name string, number protowire.Number) bool {
	field, ok := goType.FieldByName(name)
	if !ok {
		return false
	}
	tag := strings.Split(field.Tag.Get("protobuf"), ",")
	return len(tag) > 1 && tag[1] == string(rune('0'+number))
}

// WholeProtobuf reads built-in objects in protobuf, with every field that our Go
// structs have; nil for kinds that do not come in it.
func WholeProtobuf(kind schema.GroupVersionKind, keepManagedFields bool) *Readers {
	typed := typedKindOf(kind)
	if typed == nil {
		return nil
	}
	readers := protobufList{
		kinds: []metav1.TypeMeta{typed.list(), typed.TypeMeta},
		row:   func(message []byte) (*cache.Row, error) { return typed.row(message, keepManagedFields) },
	}.readers()
	return &readers
}

// list is the kind of a list of such objects.
func (k *typedKind) list() metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: k.APIVersion, Kind: k.Kind + "List"}
}

// row makes a row of an object's message.
func (k *typedKind) row(message []byte, keepManagedFields bool) (*cache.Row, error) {
	parts, err := splitObject(message, keepManagedFields)
	if err != nil {
		return nil, err
	}
	row := &cache.Row{TypeMeta: k.TypeMeta, Body: &protobufBody{kind: k, message: compress.Plain(parts.join())}}
	return row, k.meta.decode(parts.metadata, &row.ObjectMeta)
}

// protobufBody is an object of a built-in type as it came, a fifth of the size
// of the struct, and decoded whenever it is asked for.
type protobufBody struct {
	kind    *typedKind
	message compress.Bytes
}

var (
	_ cache.TypedBody      = (*protobufBody)(nil)
	_ cache.JSONBody       = (*protobufBody)(nil)
	_ cache.SortedJSONBody = (*protobufBody)(nil)
	_ cache.ComparedBody   = (*protobufBody)(nil)
	_ compress.Body        = (*protobufBody)(nil)
)

// Bytes are the object's message.
func (b *protobufBody) Bytes() compress.Bytes { return b.message }

// Of returns the body of another message.
func (b *protobufBody) Of(message compress.Bytes) cache.Body {
	return &protobufBody{kind: b.kind, message: message}
}

// Equal compares the messages.
func (b *protobufBody) Equal(other cache.Body) bool {
	o, ok := other.(*protobufBody)
	return ok && b.kind.TypeMeta == o.kind.TypeMeta && b.message.Equal(o.message)
}

// Object returns a new struct, which keeps no part of the message.
func (b *protobufBody) Object() (runtime.Object, error) {
	object := reflect.New(b.kind.goType).Interface().(protobufObject)
	if err := b.message.Read(object.Unmarshal); err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(b.kind.GroupVersionKind())
	return object, nil
}

// JSON returns what the server would send as JSON.
func (b *protobufBody) JSON() ([]byte, error) {
	object, err := b.Object()
	if err != nil {
		return nil, err
	}
	room := min(max(b.kind.room.Load(), leastRoom), mostRoom)
	text, err := b.kind.json.of(b.kind.goType)(make([]byte, 0, room), reflect.ValueOf(object).Elem())
	b.kind.room.Store(int64(len(text) + len(text)/8)) // the next is like it
	return text, err
}

// HasSortedJSON says that its JSON is sorted.
func (*protobufBody) HasSortedJSON() {}

// Unstructured decodes that JSON, as kubectl does: the maps are the same whatever
// a field's type is.
func (b *protobufBody) Unstructured() (*unstructured.Unstructured, error) {
	text, err := b.JSON()
	if err != nil {
		return nil, err
	}
	return unmarshalMaps(text)
}
