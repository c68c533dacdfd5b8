package printers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"
)

// yamlPrinter prints one document in one of YAML's formats: kubectl's printer,
// from the second on, puts a separator before each.
func yamlPrinter(format format, terminal bool) printers.ResourcePrinter {
	var printer printers.ResourcePrinter = &printers.YAMLPrinter{}
	if format == kyamlDocument {
		printer = &printers.KYAMLPrinter{}
	}
	printer = anyCharacter(printer)
	if terminal {
		printer = OnTerminal(printer, string(format))
	}
	return printer
}

// anyCharacter decorates a YAML printer, so that it can print characters that
// YAML does not allow: it is handed JSON in which they are escaped.
func anyCharacter(yaml printers.ResourcePrinter) printers.ResourcePrinter {
	return printers.ResourcePrinterFunc(func(object runtime.Object, w io.Writer) error {
		var data []byte
		if unknown, ok := object.(*runtime.Unknown); ok {
			data = unknown.Raw
		} else {
			var err error
			if data, err = json.Marshal(object); err != nil {
				return err
			}
		}
		return yaml.PrintObj(&runtime.Unknown{Raw: escapeForYAML(data)}, w)
	})
}

// item is an object as an item of the List that kubectl's printer prints. The
// printer's library writes JSON, reads that as YAML, and prints what it has read:
// the same maps again, but for numbers that are not written as integers. Without
// such the maps are laid out at once. The result is valid until the next call.
func (y *yamlItems) item(object *unstructured.Unstructured, terminal bool) ([]byte, error) {
	if !terminal && isExactInYAML(object.Object) {
		return y.append(y.text[:0], object.Object)
	}
	alone := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*object}}
	var item strings.Builder
	err := yamlPrinter(yamlDocument, terminal).PrintObj(alone, &item)
	return []byte(strings.TrimPrefix(item.String(), "items:\n")), err
}

// isExactInYAML says whether a value is made of strings that are text, int64,
// booleans and null alone.
func isExactInYAML(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if !isExactInYAML(name) || !isExactInYAML(member) {
				return false
			}
		}
		return true
	case []any:
		for _, element := range value {
			if !isExactInYAML(element) {
				return false
			}
		}
		return true
	case string:
		return utf8.ValidString(value)
	case int64, bool, nil:
		return true
	}
	return false
}

// escapeForYAML escapes, in JSON, the characters that JSON allows raw and YAML
// does not: DEL, C1 and two noncharacters. (U+0085 YAML does allow, as a line
// break, and reads a space.) kubectl fails on such objects, or changes them.
func escapeForYAML(data []byte) []byte {
	if !bytes.ContainsFunc(data, unreadableInYAML) {
		return data
	}
	escaped := make([]byte, 0, len(data)+64)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if unreadableInYAML(r) {
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		} else {
			escaped = append(escaped, data[:size]...)
		}
		data = data[size:]
	}
	return escaped
}

func unreadableInYAML(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == 0xfffe || r == 0xffff
}
