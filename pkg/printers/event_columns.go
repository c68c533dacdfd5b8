package printers

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/liggitt/tabwriter"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/util/jsonpath"
	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// timeColumn is a time in a table: of constant width, in UTC.
const timeColumn = "2006-01-02T15:04:05.000Z"

// eventWidth is the width of the longest event, MODIFIED.
const eventWidth = 8

// leadColumns are the columns in front of an object's own.
type leadColumns struct {
	timestamps bool
	namespaces bool
}

func (l leadColumns) columns() []metav1.TableColumnDefinition {
	var columns []metav1.TableColumnDefinition
	if l.timestamps {
		columns = append(columns, metav1.TableColumnDefinition{Name: "Time", Type: "string"})
	}
	columns = append(columns, metav1.TableColumnDefinition{Name: "Event", Type: "string"})
	if l.namespaces {
		columns = append(columns, metav1.TableColumnDefinition{Name: "Namespace", Type: "string"})
	}
	return columns
}

func (l leadColumns) count() int { return len(l.columns()) }

// cells has events padded to one width, so that columns do not move when a
// longer word comes.
func (l leadColumns) cells(event cache.Event) []string {
	var cells []string
	if l.timestamps {
		cells = append(cells, event.Time.UTC().Format(timeColumn))
	}
	cells = append(cells, fmt.Sprintf("%-*s", eventWidth, event.Type))
	if l.namespaces {
		namespace := event.Target.Namespace
		if event.Row != nil {
			namespace = event.Row.Namespace
		}
		cells = append(cells, namespace)
	}
	return cells
}

// eventColumns is the form of custom columns, which see the object.
type eventColumns struct {
	to                *bytes.Buffer
	tabs              *tabwriter.Writer
	lead              leadColumns
	changes           *changeLines
	columns           []eventColumn
	headerDue         bool
	showManagedFields bool
}

type eventColumn struct {
	header string
	path   *jsonpath.JSONPath
	// broken is why the column's expression cannot be parsed, if it cannot.
	broken error
}

func newEventColumns(to *bytes.Buffer, custom *get.CustomColumnsPrinter, lead leadColumns, changes *changeLines, showManagedFields bool) *eventColumns {
	form := &eventColumns{
		to:                to,
		tabs:              printers.GetNewTabWriter(to),
		lead:              lead,
		changes:           changes,
		headerDue:         !custom.NoHeaders,
		showManagedFields: showManagedFields,
	}
	for _, column := range custom.Columns {
		path := jsonpath.New(column.Header).AllowMissingKeys(true)
		form.columns = append(form.columns, eventColumn{header: column.Header, path: path, broken: path.Parse(column.FieldSpec)})
	}
	return form
}

func (c *eventColumns) add(event PreparedEvent) error {
	cells := c.lead.cells(event.Event)
	if event.Row == nil {
		return writeRow(c.tabs, append(cells, event.Target.Resource.GroupResource().String()))
	}
	values, err := c.values(event.Row)
	if err != nil {
		return err
	}
	below, err := c.changes.below(event)
	if err != nil {
		return err
	}
	if c.headerDue {
		c.headerDue = false
		if err := writeRow(c.tabs, c.headers()); err != nil {
			return err
		}
	}
	if err := writeRow(c.tabs, append(cells, values...)); err != nil {
		return err
	}
	if len(below) > 0 {
		c.flush()
		writeLines(c.to, below)
	}
	return nil
}

// values are the texts of the columns.
func (c *eventColumns) values(row *cache.Row) ([]string, error) {
	object, err := printable(row, c.showManagedFields)
	if err != nil {
		return nil, err
	}
	values := make([]string, len(c.columns))
	for i, column := range c.columns {
		if column.broken != nil {
			return nil, column.broken
		}
		values[i] = column.value(object.Object)
	}
	return values, nil
}

// flush never fails: the tab writer writes to memory.
func (c *eventColumns) flush() { _ = c.tabs.Flush() }

func (c *eventColumns) headers() []string {
	var headers []string
	for _, column := range c.lead.columns() {
		headers = append(headers, strings.ToUpper(column.Name))
	}
	for _, column := range c.columns {
		headers = append(headers, column.header)
	}
	return headers
}

// value is the column's text, as kubectl writes it. An expression that does not
// fit this one object, such as an index beyond a list's end, has no value.
func (c eventColumn) value(object map[string]any) string {
	results, err := fieldpath.Find(c.path, object)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return "<none>"
	}
	var values []string
	for _, result := range results {
		for _, value := range result {
			values = append(values, fmt.Sprint(value.Interface()))
		}
	}
	return strings.Join(values, ",")
}

// writeRow writes one row of a table. Its cells can hold no tab or newline of
// their own: those would be further cells and rows.
func writeRow(w io.Writer, cells []string) error {
	for i, cell := range cells {
		cells[i] = makeSafe(cell, "")
	}
	_, err := fmt.Fprintln(w, strings.Join(cells, "\t"))
	return err
}

// eventNames is the form of -o name: the object's name alone.
type eventNames struct {
	to         *bytes.Buffer
	timestamps bool
}

func (n *eventNames) add(event PreparedEvent) error {
	if event.Row == nil {
		return nil
	}
	if n.timestamps {
		n.to.WriteString(event.Time.UTC().Format(time.RFC3339Nano) + " ")
	}
	printer := printers.NamePrinter{ShortOutput: true}
	return printer.PrintObj(named{event.Row}, n.to)
}

func (n *eventNames) flush() {}
