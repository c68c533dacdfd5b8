package decode

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

// decodeJSON decodes metadata into an empty ObjectMeta, as kubejson does, in a fraction of
// the time.
func (s *sharedMeta) decodeJSON(text []byte, into *metav1.ObjectMeta) error {
	if scanMembers(text, func(name, value []byte) bool { return s.decodeMember(name, value, into) }) {
		return nil
	}
	*into = metav1.ObjectMeta{}
	return kubejson.Unmarshal(text, into)
}

// decodeMember says whether it has decoded a member. Why not is for who decodes all
// of them to say.
func (s *sharedMeta) decodeMember(name, value []byte, into *metav1.ObjectMeta) bool {
	switch string(name) {
	case "labels":
		if into.Labels != nil {
			return false // what is shared stays as it is
		}
		labels, err := shared(s, s.labels, mostShared, value, decodeTexts)
		into.Labels = labels
		return err == nil
	case "ownerReferences":
		if into.OwnerReferences != nil {
			return false
		}
		owners, err := shared(s, s.owners, mostShared, value, decoded[[]metav1.OwnerReference])
		into.OwnerReferences = owners
		return err == nil
	case "creationTimestamp":
		return into.CreationTimestamp.UnmarshalJSON(value) == nil
	case "generation":
		generation, err := strconv.ParseInt(string(value), 10, 64)
		into.Generation = generation
		return err == nil
	case "annotations":
		if into.Annotations != nil {
			return false
		}
		annotations, err := s.textsOf(value)
		into.Annotations = annotations
		return err == nil
	}
	if field := textField(name, into); field != nil {
		return decodeText(value, field)
	}
	return kubejson.Unmarshal(slices.Concat([]byte(`{"`), name, []byte(`":`), value, []byte("}")), into) == nil
}

// textField is the field of a member that is text; nil for others.
func textField(name []byte, of *metav1.ObjectMeta) *string {
	switch string(name) {
	case "name":
		return &of.Name
	case "generateName":
		return &of.GenerateName
	case "namespace":
		return &of.Namespace
	case "resourceVersion":
		return &of.ResourceVersion
	case "uid":
		return (*string)(&of.UID)
	}
	return nil
}

// decoded decodes the ordinary way.
func decoded[V any](text []byte) (value V, err error) {
	err = kubejson.Unmarshal(text, &value)
	return value, err
}

// decodeText decodes a string. It has no escapes in most cases.
func decodeText(text []byte, into *string) bool {
	if text[0] == '"' && bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		*into = string(text[1 : len(text)-1])
		return true
	}
	return kubejson.Unmarshal(text, into) == nil
}

// textsOf decodes annotations: those that are short may be those of others, too.
func (s *sharedMeta) textsOf(text []byte) (map[string]string, error) {
	if len(text) <= maxAnnotations {
		return shared(s, s.annotations, mostAnnotations, text, decodeTexts)
	}
	return decodeTexts(text)
}

// decodeTexts decodes an object of strings.
func decodeTexts(text []byte) (map[string]string, error) {
	texts := map[string]string{}
	if scanMembers(text, func(name, text []byte) bool {
		var value string
		if !utf8.Valid(name) || !decodeText(text, &value) {
			return false
		}
		texts[string(name)] = value
		return true
	}) {
		return texts, nil
	}
	return decoded[map[string]string](text)
}
