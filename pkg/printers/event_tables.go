package printers

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/liggitt/tabwriter"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// eventTables is the form of kubectl's table for a stream of one type. Its header
// comes before the first line, and when the columns change.
type eventTables struct {
	to       *bytes.Buffer
	tabs     *tabwriter.Writer
	lead     leadColumns
	changes  *changeLines
	newTable func(kind schema.GroupKind) (printers.ResourcePrinter, error)
	cells    eventCells
	// side, where not nil, has the rows of several clusters in one table. Its header comes
	// again when a row has a column that none had before.
	side *sideBySide

	printer printers.ResourcePrinter
	// source are the server's columns, of which columns are made.
	source  cache.Columns
	columns []metav1.TableColumnDefinition
}

func (t *eventTables) add(event PreparedEvent) error {
	if event.Row == nil {
		return writeRow(t.tabs, append(t.lead.cells(event.Event), event.Target.Resource.GroupResource().String()))
	}
	below, err := t.changes.below(event)
	if err != nil {
		return err
	}
	own, cells := t.cells.of(event.Row)
	if t.side != nil {
		cells = t.side.cells(event.Row.Columns, cells)
		own = t.side.columns()
	}
	if err := t.layOut(event.Target.Kind.GroupKind(), own); err != nil {
		return err
	}
	line := &metav1.Table{
		ColumnDefinitions: t.columns,
		Rows: []metav1.TableRow{{
			Cells:  append(t.leading(event.Event), cells...),
			Object: runtime.RawExtension{Object: named{cleanRow(event.Row)}},
		}},
	}
	if err := t.printer.PrintObj(line, t.tabs); err != nil {
		return err
	}
	if note := noteOf(event.Event); note != "" {
		t.flush()
		t.to.Truncate(t.to.Len() - len("\n"))
		fmt.Fprintf(t.to, "   (%s)\n", note)
	}
	if len(below) > 0 {
		t.flush()
		writeLines(t.to, below)
	}
	return nil
}

// flush never fails: the tab writer writes to memory.
func (t *eventTables) flush() { _ = t.tabs.Flush() }

// layOut sees to the header: a new printer prints one.
func (t *eventTables) layOut(kind schema.GroupKind, own cache.Columns) (err error) {
	if t.printer != nil && slices.Equal(own, t.source) {
		return nil
	}
	t.flush()
	t.tabs.SetRememberedWidths(nil)
	t.source, t.columns = own, append(t.lead.columns(), cleanColumns(own)...)
	t.printer, err = t.newTable(kind)
	return err
}

func (t *eventTables) leading(event cache.Event) (cells []any) {
	for _, cell := range t.lead.cells(event) {
		cells = append(cells, cell)
	}
	return cells
}

// eventCells makes the cells of rows in a stream.
type eventCells struct {
	// bare are the columns of rows that come without.
	bare *cache.Columns
	now  func() time.Time
}

// of returns a row's columns, and a cell for each that is fit for a terminal.
func (c eventCells) of(row *cache.Row) (cache.Columns, []any) {
	columns, own := row.Columns, row.Cells
	if columns == nil {
		columns, own = c.bare, []any{row.Name, c.age(row)}
	}
	cells := make([]any, len(*columns))
	copy(cells, own)
	for i, column := range *columns {
		if isAge(column) && !row.CreationTimestamp.IsZero() {
			cells[i] = c.age(row)
		}
	}
	cleanCells(cells)
	return *columns, cells
}

func (c eventCells) age(row *cache.Row) string {
	if row.CreationTimestamp.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(c.now().Sub(row.CreationTimestamp.Time))
}

// isAge tells a column that shows the time since creation: a cell is as of when
// the server encoded it, which can be long ago. A column that describes itself
// as something else is left alone.
func isAge(column metav1.TableColumnDefinition) bool {
	return column.Name == "Age" &&
		(column.Description == "" || strings.HasPrefix(column.Description, "CreationTimestamp "))
}

// bareColumns are kubectl's columns for a type that the server has none for.
func bareColumns() *cache.Columns {
	return &cache.Columns{{Name: "Name", Type: "string", Format: "name"}, {Name: "Age", Type: "string"}}
}

// noteOf says, at the end of a line, what the event's type alone does not.
func noteOf(event cache.Event) string {
	var notes []string
	switch {
	case event.Reason != "":
		notes = append(notes, string(event.Reason))
	case event.FinalStateUnknown:
		notes = append(notes, "finalStateUnknown")
	}
	if event.Since == cache.SinceState {
		notes = append(notes, "since the last run")
	}
	return strings.Join(notes, ", ")
}
