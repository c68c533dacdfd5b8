package cmd

import (
	"bufio"
	"slices"

	cliprinters "k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// outputNeeds is what the printer reads of the objects that meet the condition.
func (o *wait) outputNeeds() cache.Representation {
	format, documents := *o.print.OutputFormat, o.print.JSONYamlPrintFlags
	switch {
	case format == "name", format == "" && *o.print.TemplatePrinterFlags.TemplateArgument == "":
		return cache.Metadata
	case slices.Contains(documents.AllowedFormats(), format) && !documents.ShowManagedFields:
		return cache.Whole
	}
	// kubectl drops managedFields from documents, not from templates.
	return cache.Whole | cache.ManagedFields
}

// printMet prints the objects that meet the condition, as kubectl wait does:
// each of them so many times. kubectl's printer of names says nothing when a
// write fails: the buffer does.
func printMet(to Streams, printer cliprinters.ResourcePrinter, rows []*cache.Row, times int) error {
	return to.print(func(w *bufio.Writer) error {
		for _, row := range rows {
			object, err := row.Unstructured()
			if err != nil {
				return err
			}
			for range times {
				if err := printer.PrintObj(object.DeepCopy(), w); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// terminalPrinter is the printer for where Out is.
func (o *wait) terminalPrinter(printer cliprinters.ResourcePrinter) cliprinters.ResourcePrinter {
	if !o.streams.OutIsTerminal {
		return printer
	}
	return printers.OnTerminal(printer, *o.print.OutputFormat)
}

// inOrder puts objects into the order in which kubectl visits them: by the
// arguments that they answer, and of one argument as the server lists them.
func (q *question) inOrder(rows []*cache.Row) []*cache.Row {
	answers := make([][]*cache.Row, len(q.subjects))
	for _, row := range rows {
		n := slices.IndexFunc(q.subjects, func(s subject) bool { return holds(s.target, row) })
		answers[max(n, 0)] = append(answers[max(n, 0)], row)
	}
	for _, answer := range answers {
		cache.SortRows(answer)
	}
	return slices.Concat(answers...)
}

// holds says whether an object can be one of a Target's.
func holds(target cache.Target, row *cache.Row) bool {
	return target.Kind.GroupKind() == row.GroupVersionKind().GroupKind() &&
		(target.Namespace == "" || target.Namespace == row.Namespace) &&
		(target.Name == "" || target.Name == row.Name)
}
