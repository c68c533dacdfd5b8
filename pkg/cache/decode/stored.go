package decode

import (
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
)

// The fields of a stored row, which is written as a message of protobuf.
const (
	storedMetadata protowire.Number = iota + 1
	storedCells
	storedProtobuf
	storedJSON
)

// Stored writes rows of one kind as bytes and reads them, each in the form that it
// has. Columns, which many rows share, and the parts of a key are not among the bytes.
type Stored struct {
	kind schema.GroupVersionKind
	// typed is nil for a kind that does not come in protobuf.
	typed *typedKind
	meta  *sharedMeta
}

// NewStored is for rows of one kind.
func NewStored(kind schema.GroupVersionKind) *Stored {
	return &Stored{kind: kind, typed: typedKindOf(kind), meta: newSharedMeta()}
}

// Append appends a row to what is there.
func (s *Stored) Append(to []byte, row *cache.Row) ([]byte, error) {
	metadata, err := row.ObjectMeta.Marshal()
	if err != nil {
		return nil, err
	}
	to = appendField(to, storedMetadata, metadata)
	if row.Cells != nil {
		cells, err := json.Marshal(row.Cells)
		if err != nil {
			return nil, err
		}
		to = appendField(to, storedCells, cells)
	}
	switch body := row.Body.(type) {
	case nil:
		return to, nil
	case *protobufBody:
		return appendBody(to, storedProtobuf, body)
	case jsonBody:
		return appendBody(to, storedJSON, body)
	default:
		object, err := body.Unstructured()
		if err != nil {
			return nil, err
		}
		text, err := object.MarshalJSON()
		return appendField(to, storedJSON, text), err
	}
}

// appendBody appends a body as it came, however it is kept in memory.
func appendBody(to []byte, number protowire.Number, body compress.Body) ([]byte, error) {
	content, err := body.Bytes().Get()
	return appendField(to, number, content), err
}

func appendField(to []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), content)
}

// Read reads what Append has written, which stays in use.
func (s *Stored) Read(data []byte) (*cache.Row, error) {
	row := &cache.Row{TypeMeta: typeMeta(s.kind)}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		if kind != protowire.BytesType {
			return nil, fmt.Errorf("field %d is of wire type %d", number, kind)
		}
		content, m := protowire.ConsumeBytes(data[n:])
		if m < 0 {
			return nil, protowire.ParseError(m)
		}
		data = data[n+m:]
		if err := s.readField(row, number, content); err != nil {
			return nil, err
		}
	}
	return row, nil
}

func (s *Stored) readField(row *cache.Row, number protowire.Number, content []byte) error {
	switch number {
	case storedMetadata:
		return s.meta.decode(content, &row.ObjectMeta)
	case storedCells:
		return kubejson.Unmarshal(content, &row.Cells)
	case storedProtobuf:
		if s.typed == nil {
			return errors.New("there is no type to read its protobuf with")
		}
		row.Body = &protobufBody{kind: s.typed, message: compress.Plain(content)}
	case storedJSON:
		row.Body = jsonBody{compress.Plain(content)}
	default:
		return fmt.Errorf("field %d is unknown", number)
	}
	return nil
}
