package decode

import (
	"bytes"
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

// objectText is an object as it is written: the texts of its members. They are
// parts of the text that was read, and one objectText serves for many objects.
type objectText struct {
	metav1.TypeMeta
	// metadata are the members of metadata, without managedFields unless they are
	// to be kept; hasMetadata says whether there was such an object.
	metadata    [][]byte
	hasMetadata bool
	// rest are all other members, but for kind and apiVersion.
	rest [][]byte
	// joined is what was last written.
	joined []byte
}

// read reads the object at which the text stands.
func (o *objectText) read(t *text, keepManagedFields bool) error {
	o.reset()
	return t.members(func(m member) error {
		switch {
		case m.is(`"kind"`):
			return o.word(t, &o.Kind)
		case m.is(`"apiVersion"`):
			return o.word(t, &o.APIVersion)
		case m.is(`"metadata"`):
			return o.readMetadata(t, keepManagedFields)
		}
		_, err := t.value()
		o.rest = append(o.rest, t.since(m.start))
		return err
	})
}

// reset forgets the object, and keeps the room that it took.
func (o *objectText) reset() {
	*o = objectText{metadata: o.metadata[:0], rest: o.rest[:0], joined: o.joined[:0]}
}

// typeOr is the object's type; what it does not say of it, the known one does.
func (o *objectText) typeOr(known metav1.TypeMeta) metav1.TypeMeta {
	return metav1.TypeMeta{
		APIVersion: cmp.Or(o.APIVersion, known.APIVersion),
		Kind:       cmp.Or(o.Kind, known.Kind),
	}
}

// word reads a string; all else is taken for an empty one.
func (o *objectText) word(t *text, into *string) error {
	value, err := t.value()
	if err != nil {
		return err
	}
	*into = ""
	if value[0] == '"' {
		return kubejson.Unmarshal(value, into)
	}
	return nil
}

func (o *objectText) readMetadata(t *text, keepManagedFields bool) error {
	o.metadata = o.metadata[:0]
	o.hasMetadata = t.decoder.PeekKind() == '{'
	return t.members(func(m member) error {
		_, err := t.value()
		if keepManagedFields || !m.is(`"managedFields"`) {
			o.metadata = append(o.metadata, t.since(m.start))
		}
		return err
	})
}

// objectMeta decodes the metadata.
func (o *objectText) objectMeta(into *metav1.ObjectMeta) error {
	if !o.hasMetadata {
		return errNoObject
	}
	o.joined = appendObject(o.joined[:0], o.metadata)
	return kubejson.Unmarshal(o.joined, into)
}

// whole writes the whole object, complete with its type.
func (o *objectText) whole(t metav1.TypeMeta) ([]byte, error) {
	apiVersion, err := kubejson.Marshal(t.APIVersion)
	if err != nil {
		return nil, err
	}
	kind, err := kubejson.Marshal(t.Kind)
	if err != nil {
		return nil, err
	}
	out := o.joined[:0]
	out = append(out, `{"apiVersion":`...)
	out = append(append(out, apiVersion...), `,"kind":`...)
	out = append(append(out, kind...), `,"metadata":`...)
	out = appendObject(out, o.metadata)
	for _, member := range o.rest {
		out = append(append(out, ','), member...)
	}
	out = append(out, '}')
	o.joined = out
	return bytes.Clone(o.joined), nil
}

func appendObject(to []byte, members [][]byte) []byte {
	to = append(to, '{')
	for i, member := range members {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(to, member...)
	}
	return append(to, '}')
}
