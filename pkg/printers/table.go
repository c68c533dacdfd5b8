package printers

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// tableBreaks are the characters at which kubectl's table printer cuts a cell.
const tableBreaks = "\n\r\f"

// named is how a row is given to kubectl's printers, which ask for its name by GetName:
// to an informer, that is a part of the storage key.
type named struct{ *cache.Row }

// GetName returns the name of the object.
func (n named) GetName() string { return n.Name }

// rowTables builds from rows the Tables that kubectl's printer takes.
type rowTables struct {
	// own copies the cells: the printer writes a kind into them.
	own bool
	// clean shows control characters in the copy.
	clean bool
}

// tables builds one Table for each run of rows with the same columns. A row
// without columns comes as it is, which the printer has a default for.
func (b rowTables) tables(rows []*cache.Row) []runtime.Object {
	var objects []runtime.Object
	var run *metav1.Table
	var columns *cache.Columns
	for _, row := range rows {
		if row.Columns == nil {
			objects, run = append(objects, named{row}), nil
			continue
		}
		if run == nil || !sameColumns(row.Columns, columns) {
			columns = row.Columns
			run = &metav1.Table{ColumnDefinitions: *columns}
			objects = append(objects, run)
		}
		run.Rows = append(run.Rows, metav1.TableRow{
			Cells:  b.cells(row.Cells, len(*columns)),
			Object: runtime.RawExtension{Object: named{row}},
		})
	}
	return objects
}

// cells are n cells at least. A server may send more than it has columns for:
// kubectl then takes the first of them for a column that it adds, and so do we.
// Whoever appends to cells copies them.
func (b rowTables) cells(cells []any, n int) []any {
	n = max(n, len(cells))
	if !b.own && len(cells) == n {
		return cells[:n:n]
	}
	own := make([]any, n)
	for i := copy(own, cells); i < n; i++ {
		own[i] = ""
	}
	if b.clean {
		cleanCells(own)
	}
	return own
}

// cleanCells shows the control characters in cells, but for those that
// kubectl's printer deals with.
func cleanCells(cells []any) {
	for i, cell := range cells {
		if s, ok := cell.(string); ok && !isSafe(s, tableBreaks) {
			cells[i] = makeSafe(s, tableBreaks)
		}
	}
}

// sameColumns compares columns, which come anew with every connection.
func sameColumns(a, b *cache.Columns) bool {
	return a == b || a != nil && b != nil && slices.Equal(*a, *b)
}
