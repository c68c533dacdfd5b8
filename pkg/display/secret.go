package display

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Mask stands for a value that is not shown, in kubectl diff's words. It shows
// nothing of the value, not even its length.
const Mask = "***"

// IsSecret says whether objects of a kind keep what must not be shown unasked.
func IsSecret(kind schema.GroupVersionKind) bool { return kind.Group == "" && kind.Kind == "Secret" }

// IsSecretMember says whether a member of a Secret holds its values.
func IsSecretMember(name string) bool { return name == "data" || name == "stringData" }

// MaskSecret returns a Secret with a mask in place of each of its values, and of
// each annotation that gives one away. It shares the rest with the original.
func MaskSecret(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	values := SecretValuesOf(object)
	masked := maps.Clone(object)
	for name, member := range object {
		if IsSecretMember(name) {
			masked[name] = maskedMember(member)
		}
	}
	metadata, _ := object["metadata"].(map[string]any)
	annotations, ok := metadata["annotations"].(map[string]any)
	if !ok {
		return masked
	}
	annotations = maps.Clone(annotations)
	for name, value := range annotations {
		if text, _ := value.(string); values.GivenAwayBy(name, text) {
			annotations[name] = Mask
		}
	}
	metadata = maps.Clone(metadata)
	metadata["annotations"] = annotations
	masked["metadata"] = metadata
	return masked
}

// maskedMember keeps the names of values.
func maskedMember(member any) any {
	values, ok := member.(map[string]any)
	if !ok {
		return Mask
	}
	masked := make(map[string]any, len(values))
	for name := range values {
		masked[name] = Mask
	}
	return masked
}

// SecretValues finds a Secret's values in other texts.
type SecretValues struct {
	// long are found wherever they stand, short only as whole words: one letter is
	// in every text.
	long, short []string
}

// longEnough is from how many bytes on a text is no coincidence.
const longEnough = 4

// SecretValuesOf returns the values of all states of a Secret, each in the forms
// in which people and programs copy it.
func SecretValuesOf(states ...map[string]any) SecretValues {
	var values SecretValues
	for _, state := range states {
		encoded, _ := state["data"].(map[string]any)
		for _, value := range encoded {
			text, _ := value.(string)
			values.add(strings.TrimRight(text, "="))
			if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
				values.addRaw(string(raw))
				values.add(base64.RawURLEncoding.EncodeToString(raw))
			}
		}
		plain, _ := state["stringData"].(map[string]any)
		for _, value := range plain {
			text, _ := value.(string)
			values.addRaw(text)
			values.add(base64.RawStdEncoding.EncodeToString([]byte(text)))
			values.add(base64.RawURLEncoding.EncodeToString([]byte(text)))
		}
	}
	return values
}

// addRaw adds a value as it is, as it is written in JSON, and, of several lines,
// each that is long enough: JSON and YAML join lines in many ways.
func (v *SecretValues) addRaw(text string) {
	text = strings.TrimSpace(text)
	v.add(text)
	if utf8.ValidString(text) {
		var quoted bytes.Buffer
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(text); err == nil {
			v.add(strings.Trim(quoted.String(), "\"\n"))
		}
	}
	if !strings.Contains(text, "\n") {
		return
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= 2*longEnough {
			v.add(line)
		}
	}
}

func (v *SecretValues) add(text string) {
	switch {
	case len(text) >= longEnough:
		v.long = append(v.long, text)
	case text != "":
		v.short = append(v.short, text)
	}
}

// In says whether a text holds one of the values.
func (v SecretValues) In(text string) bool {
	for _, value := range v.long {
		if strings.Contains(text, value) {
			return true
		}
	}
	for _, value := range v.short {
		if containsWord(text, value) {
			return true
		}
	}
	return false
}

func containsWord(text, word string) bool {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for {
		before, after, found := strings.Cut(text, word)
		if !found {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if !isPart(last) && !isPart(next) {
			return true
		}
		text = after
	}
}

// GivenAwayBy says whether an annotation gives a Secret's values away: those of
// today, or, in a copy of the object or of its changes as kubectl apply, kapp and
// others leave behind, those of another day. What cannot be looked into does.
func (v SecretValues) GivenAwayBy(name, text string) bool {
	return name == corev1.LastAppliedConfigAnnotation || v.givenAway(text, maxEncodings)
}

// maxEncodings is how many encodings of base64 around a text are looked through.
const maxEncodings = 4

// copyOfSecret is a member that holds a Secret's values, in JSON, in YAML, and in
// either within a string, or the path of one in a JSON patch.
var copyOfSecret = regexp.MustCompile(`\b(?:data|stringData)\\*["']?\s*:|["']/(?:data|stringData)\b`)

func (v SecretValues) givenAway(text string, encodings int) bool {
	if v.In(text) || copyOfSecret.MatchString(text) {
		return true
	}
	decoded, ok := decode(text)
	if !ok {
		return false
	}
	return isCompressed(decoded) || encodings > 1 && v.givenAway(string(decoded), encodings-1)
}

// decode decodes base64, whichever alphabet and padding.
func decode(text string) ([]byte, bool) {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	if len(text) < longEnough {
		return nil, false
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if decoded, err := encoding.DecodeString(text); err == nil {
			return decoded, true
		}
	}
	return nil, false
}

// isCompressed says whether data is an archive: gzip, zip, zstd.
func isCompressed(data []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "PK\x03\x04", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return false
}
