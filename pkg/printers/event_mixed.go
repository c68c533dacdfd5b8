package printers

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/liggitt/tabwriter"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// The marks round the name of a column, which painter turns into a colour. No cell
// holds them: control characters are escaped in cells.
const (
	nameBegins = "\x0e"
	nameEnds   = "\x0f"
)

// eventMixed is the form of tables for a stream of several types. Each line
// describes itself, since no header could stand above the columns of all: what all
// types have, up to the name, is aligned, and each value of the object follows the
// name of its column.
type eventMixed struct {
	to      *bytes.Buffer
	tabs    *tabwriter.Writer
	lead    leadColumns
	changes *changeLines
	cells   eventCells
	wide    bool
	// labels are those of --label-columns; allLabels is --show-labels.
	labels    []string
	allLabels bool
	headerDue bool
	// marked has the names of columns marked for the painter.
	marked bool
}

func (m *eventMixed) add(event PreparedEvent) error {
	below, err := m.changes.below(event)
	if err != nil {
		return err
	}
	if m.headerDue {
		m.headerDue = false
		if err := writeRow(m.tabs, m.header()); err != nil {
			return err
		}
	}
	line := m.lead.cells(event.Event)
	if event.Row == nil {
		return writeRow(m.tabs, append(line, event.Target.Resource.GroupResource().String()))
	}
	row := cleanRow(event.Row)
	line = append(line, strings.ToLower(event.Target.Kind.GroupKind().String())+"/"+row.Name)
	for i, text := range line {
		line[i] = display.Escape(text, "")
	}
	line = append(line, strings.Join(m.described(row, event.Event), "  ")) // clean, but for our marks
	if _, err := fmt.Fprintln(m.tabs, strings.Join(line, "\t")); err != nil {
		return err
	}
	if len(below) > 0 {
		m.flush()
		for i, text := range below {
			below[i] = display.Escape(text, "")
		}
		writeLines(m.to, below)
	}
	return nil
}

// flush never fails: the tab writer writes to memory.
func (m *eventMixed) flush() { _ = m.tabs.Flush() }

func (m *eventMixed) header() []string {
	var header []string
	for _, column := range m.lead.columns() {
		header = append(header, strings.ToUpper(column.Name))
	}
	return append(header, "NAME", "VALUES")
}

// described are the values of a row, each behind the name of its column. What has
// no value is left out.
func (m *eventMixed) described(row *cache.Row, event cache.Event) []string {
	columns, cells := m.cells.of(row)
	columns = cleanColumns(columns)
	var described []string
	add := func(name, value string) {
		if value != "" {
			described = append(described, m.name(strings.ToUpper(name))+" "+value)
		}
	}
	for i, column := range columns {
		if i < len(cells) && !isName(column) && (m.wide || column.Priority == 0) {
			add(column.Name, cellText(cells[i]))
		}
	}
	for _, label := range m.labels {
		value, ok := row.Labels[label]
		if !ok {
			value = noValue
		}
		add(label[strings.LastIndexByte(label, '/')+1:], value)
	}
	if m.allLabels {
		add("labels", labels.FormatLabels(row.Labels))
	}
	if note := noteOf(event); note != "" {
		described = append(described, "("+note+")")
	}
	return described
}

func (m *eventMixed) name(name string) string {
	if !m.marked {
		return name
	}
	return nameBegins + name + nameEnds
}

// isName tells the column that shows the object's name, which stands in front.
func isName(column metav1.TableColumnDefinition) bool {
	return column.Format == "name" && column.Type == "string"
}

// cellText is a cell as kubectl's printer shows it: one line, with a mark where
// there is more.
func cellText(cell any) string {
	text, ok := cell.(string)
	if !ok {
		if cell == nil {
			return ""
		}
		return fmt.Sprint(cell)
	}
	if end := strings.IndexAny(text, tableBreaks); end >= 0 {
		return text[:end] + "..."
	}
	return text
}
