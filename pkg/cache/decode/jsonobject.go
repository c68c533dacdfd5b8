package decode

import (
	"bytes"
	"cmp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// jsonObject is an object whose metadata is set apart from its other members. One
// jsonObject is used for many objects, so that its buffers are.
type jsonObject struct {
	metav1.TypeMeta
	Metadata jsonMetadata `json:"metadata"`
	// Rest are all other members.
	Rest jsontext.Value `json:",embed"` //nolint:staticcheck // which knows encoding/json's options alone
}

// jsonMetadata is the text of an object's metadata.
type jsonMetadata struct {
	keepManagedFields bool
	// present reports whether there is such an object.
	present bool
	members metadataMembers
}

type metadataMembers struct {
	// ManagedFields are not kept; where they are to be, they are in Rest.
	ManagedFields jsontext.Value `json:"managedFields"`
	Rest          jsontext.Value `json:",embed"` //nolint:staticcheck // as above
}

func (m *metadataMembers) reset() {
	m.ManagedFields, m.Rest = m.ManagedFields[:0], m.Rest[:0]
}

// UnmarshalJSONFrom reads metadata.
func (m *jsonMetadata) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	m.members.reset()
	m.present = d.PeekKind() == '{'
	if m.present && !m.keepManagedFields {
		return json.UnmarshalDecode(d, &m.members)
	}
	value, err := d.ReadValue()
	m.members.Rest = append(m.members.Rest, value...)
	return err
}

// text is the metadata as JSON.
func (m *jsonMetadata) text() []byte {
	if len(m.members.Rest) == 0 {
		return []byte("{}")
	}
	return m.members.Rest
}

// reset forgets the object, and keeps the buffers.
func (o *jsonObject) reset(keepManagedFields bool) {
	o.Metadata.members.reset()
	*o = jsonObject{
		Metadata: jsonMetadata{keepManagedFields: keepManagedFields, members: o.Metadata.members},
		Rest:     o.Rest[:0],
	}
}

// typeOr is the object's type; what it does not say of it, the known one does.
func (o *jsonObject) typeOr(known metav1.TypeMeta) metav1.TypeMeta {
	return metav1.TypeMeta{
		APIVersion: cmp.Or(o.APIVersion, known.APIVersion),
		Kind:       cmp.Or(o.Kind, known.Kind),
	}
}

// objectMeta decodes the metadata.
func (o *jsonObject) objectMeta(by *sharedMeta, into *metav1.ObjectMeta) error {
	if !o.Metadata.present {
		return errNoObject
	}
	return by.decodeJSON(o.Metadata.text(), into)
}

// whole writes the whole object, complete with its type.
func (o *jsonObject) whole(t metav1.TypeMeta) ([]byte, error) {
	const apiVersion, kind, metadata = `{"apiVersion":`, `,"kind":`, `,"metadata":`
	const quotes, ends = 4, 2
	size := len(apiVersion) + len(t.APIVersion) + len(kind) + len(t.Kind) + quotes + len(metadata) + len(o.Metadata.text()) + len(o.Rest) + ends
	out, err := jsontext.AppendQuote(append(make([]byte, 0, size), apiVersion...), t.APIVersion)
	if err != nil {
		return nil, err
	}
	if out, err = jsontext.AppendQuote(append(out, kind...), t.Kind); err != nil {
		return nil, err
	}
	out = append(append(out, metadata...), o.Metadata.text()...)
	if rest := bytes.TrimPrefix(o.Rest, []byte("{")); len(rest) > 0 {
		return append(append(out, ','), rest...), nil
	}
	return append(out, '}'), nil
}
