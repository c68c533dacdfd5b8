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

// screenful is after how many lines a header is taken to have scrolled away.
const screenful = 24

// eventTables is the form of kubectl's tables: each type has its own columns,
// and the types share one stream of lines. A type's header comes before its
// first line, when its columns change, and when the stream comes back to the
// type after a screenful. What all types have, up to the name, stays aligned.
type eventTables struct {
	to       *bytes.Buffer
	tabs     *tabwriter.Writer
	lead     leadColumns
	changes  *changeLines
	printer  func(kind schema.GroupKind, withNamespace, withKind bool) (printers.ResourcePrinter, error)
	withKind bool
	wide     bool
	// bare are the columns of rows that come without.
	bare *cache.Columns
	now  func() time.Time

	types map[schema.GroupVersionResource]*typeTable
	// shown is the type of the last line.
	shown *typeTable
	// lines counts the lines of all types.
	lines int
	// leadWidths are the widths of the columns that all types have.
	leadWidths []int
}

// typeTable is the table of one type.
type typeTable struct {
	printer printers.ResourcePrinter
	// source are the server's columns, of which columns are made.
	source  *cache.Columns
	columns []metav1.TableColumnDefinition
	// named means that the type's own columns would not show a kind, and that a
	// column in front does.
	named  bool
	widths []int
	// headerAt is the line at which the header was last printed.
	headerAt int
}

func (t *eventTables) add(event PreparedEvent) error {
	if event.Row == nil {
		t.lines++
		return writeRow(t.tabs, append(t.lead.cells(event.Event), event.Target.Resource.GroupResource().String()))
	}
	below, err := t.changes.below(event)
	if err != nil {
		return err
	}
	shape, err := t.turnTo(event.Event)
	if err != nil {
		return err
	}
	t.lines++
	line := &metav1.Table{
		ColumnDefinitions: shape.columns,
		Rows: []metav1.TableRow{{
			Cells:  t.cells(shape, event.Event),
			Object: runtime.RawExtension{Object: named{cleanRow(event.Row)}},
		}},
	}
	if err := shape.printer.PrintObj(line, t.tabs); err != nil {
		return err
	}
	if note := noteOf(event.Event); note != "" {
		t.flush()
		t.to.Truncate(t.to.Len() - len("\n"))
		fmt.Fprintf(t.to, "   (%s)\n", note)
	}
	if len(below) > 0 {
		t.flush()
		t.lines += len(below)
		writeLines(t.to, below)
	}
	return nil
}

// flush never fails: the tab writer writes to memory.
func (t *eventTables) flush() { _ = t.tabs.Flush() }

// turnTo makes the event's type the one whose columns are laid out, and sees to
// its header.
func (t *eventTables) turnTo(event cache.Event) (*typeTable, error) {
	source := event.Row.Columns
	if source == nil {
		source = t.bare
	}
	shape := t.types[event.Target.Resource]
	if shape == nil {
		shape = &typeTable{}
		t.types[event.Target.Resource] = shape
	}
	changed, back := !sameColumns(source, shape.source), shape != t.shown
	shape.source = source
	if changed {
		shape.columns, shape.named = t.columns(*source)
	}
	if changed || back {
		t.layOut(shape, changed)
	}
	if changed || back && t.lines-shape.headerAt >= screenful {
		// A new printer prints its header.
		printer, err := t.printer(event.Target.Kind.GroupKind(), false, t.withKind)
		if err != nil {
			return nil, err
		}
		shape.printer, shape.headerAt = printer, t.lines
	}
	return shape, nil
}

// layOut puts away the widths of the columns shown so far, and takes out those
// of shape.
func (t *eventTables) layOut(shape *typeTable, changed bool) {
	t.flush()
	if t.shown != nil {
		t.shown.widths = t.tabs.RememberedWidths()
		t.leadWidths = t.shown.widths[:min(t.lead.count()+1, len(t.shown.widths))]
	}
	if changed {
		shape.widths = nil
	}
	t.shown = shape
	widths := slices.Clone(t.leadWidths)
	for i, width := range shape.widths {
		if i >= len(widths) {
			widths = append(widths, width)
		}
		widths[i] = max(widths[i], width)
	}
	t.tabs.SetRememberedWidths(widths)
}

// columns are the leading columns and then the server's.
func (t *eventTables) columns(source cache.Columns) (columns []metav1.TableColumnDefinition, named bool) {
	columns = t.lead.columns()
	named = t.withKind && !slices.ContainsFunc(source, func(c metav1.TableColumnDefinition) bool {
		return c.Format == "name" && c.Type == "string" && (t.wide || c.Priority == 0)
	})
	if named {
		columns = append(columns, metav1.TableColumnDefinition{Name: "Name", Type: "string"})
	}
	return append(columns, cleanColumns(source)...), named
}

func (t *eventTables) cells(shape *typeTable, event cache.Event) []any {
	row := event.Row
	cells := make([]any, 0, len(shape.columns))
	for _, cell := range t.lead.cells(event) {
		cells = append(cells, cell)
	}
	if shape.named {
		kind := event.Target.Kind.GroupKind().String()
		cells = append(cells, strings.ToLower(kind)+"/"+row.Name)
	}
	own := row.Cells
	if row.Columns == nil {
		own = []any{row.Name, t.age(row)}
	}
	for i, column := range *shape.source {
		var cell any
		if i < len(own) {
			cell = own[i]
		}
		if isAge(column) && !row.CreationTimestamp.IsZero() {
			cell = t.age(row)
		}
		cells = append(cells, cell)
	}
	cleanCells(cells)
	return cells
}

func (t *eventTables) age(row *cache.Row) string {
	if row.CreationTimestamp.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(t.now().Sub(row.CreationTimestamp.Time))
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
	switch {
	case event.Reason != "":
		return string(event.Reason)
	case event.FinalStateUnknown:
		return "finalStateUnknown"
	}
	return ""
}
