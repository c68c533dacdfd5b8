package printers

import (
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"
)

// streamJSON prints the List into which kubectl's printer would put the objects,
// between what it prints of a List without any.
func (l objectList) streamJSON() error {
	head, tail, err := l.emptyDocument(&printers.JSONPrinter{})
	if err != nil {
		return err
	}
	opening, closing := head+"[\n"+itemIndent, "\n    ]"+tail
	if len(l.rows) == 0 {
		opening, closing = head, "[]"+tail
	}
	var item []byte
	for _, row := range l.rows {
		if item, err = appendJSON(append(item[:0], opening...), row, asItem, l.showManagedFields); err != nil {
			return err
		}
		if _, err := l.w.Write(item); err != nil {
			return err
		}
		opening = ",\n" + itemIndent
	}
	if len(l.rows) == 0 {
		closing = opening + closing
	}
	_, err = l.w.WriteString(closing)
	return err
}

// streamYAML is streamJSON for YAML.
func (l objectList) streamYAML() error {
	head, tail, err := l.emptyDocument(yamlPrinter(yamlDocument, l.terminal))
	if err != nil {
		return err
	}
	if len(l.rows) == 0 {
		_, err := l.w.WriteString(head + "[]" + tail)
		return err
	}
	if _, err := l.w.WriteString(strings.TrimSuffix(head, " ") + "\n"); err != nil {
		return err
	}
	var items yamlItems
	for object, err := range l.objects() {
		if err != nil {
			return err
		}
		item, err := items.item(object, l.terminal)
		if err != nil {
			return err
		}
		if _, err := l.w.Write(item); err != nil {
			return err
		}
	}
	_, err = l.w.WriteString(strings.TrimPrefix(tail, "\n"))
	return err
}

// emptyList is the List that kubectl makes up for the objects it prints.
func (l objectList) emptyList() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{Object: map[string]any{
		"kind":       "List",
		"apiVersion": "v1",
		"metadata":   map[string]any{"resourceVersion": ""},
	}}
	if len(l.warnings) > 0 {
		warnings := make([]any, len(l.warnings))
		for n, warning := range l.warnings {
			warnings[n] = warning
		}
		list.Object["warnings"] = warnings
	}
	return list
}

// emptyDocument is an empty List as printer prints it, up to and after its items.
func (l objectList) emptyDocument(printer printers.ResourcePrinter) (head, tail string, err error) {
	var document strings.Builder
	if err := printer.PrintObj(l.emptyList(), &document); err != nil {
		return "", "", err
	}
	head, tail, found := strings.Cut(document.String(), "[]")
	if !found {
		return "", "", fmt.Errorf("an empty List has no empty items: %q", document.String())
	}
	return head, tail, nil
}

// documentPrinter prints one object, or a List, in the output's format.
func documentPrinter(out *output, terminal bool) (printers.ResourcePrinter, error) {
	switch out.format {
	case jsonDocument:
		return &printers.JSONPrinter{}, nil
	case yamlDocument, kyamlDocument:
		return yamlPrinter(out.format, terminal), nil
	case customColumns:
		return out.columnsPrinter(), nil
	}
	printer, err := out.kubectl.ToPrinter()
	return printers.ResourcePrinterFunc(func(object runtime.Object, w io.Writer) error {
		return withoutPanic(func() error { return printer.PrintObj(object, w) })
	}), err
}
