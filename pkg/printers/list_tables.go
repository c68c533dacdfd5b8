package printers

import (
	"bufio"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// printTables prints groups as kubectl lays them out: a table for each type,
// and an empty line between two. It says whether it wrote anything.
func (f *Flags) printTables(w *bufio.Writer, out *output, groups []Group, o ListOptions) (bool, error) {
	lines := &tableWriter{to: w}
	tabs := printers.GetNewTabWriter(lines)
	printerFor := out.tables()
	withKind := severalKinds(groups)
	builder := rowTables{own: withKind || f.showKind() || o.Terminal, clean: o.Terminal}

	var printer printers.ResourcePrinter
	var last schema.GroupVersionResource
	for i, group := range groups {
		if i == 0 || group.Target.TableResource() != last {
			// Flush's error is w's, which remembers it.
			_ = tabs.Flush()
			tabs.SetRememberedWidths(nil)
			lines.separate = i > 0 && !f.noHeaders() && lines.written
			builder.namespaces = o.several() && group.Target.Namespaced
			var err error
			printer, err = printerFor(group.Target.Kind.GroupKind(), builder.namespaces && !o.Contexts, withKind)
			if err != nil {
				return lines.written, err
			}
			last = group.Target.TableResource()
			if o.Contexts {
				builder.begin(f.newSideBySide(), oneTable(groups[i:]))
			}
		}
		for page := range slices.Chunk(group.Rows, pageSize(f.sorts(), group.Rows)) {
			for _, object := range builder.tables(page) {
				if err := printer.PrintObj(object, tabs); err != nil {
					return lines.written, err
				}
			}
			// The printers do not look at what a write returned.
			if _, err := w.Write(nil); err != nil {
				return lines.written, err
			}
		}
	}
	return lines.written, tabs.Flush()
}

// oneTable are the groups that make one table with the first.
func oneTable(groups []Group) []Group {
	end := slices.IndexFunc(groups, func(g Group) bool { return g.Target.TableResource() != groups[0].Target.TableResource() })
	if end < 0 {
		return groups
	}
	return groups[:end]
}

// pageSize is how many rows kubectl would get at once. It lays out each page on
// its own, which shows in the widths of columns; what it sorts is one page.
func pageSize(sorted bool, rows []*cache.Row) int {
	if sorted {
		return max(1, len(rows))
	}
	return 500
}

func (f *Flags) sorts() bool {
	return slices.ContainsFunc(f.SortBy, func(expression string) bool { return expression != "" })
}

func (f *Flags) showKind() bool { return *f.kubectl.HumanReadableFlags.ShowKind }

func severalKinds(groups []Group) bool {
	return slices.ContainsFunc(groups, func(g Group) bool { return g.Target.TableKind() != groups[0].Target.TableKind() })
}

// tableWriter writes an empty line before the next table, if it writes any.
type tableWriter struct {
	to       io.Writer
	written  bool
	separate bool
}

func (w *tableWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if w.separate {
		w.separate = false
		if _, err := io.WriteString(w.to, "\n"); err != nil {
			return 0, err
		}
	}
	w.written = true
	return w.to.Write(p)
}
