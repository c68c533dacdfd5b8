package printers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// Count is an indexed value and how many objects it holds.
type Count struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Counts is the document that machine formats print and templates see.
type Counts struct {
	Index  string  `json:"index"`
	Values []Count `json:"values"`
	// Warnings are what the document says of itself; templates do not see them.
	Warnings []string `json:"warnings,omitempty"`
}

// PrintCounts prints the values of an index, in the order given: as a table, as
// data ({"index", "values": [{"value", "count"}]}, or a value a line with jsonl),
// through a template, or the values alone with -o name. On a terminal text is
// escaped. Where w fails the error is w's own.
func (f *Flags) PrintCounts(w io.Writer, counts Counts, terminal bool) error {
	out, err := f.resolve()
	if err != nil {
		return err
	}
	counts.Values = append([]Count{}, counts.Values...) // never null
	if f.Limit > 0 {
		counts.Values = counts.Values[:min(f.Limit, len(counts.Values))]
	}
	shown := func(value string) string { return value }
	if terminal {
		shown = func(value string) string { return display.Escape(value, "") }
	}
	return display.Print(w, terminal, func(w *bufio.Writer) error {
		switch out.format {
		case table:
			counts.Index = shown(counts.Index)
			return f.printCountTable(w, counts, terminal)
		case customColumns:
			return fmt.Errorf("counts have no columns to choose from: -o custom-columns cannot be used with --count-by")
		case names:
			return printEach(w, counts.Values, func(c Count) ([]byte, error) { return []byte(shown(c.Value)), nil })
		case jsonLines:
			return printEach(w, counts.Values, func(c Count) ([]byte, error) { return json.Marshal(c) })
		}
		return printCountDocument(w, out, terminal, counts)
	})
}

func printEach(w io.Writer, values []Count, line func(Count) ([]byte, error)) error {
	for _, value := range values {
		text, err := line(value)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", text); err != nil {
			return err
		}
	}
	return nil
}

func (f *Flags) printCountTable(w io.Writer, counts Counts, terminal bool) error {
	lines := &metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{
		{Name: counts.Index, Type: "string"},
		{Name: "Count", Type: "integer"},
	}}
	builder := rowTables{own: terminal, clean: terminal}
	for _, value := range counts.Values {
		cells := builder.cells([]any{value.Value, value.Count}, 2)
		lines.Rows = append(lines.Rows, metav1.TableRow{Cells: cells})
	}
	return printers.NewTablePrinter(printers.PrintOptions{NoHeaders: f.noHeaders()}).PrintObj(lines, w)
}

func printCountDocument(w io.Writer, out *output, terminal bool, data Counts) error {
	printer, err := documentPrinter(out, terminal)
	if err != nil {
		return err
	}
	if out.format == jsonPath || out.format == goTemplate {
		return printer.PrintObj(&unstructured.Unstructured{Object: data.content()}, w)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return printer.PrintObj(&runtime.Unknown{Raw: raw}, w)
}

// content is the document as templates see it.
func (c Counts) content() map[string]any {
	values := make([]any, len(c.Values))
	for i, v := range c.Values {
		values[i] = map[string]any{"value": v.Value, "count": int64(v.Count)}
	}
	return map[string]any{"index": c.Index, "values": values}
}
