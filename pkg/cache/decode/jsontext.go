package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

// text is JSON that is walked once, from its beginning to its end, and of which
// only what is wanted is decoded. It allows what encoding/json allows.
type text struct {
	data    []byte
	decoder *jsontext.Decoder
}

func newText(data []byte) *text {
	return &text{data: data, decoder: jsontext.NewDecoder(bytes.NewBuffer(data),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// value returns the next value as it is written; it is a part of the data.
func (t *text) value() ([]byte, error) {
	value, err := t.decoder.ReadValue()
	end := t.decoder.InputOffset()
	return t.data[end-int64(len(value)) : end], truncated(err)
}

// truncated tells the end in the middle of a text from the end behind it.
func truncated(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// delimiter reads the delimiter at which the text stands.
func (t *text) delimiter() error {
	_, err := t.decoder.ReadToken()
	return truncated(err)
}

// member is one member of an object: its name as it is written, in quotes, and
// where it begins.
type member struct {
	name  []byte
	start int64
}

func (m member) is(quoted string) bool { return string(m.name) == quoted }

// members calls visit for each member of the object at which the text stands,
// and visit reads the value. Of anything but an object there are no members.
func (t *text) members(visit func(member) error) error {
	if t.decoder.PeekKind() != '{' {
		_, err := t.value()
		return err
	}
	if err := t.delimiter(); err != nil {
		return err
	}
	for t.decoder.PeekKind() != '}' {
		name, err := t.value()
		if err != nil {
			return err
		}
		m := member{name: name, start: t.decoder.InputOffset() - int64(len(name))}
		if err := visit(plainName(m)); err != nil {
			return err
		}
	}
	return t.delimiter()
}

// plainName is the member with its name written without escapes.
func plainName(m member) member {
	if bytes.IndexByte(m.name, '\\') < 0 {
		return m
	}
	if name, err := jsontext.AppendUnquote(nil, m.name); err == nil {
		m.name = fmt.Appendf(nil, `"%s"`, name)
	}
	return m
}

// elements calls visit for each element of the array at which the text stands,
// and visit reads it. It says whether there is an array: null is none.
func (t *text) elements(visit func() error) (bool, error) {
	if t.decoder.PeekKind() != '[' {
		value, err := t.value()
		if err == nil && string(value) != "null" {
			err = fmt.Errorf("the server sent %.20q where an array was expected", value)
		}
		return false, err
	}
	if err := t.delimiter(); err != nil {
		return true, err
	}
	for t.decoder.PeekKind() != ']' {
		if err := visit(); err != nil {
			return true, err
		}
	}
	return true, t.delimiter()
}

// decode decodes the next value by the rules of Kubernetes: case counts, and
// integers stay what they are.
func (t *text) decode(into any) error {
	value, err := t.value()
	if err != nil {
		return err
	}
	return kubejson.Unmarshal(value, into)
}

// since is what was read from an offset on.
func (t *text) since(start int64) []byte { return t.data[start:t.decoder.InputOffset()] }

// end makes sure that there is nothing more.
func (t *text) end() error {
	if _, err := t.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("the server sent more than one JSON value")
	}
	return nil
}

// list walks a list. object is called to read each of its items, other for each
// member that is none of a list's own. It says whether there were items.
func (t *text) list(items string, item func() error, other func(member) error) (head listHead, err error) {
	err = t.members(func(m member) error {
		switch {
		case m.is(`"kind"`):
			return t.decode(&head.Kind)
		case m.is(`"apiVersion"`):
			return t.decode(&head.APIVersion)
		case m.is(`"metadata"`):
			return t.decode(&head.ListMeta)
		case m.is(items):
			there, err := t.elements(item)
			head.hasItems = head.hasItems || there
			return err
		}
		return other(m)
	})
	if err == nil {
		err = t.end()
	}
	return head, err
}

// listHead is what a list says of itself.
type listHead struct {
	metav1.TypeMeta
	metav1.ListMeta
	hasItems bool
}

// skip reads the value of a member that nobody wants.
func (t *text) skip(member) error {
	_, err := t.value()
	return err
}
