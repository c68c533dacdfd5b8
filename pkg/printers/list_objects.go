package printers

import (
	"bufio"
	"io"
	"iter"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// printObjects prints what is not a table: one object where one was asked for
// by name, a List otherwise. Where the format allows, one object is decoded,
// printed and forgotten before the next.
func (f *Flags) printObjects(w *bufio.Writer, out *output, groups []Group, o ListOptions) error {
	rows := rowsOf(groups)
	if len(rows) == 0 && (o.IgnoreNotFound || o.Failed && o.SingleItem) {
		return nil
	}
	list := objectList{out: out, rows: rows, terminal: o.Terminal, w: w}
	switch out.format {
	case jsonDocument, yamlDocument, kyamlDocument, jsonLines:
		list.showManagedFields = f.showManagedFields()
		if o.Warnings != nil {
			list.warnings = *o.Warnings
		}
	default:
		list.showManagedFields = true
	}
	if o.SingleItem && len(rows) == 1 && out.format != jsonLines {
		return list.printOne()
	}
	return list.print()
}

func rowsOf(groups []Group) []*cache.Row {
	all := merged(groups, func(cache.Target, cache.Target) bool { return true })
	if len(all) == 0 {
		return nil
	}
	return all[0].Rows
}

// objectList prints rows as one List.
type objectList struct {
	out               *output
	rows              []*cache.Row
	showManagedFields bool
	terminal          bool
	// warnings are a member of the List; none in what templates see.
	warnings []string
	w        *bufio.Writer
}

func (l objectList) print() error {
	switch l.out.format {
	case names:
		return l.printNames()
	case jsonLines:
		return l.printLines()
	case jsonDocument:
		return l.streamJSON()
	case yamlDocument:
		return l.streamYAML()
	case customColumns:
		return l.streamColumns()
	}
	return l.printAtOnce(func() (printers.ResourcePrinter, error) { return documentPrinter(l.out, l.terminal) })
}

// printAtOnce hands a printer all objects together. A JSONPath template is handed
// what it reads of them; what goes wrong with that is reported of the whole, by a new
// printer: a template that has been used is not as it was.
func (l objectList) printAtOnce(newPrinter func() (printers.ResourcePrinter, error)) error {
	if l.out.format == jsonPath {
		read := fieldpath.ListTemplateTree(l.out.template)
		if err := l.printParts(newPrinter, read); err == nil || read.ReadsAll() {
			return err
		}
	}
	return l.printParts(newPrinter, fieldpath.Everything())
}

// printParts prints what is read of each object.
func (l objectList) printParts(newPrinter func() (printers.ResourcePrinter, error), read *fieldpath.Tree) error {
	printer, err := newPrinter()
	if err != nil {
		return err
	}
	list, err := l.listOf(read)
	if err != nil {
		return err
	}
	return printer.PrintObj(list, l.w)
}

func (l objectList) listOf(read *fieldpath.Tree) (*unstructured.UnstructuredList, error) {
	list := l.emptyList()
	for object, err := range l.objects() {
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, unstructured.Unstructured{Object: read.Project(object.Object)})
	}
	return list, nil
}

func (l objectList) printOne() error {
	if l.out.format == names {
		return l.printNames()
	}
	object, err := printable(l.rows[0], l.showManagedFields)
	if err != nil {
		return err
	}
	printer, err := documentPrinter(l.out, l.terminal)
	if err != nil {
		return err
	}
	return printer.PrintObj(object, l.w)
}

// objects are the rows' objects, decoded as they are asked for. They end at the
// first error, and when nobody reads what was printed of them any more.
func (l objectList) objects() iter.Seq2[*unstructured.Unstructured, error] {
	return func(yield func(*unstructured.Unstructured, error) bool) {
		for _, row := range l.rows {
			object, err := printable(row, l.showManagedFields)
			if err == nil {
				_, err = l.w.Write(nil)
			}
			if !yield(object, err) || err != nil {
				return
			}
		}
	}
}

func (l objectList) printNames() error {
	for _, row := range l.rows {
		if err := printName(row, l.w, l.terminal); err != nil {
			return err
		}
		if _, err := l.w.Write(nil); err != nil {
			return err
		}
	}
	return nil
}

// printName prints TYPE/NAME, on a terminal in one line whatever the name is.
func printName(row *cache.Row, w io.Writer, terminal bool) error {
	if terminal {
		row = cleanRow(row)
	}
	return (&printers.NamePrinter{ShortOutput: true}).PrintObj(named{row}, w)
}

func (l objectList) printLines() (err error) {
	var line []byte
	for _, row := range l.rows {
		if line, err = appendJSON(line[:0], row, asLine, l.showManagedFields); err != nil {
			return err
		}
		if _, err := l.w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// streamColumns lets kubectl's printer see one object after the other; its
// header comes once, with an empty List too.
func (l objectList) streamColumns() error {
	printer := l.out.columnsPrinter()
	if len(l.rows) == 0 {
		return printer.PrintObj(l.emptyList(), l.w)
	}
	tabs := printers.GetNewTabWriter(l.w)
	printOne := func(object *unstructured.Unstructured) error { return printer.PrintObj(object, tabs) }
	if l.terminal {
		printOne = terminalColumns(printer, tabs)
	}
	for object, err := range l.objects() {
		if err == nil {
			err = printOne(object)
		}
		if err != nil {
			// What was printed before stays, as in kubectl.
			_ = tabs.Flush()
			return err
		}
	}
	return tabs.Flush()
}

// terminalColumns prints what printer does, but that every object is one row.
func terminalColumns(printer *get.CustomColumnsPrinter, w io.Writer) func(*unstructured.Unstructured) error {
	columns := columnsOf(printer)
	headerDue := !printer.NoHeaders
	return func(object *unstructured.Unstructured) error {
		if headerDue {
			headerDue = false
			var headers []string
			for _, column := range columns {
				headers = append(headers, column.header)
			}
			if err := writeRow(w, headers); err != nil {
				return err
			}
		}
		cells := make([]string, len(columns))
		for i, column := range columns {
			var err error
			if cells[i], err = column.text(object.Object); err != nil {
				return err
			}
		}
		return writeRow(w, cells)
	}
}
