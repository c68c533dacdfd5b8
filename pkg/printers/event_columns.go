package printers

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/liggitt/tabwriter"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The layouts of times: both of constant width.
const (
	utcTime   = "2006-01-02T15:04:05.000Z"
	localTime = "2006-01-02T15:04:05.000-07:00"
)

// stamp formats times in the zone of who reads them: on a terminal that of TZ.
type stamp struct{ local bool }

func (s stamp) layout() string {
	if s.local {
		return localTime
	}
	return utcTime
}

func (s stamp) format(t time.Time) string {
	if s.local {
		return t.Local().Format(localTime)
	}
	return t.UTC().Format(utcTime)
}

// eventWidth is the width of the longest event, MODIFIED.
const eventWidth = 8

// leadColumns are the columns in front of an object's own.
type leadColumns struct {
	timestamps bool
	stamp      stamp
	namespaces bool
	contexts   bool
}

func (l leadColumns) columns() []metav1.TableColumnDefinition {
	var columns []metav1.TableColumnDefinition
	if l.timestamps {
		columns = append(columns, metav1.TableColumnDefinition{Name: "Time", Type: "string"})
	}
	columns = append(columns, metav1.TableColumnDefinition{Name: "Event", Type: "string"})
	if l.contexts {
		columns = append(columns, metav1.TableColumnDefinition{Name: "Context", Type: "string"})
	}
	if l.namespaces {
		columns = append(columns, metav1.TableColumnDefinition{Name: "Namespace", Type: "string"})
	}
	return columns
}

// cells has events padded to one width, so that columns do not move when a
// longer word comes.
func (l leadColumns) cells(event cache.Event) []string {
	var cells []string
	if l.timestamps {
		cells = append(cells, l.stamp.format(event.Time))
	}
	cells = append(cells, fmt.Sprintf("%-*s", eventWidth, event.Type))
	if l.contexts {
		cells = append(cells, event.Target.Context)
	}
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
	columns           []customColumn
	headerDue         bool
	showManagedFields bool
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
	form.columns = columnsOf(custom)
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
		// An expression that does not fit this one object, such as an index beyond
		// a list's end, has no value.
		if values[i], err = column.text(object.Object); err != nil {
			values[i] = noValue
		}
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

// eventNames is the form of -o name: the object's name alone.
type eventNames struct {
	to         *bytes.Buffer
	timestamps bool
	// terminal keeps names to one line each, and has times in its zone.
	terminal bool
}

func (n *eventNames) add(event PreparedEvent) error {
	if event.Row == nil {
		return nil
	}
	if n.timestamps {
		text := event.Time.UTC().Format(time.RFC3339Nano)
		if n.terminal {
			text = stamp{local: true}.format(event.Time)
		}
		n.to.WriteString(text + " ")
	}
	return printName(event.Row, n.to, n.terminal)
}

func (n *eventNames) flush() {}
