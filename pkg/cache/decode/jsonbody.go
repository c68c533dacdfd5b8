package decode

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// jsonBody is an object as it came, decoded whenever it is asked for: nested
// maps take several times the room.
type jsonBody []byte

var _ cache.JSONBody = jsonBody(nil)

// Unstructured decodes the object.
func (b jsonBody) Unstructured() (*unstructured.Unstructured, error) {
	var object map[string]any
	err := kubejson.Unmarshal(b, &object)
	return &unstructured.Unstructured{Object: object}, err
}

// JSON returns the text, if its numbers are written as Go writes them.
func (b jsonBody) JSON() ([]byte, error) {
	if b.hasPlainNumbers() {
		return b, nil
	}
	object, err := b.Unstructured()
	if err != nil {
		return nil, err
	}
	return kubejson.Marshal(object.Object)
}

// hasPlainNumbers looks at every number. The text is known to be JSON.
func (b jsonBody) hasPlainNumbers() bool {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			i = endOfString(b, i)
		case c == '-' || '0' <= c && c <= '9':
			end := i
			for end < len(b) && strings.IndexByte("+-.0123456789eE", b[end]) >= 0 {
				end++
			}
			if !isPlainNumber(string(b[i:end])) {
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
