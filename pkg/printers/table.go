package printers

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// tableBreaks are the characters at which kubectl's table printer cuts a cell.
const tableBreaks = "\n\r\f"

// named is how a row is given to kubectl's printers, which ask for its name by GetName
// and GetNamespace: to an informer, those are the storage key.
type named struct{ *cache.Row }

// GetNamespace returns the namespace of the object.
func (n named) GetNamespace() string { return n.Namespace }

// GetName returns the name of the object.
func (n named) GetName() string { return n.Name }

// rowTables builds from rows the Tables that kubectl's printer takes.
type rowTables struct {
	// own copies the cells: the printer writes a kind into them.
	own bool
	// clean escapes what a terminal must not get, in names and in the copy.
	clean bool
	// namespaces says that rows have a column NAMESPACE.
	namespaces bool
	// side, where not nil, has rows of several clusters in one table: with the context in
	// front, where kubectl's printer has no column for it, and behind that the namespace.
	side *sideBySide
	// columnsOfAll are the columns of the table then.
	columnsOfAll *cache.Columns
}

// begin has the rows of the next table side by side.
func (b *rowTables) begin(side *sideBySide, groups []Group) {
	b.side = side
	for _, group := range groups {
		for _, row := range group.Rows {
			b.side.add(row.Columns)
		}
	}
	lead := cache.Columns{{Name: "Context", Type: "string"}}
	if b.namespaces {
		lead = append(lead, metav1.TableColumnDefinition{Name: "Namespace", Type: "string"})
	}
	b.columnsOfAll = new(append(lead, b.side.columns()...))
}

// tables builds one Table for each run of rows with the same columns. A row
// without columns comes as it is, which the printer has a default for.
func (b rowTables) tables(rows []*cache.Row) []runtime.Object {
	var objects []runtime.Object
	var run *metav1.Table
	var columns *cache.Columns
	for _, row := range rows {
		if b.side != nil {
			row = b.withContext(row)
		}
		if row.Columns == nil {
			objects, run = append(objects, named{b.row(row)}), nil
			continue
		}
		if run == nil || !sameColumns(row.Columns, columns) {
			columns = row.Columns
			run = &metav1.Table{ColumnDefinitions: b.columns(*columns)}
			objects = append(objects, run)
		}
		run.Rows = append(run.Rows, metav1.TableRow{
			Cells:  b.cells(row.Cells, len(*columns)),
			Object: runtime.RawExtension{Object: named{b.row(row)}},
		})
	}
	return objects
}

// withContext is a row whose first columns say where it is. A row without columns gets
// those that the printer has for it.
func (b rowTables) withContext(row *cache.Row) *cache.Row {
	cells := row.Cells
	if row.Columns == nil {
		_, cells = eventCells{bare: b.side.bare, now: time.Now}.of(row)
	}
	place := []any{row.Context()}
	if b.namespaces {
		place = append(place, row.Namespace)
	}
	placed := *row
	placed.Columns, placed.Cells = b.columnsOfAll, slices.Concat(place, b.side.cells(row.Columns, cells))
	return &placed
}

func (b rowTables) columns(columns cache.Columns) cache.Columns {
	if !b.clean {
		return columns
	}
	return cleanColumns(columns)
}

func (b rowTables) row(row *cache.Row) *cache.Row {
	if !b.clean {
		return row
	}
	return cleanRow(row)
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

// cleanCells escapes cells, but for the breaks that kubectl's printer deals with
// in text. Of other values it has none to deal with.
func cleanCells(cells []any) {
	for i, cell := range cells {
		switch cell := cell.(type) {
		case string:
			if !display.IsSafe(cell, tableBreaks) {
				cells[i] = display.Escape(cell, tableBreaks)
			}
		case nil, bool, int, int64, float64:
		default:
			cells[i] = display.Escape(fmt.Sprint(cell), "")
		}
	}
}

// cleanColumns are columns whose names are one line each: whoever defines a
// resource chooses them.
func cleanColumns(columns cache.Columns) cache.Columns {
	clean := slices.Clone(columns)
	for i := range clean {
		clean[i].Name = display.Escape(clean[i].Name, "")
	}
	return clean
}

// cleanRow is a row of which kubectl's printer can make cells of its own, of the
// namespace and the labels. A server allows nothing in them, a file anything.
func cleanRow(row *cache.Row) *cache.Row {
	isClean := display.IsSafe(row.Namespace, "") && display.IsSafe(row.Name, "")
	for name, value := range row.Labels {
		isClean = isClean && display.IsSafe(name, "") && display.IsSafe(value, "")
	}
	if isClean {
		return row
	}
	clean := *row
	clean.Namespace, clean.Name = display.Escape(row.Namespace, ""), display.Escape(row.Name, "")
	clean.Labels = make(map[string]string, len(row.Labels))
	for name, value := range row.Labels {
		clean.Labels[display.Escape(name, "")] = display.Escape(value, "")
	}
	return &clean
}

// sameColumns compares columns, which come anew with every connection.
func sameColumns(a, b *cache.Columns) bool {
	return a == b || a != nil && b != nil && slices.Equal(*a, *b)
}
