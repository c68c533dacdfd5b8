package cmd

import (
	"bufio"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	cliprinters "k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// outputNeeds is what the printer reads of the objects that meet the condition.
func (f *waitFlags) outputNeeds() cache.Representation {
	format, documents := *f.print.OutputFormat, f.print.JSONYamlPrintFlags
	switch {
	case format == "name", format == "" && *f.print.TemplatePrinterFlags.TemplateArgument == "":
		return cache.Metadata
	case slices.Contains(documents.AllowedFormats(), format) && !documents.ShowManagedFields:
		return cache.Whole
	}
	// kubectl drops managedFields from documents, not from templates.
	return cache.Whole | cache.ManagedFields
}

// metWords are kubectl's of an object that meets the condition.
const metWords = "condition met"

// metPrinter prints objects that meet a condition.
type metPrinter struct {
	cliprinters.ResourcePrinter
	// lines prints a line, or a name alone; nil where the format is another.
	lines *cliprinters.NamePrinter
	// several says that a line says which --for was met: of one --for it is kubectl's.
	several bool
	// at, where set, is when the condition was met in a record.
	at string
}

// printer is the printer for where Out is; several says that there are several --for.
func (f *waitFlags) printer(several bool) (*metPrinter, error) {
	printer, err := f.print.ToPrinter()
	if err != nil {
		return nil, err
	}
	p := &metPrinter{ResourcePrinter: printer, several: several}
	p.lines, _ = printer.(*cliprinters.NamePrinter)
	if f.streams.OutIsTerminal {
		p.ResourcePrinter = printers.OnTerminal(printer, *f.print.OutputFormat)
	}
	return p, nil
}

// print prints an object once, for one --for that it meets.
func (p *metPrinter) print(w *bufio.Writer, object runtime.Object, context, term string) error {
	if p.lines != nil {
		p.lines.Operation = p.words(context, term)
	}
	return p.PrintObj(object, w)
}

// words are those of a line, which says in which of several clusters the object is.
func (p *metPrinter) words(context, term string) string {
	words := metWords + cache.Target{Context: context}.InContext()
	if p.several {
		words += ": " + term
	}
	if p.at != "" {
		words += " at " + p.at
	}
	return words
}

// dated is the printer of what was met at a moment of a record.
func (p *metPrinter) dated(at string) *metPrinter {
	dated := *p
	dated.at = at
	return &dated
}

// saysWhen says whether a line says when the condition was met.
func (p *metPrinter) saysWhen() bool { return p.at != "" && p.lines != nil && !p.lines.ShortOutput }

// printMet prints the objects that meet the condition, as kubectl wait does: each of
// them for each --for that it meets. kubectl's printer of names says nothing when a
// write fails: the buffer does.
func printMet(to process.Streams, printer *metPrinter, objects []match.Met) error {
	return to.Print(func(w *bufio.Writer) error {
		for _, met := range objects {
			object, err := met.Row.Unstructured()
			if err != nil {
				return err
			}
			for _, term := range met.Terms {
				own := object.DeepCopy()
				if met.Row.Context() != "" {
					own.Object["context"] = met.Row.Context()
				}
				if err := printer.print(w, own, met.Row.Context(), term); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// inOrder puts objects into the order in which kubectl visits them: by the
// arguments that they answer, and of one argument as the server lists them.
func inOrder(subjects []question.Subject, objects []match.Met) []match.Met {
	answers := make([][]*cache.Row, len(subjects))
	of := map[*cache.Row]match.Met{}
	for _, met := range objects {
		n := slices.IndexFunc(subjects, func(s question.Subject) bool { return holds(s.Target, met.Row) })
		answers[max(n, 0)] = append(answers[max(n, 0)], met.Row)
		of[met.Row] = met
	}
	var ordered []match.Met
	for _, answer := range answers {
		cache.SortRows(answer)
		for _, row := range answer {
			ordered = append(ordered, of[row])
		}
	}
	return ordered
}

// holds says whether an object can be one of a Target's.
func holds(target cache.Target, row *cache.Row) bool {
	return target.Context == row.Context() && target.Kind.GroupKind() == row.GroupVersionKind().GroupKind() &&
		(target.Namespace == "" || target.Namespace == row.Namespace) &&
		(target.Name == "" || target.Name == row.Name)
}
