package printers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

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

// Combination is values of several indexes that occur together, and how many objects
// have them.
type Combination struct {
	Values []string `json:"values"`
	Count  int      `json:"count"`
}

// Counts are the values of one index, in the order in which they are printed, or, of
// several, their combinations.
type Counts struct {
	Index  string
	Values []Count
	// Indexes are the names of several; then Combinations are printed, not Values.
	Indexes      []string
	Combinations []Combination
	// Warnings are what the document says of itself; templates do not see them.
	Warnings []string
}

// MarshalJSON makes the document of machine formats.
func (c Counts) MarshalJSON() ([]byte, error) {
	if len(c.Indexes) > 0 {
		return json.Marshal(struct {
			Indexes  []string      `json:"indexes"`
			Values   []Combination `json:"values"`
			Warnings []string      `json:"warnings,omitempty"`
		}{c.Indexes, c.Combinations, c.Warnings})
	}
	return json.Marshal(struct {
		Index    string   `json:"index"`
		Values   []Count  `json:"values"`
		Warnings []string `json:"warnings,omitempty"`
	}{c.Index, c.Values, c.Warnings})
}

// limited returns no more than so many, and never null.
func (c Counts) limited(limit int) Counts {
	c.Values, c.Combinations = append([]Count{}, c.Values...), append([]Combination{}, c.Combinations...)
	if limit > 0 {
		c.Values = c.Values[:min(limit, len(c.Values))]
		c.Combinations = c.Combinations[:min(limit, len(c.Combinations))]
	}
	return c
}

// countLine is one line of counts.
type countLine struct {
	values []string
	count  int
	// data is the line as data.
	data any
}

func (c Counts) lines() []countLine {
	var lines []countLine
	if len(c.Indexes) > 0 {
		for _, one := range c.Combinations {
			lines = append(lines, countLine{one.Values, one.Count, one})
		}
		return lines
	}
	for _, one := range c.Values {
		lines = append(lines, countLine{[]string{one.Value}, one.Count, one})
	}
	return lines
}

// names are the names of the indexes.
func (c Counts) names() []string {
	if len(c.Indexes) > 0 {
		return c.Indexes
	}
	return []string{c.Index}
}

// PrintCounts prints the values of an index, in the order given: as a table, as
// data ({"index", "values": [{"value", "count"}]}, or a value a line with jsonl),
// through a template, or the values alone with -o name. Of several indexes it prints
// their combinations: {"indexes", "values": [{"values", "count"}]}, and with -o name
// the values of a line are separated by tabs. On a terminal text is escaped. Where w
// fails the error is w's own.
func (f *Flags) PrintCounts(w io.Writer, counts Counts, terminal bool) error {
	out, err := f.resolve()
	if err != nil {
		return err
	}
	counts = counts.limited(f.Limit)
	shown := func(value string) string { return value }
	if terminal {
		shown = func(value string) string { return display.Escape(value, "") }
	}
	return display.Print(w, terminal, func(w *bufio.Writer) error {
		switch out.format {
		case table:
			return f.printCountTable(w, counts, shown, terminal)
		case customColumns:
			return fmt.Errorf("counts have no columns to choose from: -o custom-columns cannot be used with --count-by")
		case names:
			return printEach(w, counts.lines(), func(line countLine) ([]byte, error) {
				values := make([]string, len(line.values))
				for i, value := range line.values {
					values[i] = shown(value)
				}
				return []byte(strings.Join(values, "\t")), nil
			})
		case jsonLines:
			return printEach(w, counts.lines(), func(line countLine) ([]byte, error) { return json.Marshal(line.data) })
		}
		return printCountDocument(w, out, terminal, counts)
	})
}

func printEach(w io.Writer, values []countLine, line func(countLine) ([]byte, error)) error {
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

func (f *Flags) printCountTable(w io.Writer, counts Counts, shown func(string) string, terminal bool) error {
	lines := &metav1.Table{}
	for _, name := range counts.names() {
		lines.ColumnDefinitions = append(lines.ColumnDefinitions, metav1.TableColumnDefinition{Name: shown(name), Type: "string"})
	}
	lines.ColumnDefinitions = append(lines.ColumnDefinitions, metav1.TableColumnDefinition{Name: "Count", Type: "integer"})
	builder := rowTables{own: terminal, clean: terminal}
	for _, line := range counts.lines() {
		var all []any
		for _, value := range line.values {
			all = append(all, value)
		}
		cells := builder.cells(append(all, line.count), len(lines.ColumnDefinitions))
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
	if len(c.Indexes) > 0 {
		values := make([]any, len(c.Combinations))
		for i, one := range c.Combinations {
			values[i] = map[string]any{"values": anys(one.Values), "count": int64(one.Count)}
		}
		return map[string]any{"indexes": anys(c.Indexes), "values": values}
	}
	values := make([]any, len(c.Values))
	for i, v := range c.Values {
		values[i] = map[string]any{"value": v.Value, "count": int64(v.Count)}
	}
	return map[string]any{"index": c.Index, "values": values}
}

func anys(texts []string) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
	}
	return values
}
