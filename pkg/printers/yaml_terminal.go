package printers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// OnTerminal decorates a printer of that format, as -o names it, for what is
// printed on a terminal, where display's escapes come last. An escape is the
// character itself only between double quotes: YAML's printers put all text
// there that has characters to be escaped.
func OnTerminal(printer printers.ResourcePrinter, outputFormat string) printers.ResourcePrinter {
	if f := format(strings.ToLower(outputFormat)); f != yamlDocument && f != kyamlDocument {
		return printer
	}
	return printers.ResourcePrinterFunc(func(object runtime.Object, w io.Writer) error {
		marked, err := markObject(object)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := printer.PrintObj(marked, &text); err != nil {
			return err
		}
		_, err = w.Write(unmark(text.Bytes()))
		return err
	})
}

// markObject marks the text in an object. A printer looks into an Unstructured,
// and knows JSON as it is.
func markObject(object runtime.Object) (runtime.Object, error) {
	if unknown, ok := object.(*runtime.Unknown); ok {
		return &runtime.Unknown{Raw: markJSON(unknown.Raw)}, nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if _, ok := object.(*unstructured.Unstructured); !ok {
		return &runtime.Unknown{Raw: markJSON(data)}, nil
	}
	marked := &unstructured.Unstructured{}
	err = marked.UnmarshalJSON(markJSON(data))
	return marked, err
}

// mark and eight digits stand for a character while YAML is printed. It is
// one that YAML's readers take and its printers do not leave as it is: they put
// the text that holds it between double quotes, and spell it \U0010FFFD.
const mark = '\U0010fffd'

var (
	jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	// markSpelled is what only a mark may be printed as, without its backslash:
	// text that is not between double quotes could hold that as well.
	markSpelled = regexp.MustCompile(`(?i)U0010fffd`)
	markPrinted = regexp.MustCompile(`\\U0010(?:fffd|FFFD)([0-9a-f]{8})`)
)

// markJSON marks, in all text of a JSON document, what is to be escaped.
func markJSON(data []byte) []byte {
	return jsonString.ReplaceAllFunc(data, func(quoted []byte) []byte {
		var text string
		if json.Unmarshal(quoted, &text) != nil || !needsMarks(text) {
			return quoted
		}
		marked, err := json.Marshal(markText(text))
		if err != nil {
			return quoted
		}
		return marked
	})
}

func needsMarks(text string) bool {
	return !display.IsSafe(text, "\n\t") || strings.ContainsRune(text, mark) || markSpelled.MatchString(text)
}

func markText(text string) string {
	parts := strings.Split(text, string(mark))
	for i, part := range parts {
		parts[i] = markSpelled.ReplaceAllStringFunc(display.EscapeFunc(part, "\n\t", markOf), func(spelled string) string {
			return markOf(rune(spelled[0])) + spelled[1:]
		})
	}
	return strings.Join(parts, markOf(mark))
}

func markOf(r rune) string { return fmt.Sprintf("%c%08x", mark, r) }

// unmark puts YAML's escapes in the place of marks.
func unmark(text []byte) []byte {
	return markPrinted.ReplaceAllFunc(text, func(printed []byte) []byte {
		r, _ := strconv.ParseUint(string(printed[len(printed)-8:]), 16, 32)
		if r > 0xffff {
			return fmt.Appendf(nil, `\U%08x`, r)
		}
		return fmt.Appendf(nil, `\u%04x`, r)
	})
}
