package printers

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// Column is a column of a table as it is shown.
type Column struct {
	// Name is the text of the header.
	Name string
	// IsAge says that the cells are the time since creation.
	IsAge bool
}

// Cells are the cells that PrintList would lay out, one by one, for who lays them out
// otherwise. Their ages are as of a time that is given. Text is fit for a terminal.
type Cells struct {
	contexts, namespaces, wide, kinds, showLabels bool
	labels                                        []string
	bare                                          *cache.Columns
}

// Cells are those of tables of objects of Targets.
func (f *Flags) Cells(scope Scope, targets []cache.Target) *Cells {
	human := f.kubectl.HumanReadableFlags
	return &Cells{
		contexts: scope.Contexts, namespaces: scope.several(), wide: *f.kubectl.OutputFormat == "wide",
		kinds:      f.showKind() || severalTypes(targets),
		showLabels: *human.ShowLabels, labels: *human.ColumnLabels, bare: bareColumns(),
	}
}

// Columns are those of the table that a row is in.
func (c *Cells) Columns(target cache.Target, row *cache.Row) []Column {
	var shown []Column
	if c.contexts {
		shown = append(shown, Column{Name: "CONTEXT"})
	}
	if c.namespaces && target.Namespaced {
		shown = append(shown, Column{Name: "NAMESPACE"})
	}
	for _, column := range c.own(row) {
		if c.wide || column.Priority == 0 {
			shown = append(shown, Column{strings.ToUpper(display.Escape(column.Name, "")), isAge(column)})
		}
	}
	for _, label := range c.labels {
		shown = append(shown, Column{Name: strings.ToUpper(display.Escape(label[strings.LastIndexByte(label, '/')+1:], ""))})
	}
	if c.showLabels {
		shown = append(shown, Column{Name: "LABELS"})
	}
	return shown
}

func (c *Cells) own(row *cache.Row) cache.Columns {
	if row.Columns == nil {
		return *c.bare
	}
	return *row.Columns
}

// Of are the cells of a row, one for each of its Columns.
func (c *Cells) Of(target cache.Target, row *cache.Row, now time.Time) []string {
	columns, cells := eventCells{bare: c.bare, now: func() time.Time { return now }}.of(row)
	clean := cleanRow(row)
	var shown []string
	if c.contexts {
		shown = append(shown, display.Escape(target.Context, ""))
	}
	if c.namespaces && target.Namespaced {
		shown = append(shown, clean.Namespace)
	}
	for i, column := range columns {
		switch {
		case !c.wide && column.Priority != 0:
		case c.kinds && isName(column):
			shown = append(shown, kindPrefix(target.Kind.GroupKind())+oneLine(cells[i]))
		default:
			shown = append(shown, oneLine(cells[i]))
		}
	}
	for _, label := range c.labels {
		shown = append(shown, clean.Labels[display.Escape(label, "")]) // nothing, as in kubectl
	}
	if c.showLabels {
		shown = append(shown, labels.FormatLabels(clean.Labels))
	}
	return shown
}

// kindPrefix is what kubectl has in front of names in tables of several types.
func kindPrefix(kind schema.GroupKind) string { return strings.ToLower(kind.String()) + "/" }

// oneLine is a cell as kubectl shows it; a tab would move what follows.
func oneLine(cell any) string { return display.Escape(cellText(cell), "") }

// LooksChanged says whether two states of an object have cells that differ, ages aside.
func (c *Cells) LooksChanged(target cache.Target, old, now *cache.Row) bool {
	at := time.Time{}
	columns := c.Columns(target, now)
	before, after := c.Of(target, old, at), c.Of(target, now, at)
	if len(before) != len(after) {
		return true
	}
	for i := range after {
		if before[i] != after[i] && !(i < len(columns) && columns[i].IsAge) {
			return true
		}
	}
	return !slices.Equal(c.Columns(target, old), columns)
}

// Headers says whether the tables have headers.
func (f *Flags) Headers() bool { return !f.noHeaders() }

// ChangesOf are the lines that --diff has below a MODIFIED event; none where the event
// is noise. What cannot be read is said in their place.
func (f *Flags) ChangesOf(event cache.Event) []string {
	prepared := f.Prepare(event)
	if prepared.unreadable != nil {
		return []string{changeIndent + markChanged + display.Escape(prepared.unreadable.Error(), "")}
	}
	lines := linesOf(prepared)
	for i, line := range lines {
		lines[i] = display.Escape(line, "")
	}
	return lines
}

// AsYAML returns the flags with -o yaml in place of the output they ask for.
func (f *Flags) AsYAML() *Flags {
	asYAML := *f
	asYAML.SortBy, asYAML.Limit = nil, 0
	asYAML.output = &output{format: yamlDocument, kubectl: f.kubectl.Copy()}
	return &asYAML
}

// NothingFound is kubectl's notice for an empty table of objects of Targets.
func NothingFound(targets []cache.Target, scope Scope) string {
	groups := make([]Group, len(targets))
	for i, target := range targets {
		groups[i].Target = target
	}
	return nothingFound(groups, scope)
}
