package printers

import (
	"fmt"
	"io"
	"strings"

	"k8s.io/client-go/util/jsonpath"
	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// noValue is what kubectl prints where an object has nothing for a column.
const noValue = "<none>"

// customColumn is a column of -o custom-columns whose cells can be had one by
// one: kubectl's printer hands out whole rows, in which a newline of a value ends
// the row.
type customColumn struct {
	header string
	path   *jsonpath.JSONPath
	// broken is why the column's expression cannot be parsed, if it cannot.
	broken error
}

func columnsOf(custom *get.CustomColumnsPrinter) []customColumn {
	columns := make([]customColumn, len(custom.Columns))
	for i, column := range custom.Columns {
		path := jsonpath.New(fmt.Sprintf("column%d", i)).AllowMissingKeys(true)
		columns[i] = customColumn{header: column.Header, path: path, broken: path.Parse(column.FieldSpec)}
	}
	return columns
}

// text is the column's text, as kubectl writes it.
func (c customColumn) text(object map[string]any) (string, error) {
	if c.broken != nil {
		return "", c.broken
	}
	results, err := fieldpath.Find(c.path, object)
	if err != nil {
		return "", err
	}
	var values []string
	if len(results) == 0 || len(results[0]) == 0 {
		values = append(values, noValue)
	}
	for _, result := range results {
		for _, value := range result {
			values = append(values, fmt.Sprint(value.Interface()))
		}
	}
	return strings.Join(values, ","), nil
}

// writeRow writes one row of a table. Its cells can hold no tab or newline of
// their own: those would be further cells and rows.
func writeRow(w io.Writer, cells []string) error {
	for i, cell := range cells {
		cells[i] = display.Escape(cell, "")
	}
	_, err := fmt.Fprintln(w, strings.Join(cells, "\t"))
	return err
}
