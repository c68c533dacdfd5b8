package printers

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

func TestEscapedYAMLIsTheSameText(t *testing.T) {
	for _, text := range []string{
		"user\u202etxt.exe", "multi\nline\u202e\n", "\u2028", "a\rb", "\u0085", "\ufeff", "\U000e0041 tag", "⚠\ufe0f ok", "a\ufe0f", "\x1b[2J",
		`\U0010FFFD0000202e`, `\U0010fffd0000202e` + "\u202e", "u0010fffd", string(mark), string(mark) + "0000202e", "a" + string(mark) + "\u202e", "\u3164", "\ttab\u200b ", "- \u200b: x",
	} {
		checkYAMLOnTerminal(t, text)
	}
}

func FuzzEscapedYAMLIsTheSameText(f *testing.F) {
	for _, seed := range []string{"", "plain", "\u202e", "a\n\u2066b\n ", "\ufeffU0010FFFD" + string(mark), `\U0010FFFD00000041`, "\U000e0041", "\u0085\u2028\r", "#\u200b", "'\"\\\u061c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// What a server sends is UTF-8, and what YAML cannot hold at all kubectl
		// cannot print either.
		if utf8.ValidString(text) {
			checkYAMLOnTerminal(t, text)
		}
	})
}

func checkYAMLOnTerminal(t *testing.T, text string) {
	t.Helper()
	data := map[string]any{"key": text}
	// KYAML writes keys that are too long for YAML's readers.
	if len(text) < 100 {
		data["k"+text] = "value"
	}
	object := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": data}
	for _, format := range []format{yamlDocument, kyamlDocument} {
		var out strings.Builder
		if err := yamlPrinter(format, true).PrintObj(&unstructured.Unstructured{Object: object}, &out); err != nil {
			t.Fatalf("-o %s of %q: %v", format, text, err)
		}
		if !display.IsSafe(out.String(), "\n\t") {
			t.Errorf("-o %s of %q is not safe: %q", format, text, out.String())
		}
		var plain strings.Builder
		if err := yamlPrinter(format, false).PrintObj(&unstructured.Unstructured{Object: object}, &plain); err != nil {
			t.Fatal(err)
		}
		if !needsMarks(text) && plain.String() != out.String() {
			t.Errorf("-o %s of %q, which is safe: %q, want %q", format, text, out.String(), plain.String())
		}
		var decoded map[string]any
		if err := yaml.Unmarshal([]byte(out.String()), &decoded); err != nil {
			t.Fatalf("-o %s of %q: %v in\n%s", format, text, err, out.String())
		}
		if !reflect.DeepEqual(decoded["data"], any(data)) && !isBrokenInKYAML(text) {
			t.Errorf("-o %s of %q: decoded as %q from\n%s", format, text, decoded["data"], out.String())
		}
	}
}

// isBrokenInKYAML says that kubectl's KYAML reads as another text, in a pipe too:
// it writes two backslashes before a space beyond ASCII that begins a line.
func isBrokenInKYAML(text string) bool {
	var before rune
	for _, r := range text {
		if before == '\n' && r > unicode.MaxASCII && unicode.IsSpace(r) && display.IsSafe(string(r), "") {
			return true
		}
		before = r
	}
	return false
}
