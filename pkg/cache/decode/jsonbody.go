package decode

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
)

// jsonBody is an object as it came, decoded whenever it is asked for: nested
// maps take several times the room.
type jsonBody struct{ text compress.Bytes }

var (
	_ cache.JSONBody     = jsonBody{}
	_ cache.ComparedBody = jsonBody{}
	_ compress.Body      = jsonBody{}
)

// Bytes are the object's text.
func (b jsonBody) Bytes() compress.Bytes { return b.text }

// Of returns the body of another text.
func (jsonBody) Of(text compress.Bytes) cache.Body { return jsonBody{text} }

// Equal compares the texts.
func (b jsonBody) Equal(other cache.Body) bool {
	o, ok := other.(jsonBody)
	return ok && b.text.Equal(o.text)
}

// Unstructured decodes the object.
func (b jsonBody) Unstructured() (object *unstructured.Unstructured, err error) {
	err = b.text.Read(func(text []byte) error {
		object, err = unmarshalMaps(text)
		return err
	})
	return object, err
}

// unmarshalMaps decodes an object. It keeps no part of the text.
func unmarshalMaps(text []byte) (*unstructured.Unstructured, error) {
	var object map[string]any
	err := kubejson.Unmarshal(text, &object)
	return &unstructured.Unstructured{Object: object}, err
}

// JSON returns the text, if its numbers are written as Go writes them.
func (b jsonBody) JSON() ([]byte, error) {
	text, err := b.text.Get()
	if err != nil || hasPlainNumbers(text) {
		return text, err
	}
	object, err := unmarshalMaps(text)
	if err != nil {
		return nil, err
	}
	return kubejson.Marshal(object.Object)
}

// hasPlainNumbers looks at every number. The text is known to be JSON.
func hasPlainNumbers(text []byte) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i = endOfString(text, i)
		case c == '-' || '0' <= c && c <= '9':
			end := i
			for end < len(text) && strings.IndexByte("+-.0123456789eE", text[end]) >= 0 {
				end++
			}
			if !isPlainNumber(string(text[i:end])) {
				return false
			}
			i = end - 1
		}
	}
	return true
}

// endOfString is where the quotes are that end the string which begins at start.
func endOfString(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

// isPlainNumber reports whether a number stays as it is when it is decoded and
// encoded again.
func isPlainNumber(number string) bool {
	const longest = 18 // digits of an int64, whatever they are
	digits := strings.TrimPrefix(number, "-")
	if len(digits) <= longest && strings.Trim(digits, "0123456789") == "" {
		return number != "-0"
	}
	var value any
	if err := kubejson.Unmarshal([]byte(number), &value); err != nil {
		return false
	}
	again, err := kubejson.Marshal(value)
	return err == nil && string(again) == number
}
