package decode

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Numbers of fields. Every object of Kubernetes' API keeps its metadata in field
// 1; every list its own in 1 and its items in 2.
const (
	metadataField      protowire.Number = 1
	itemsField         protowire.Number = 2
	managedFieldsField protowire.Number = 17

	unknownTypeField protowire.Number = 1
	unknownRawField  protowire.Number = 2
)

// protobufMagic begins every answer; a runtime.Unknown follows.
const protobufMagic = "k8s\x00"

var errProtobuf = errors.New("the server sent protobuf that cannot be read")

// eachField calls visit for each field of a message: with the field as it came, and
// with its content, which is nil for those that have no length.
func eachField(message []byte, visit func(number protowire.Number, field, content []byte) error) error {
	for len(message) > 0 {
		number, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return errProtobuf
		}
		n := protowire.ConsumeFieldValue(number, kind, message[tag:])
		if n < 0 {
			return errProtobuf
		}
		field := message[:tag+n]
		var content []byte
		if kind == protowire.BytesType {
			content, _ = protowire.ConsumeBytes(field[tag:])
		}
		if err := visit(number, field, content); err != nil {
			return err
		}
		message = message[tag+n:]
	}
	return nil
}

// without returns a message without the fields of a number: a part of the message
// itself, not a copy, where they are at its beginning or end, as they mostly are.
func without(number protowire.Number, message []byte) ([]byte, error) {
	var pieces []byte
	start, end := 0, 0 // of what is kept, as long as that is one piece
	at := 0
	err := eachField(message, func(have protowire.Number, field, _ []byte) error {
		from := at
		at += len(field)
		switch {
		case have == number:
		case pieces != nil:
			pieces = append(pieces, field...)
		case start == end:
			start, end = from, at
		case end == from:
			end = at
		default:
			pieces = append(slices.Clone(message[start:end]), field...)
		}
		return nil
	})
	if pieces == nil {
		pieces = message[start:end]
	}
	return pieces, err
}

// protobufList reads lists item by item, so that no item keeps another in memory,
// and what is not wanted of an item is never decoded.
type protobufList struct {
	// kinds are the kinds of list and object that the server may send.
	kinds []metav1.TypeMeta
	// row makes a row of one object. It keeps no part of the message.
	row func(message []byte) (*cache.Row, error)
}

func (l protobufList) readers() Readers { return Readers{List: l.list, Object: l.object} }

// list reads a list of objects.
func (l protobufList) list(data []byte) (runtime.Object, error) {
	raw, status, err := l.open(data)
	if err != nil || status != nil {
		return status, err
	}
	list := &cache.RowList{}
	err = eachField(raw, func(number protowire.Number, _, content []byte) error {
		switch number {
		case metadataField:
			return list.ListMeta.Unmarshal(content)
		case itemsField:
			row, err := l.row(content)
			list.Items = append(list.Items, row)
			return err
		}
		return nil
	})
	return list, err
}

// object reads one object.
func (l protobufList) object(data []byte) (runtime.Object, error) {
	raw, status, err := l.open(data)
	if err != nil || status != nil {
		return status, err
	}
	return l.row(raw)
}

// open takes an answer out of its envelope. It returns a Status where the server
// sent one.
func (l protobufList) open(data []byte) (raw []byte, status runtime.Object, err error) {
	envelope, ok := bytes.CutPrefix(data, []byte(protobufMagic))
	if !ok {
		return nil, nil, errProtobuf
	}
	var kind runtime.TypeMeta
	err = eachField(envelope, func(number protowire.Number, _, content []byte) error {
		switch number {
		case unknownTypeField:
			return kind.Unmarshal(content)
		case unknownRawField:
			raw = content
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	sent := metav1.TypeMeta{APIVersion: kind.APIVersion, Kind: kind.Kind}
	switch {
	case isStatus(sent):
		status := &metav1.Status{TypeMeta: sent}
		return nil, status, status.Unmarshal(raw)
	case !slices.Contains(l.kinds, sent):
		return nil, nil, fmt.Errorf("the server sent %s %s where %s was expected", sent.APIVersion, sent.Kind, l.kinds[0].Kind)
	}
	return raw, nil, nil
}

// objectParts are the parts of an object's message. They share its bytes.
type objectParts struct {
	// metadata is without managedFields, unless they are to be kept.
	metadata []byte
	// rest are the fields that are not metadata.
	rest []byte
}

func splitObject(message []byte, keepManagedFields bool) (parts objectParts, err error) {
	found := false
	err = eachField(message, func(number protowire.Number, _, content []byte) error {
		switch {
		case number != metadataField:
		case !found:
			found, parts.metadata = true, content
		default: // what comes in two pieces is both of them in a row
			parts.metadata = slices.Concat(parts.metadata, content)
		}
		return nil
	})
	switch {
	case err != nil:
		return parts, err
	case !found:
		return parts, errNoObject
	}
	if parts.rest, err = without(metadataField, message); err != nil || keepManagedFields {
		return parts, err
	}
	parts.metadata, err = without(managedFieldsField, parts.metadata)
	return parts, err
}

// join copies the parts into one message.
func (p objectParts) join() []byte {
	size := protowire.SizeTag(metadataField) + protowire.SizeBytes(len(p.metadata)) + len(p.rest)
	message := protowire.AppendTag(make([]byte, 0, size), metadataField, protowire.BytesType)
	return append(protowire.AppendBytes(message, p.metadata), p.rest...)
}
