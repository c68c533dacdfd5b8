package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	runtime "k8s.io/apimachinery/pkg/runtime"
	cliprinters "k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/completion"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/help"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

var (
	indexesLong = templates.LongDesc(`
		Print the indexes that types have for --by and --count-by: what each reads of an
		object, and an example.

		A terminal gets two lines or more for each index, which fit in 80 columns, and a
		pipe a table.

		Besides these, any field path of an object is an index, such as spec.nodeName or
		spec.containers[*].image; and --index defines others.`)

	indexesExample = templates.Examples(`
		# Print the indexes of pods
		kubectl informer indexes pods

		# Print their names alone, of two types
		kubectl informer indexes pods,deployments -o name`)
)

// indexDoc is an index as data.
type indexDoc struct {
	Resource string `json:"resource"`
	Name     string `json:"name"`
	Reads    string `json:"reads"`
	Example  string `json:"example"`
}

// indexesFlags are the flags of the command `indexes`.
type indexesFlags struct {
	resources *question.ResourceFlags
	streams   process.Streams
	output    string
	noHeaders bool
}

func newIndexes(c *question.Connection, streams process.Streams) *cobra.Command {
	f := &indexesFlags{resources: question.NewResourceFlags(c, streams), streams: streams}
	cmd := &cobra.Command{
		Use:     "indexes TYPE[,TYPE...] [flags]",
		Short:   "Print which indexes a type has",
		Long:    indexesLong,
		Example: indexesExample,
		RunE:    f.resources.RunE(f.toOptions),
	}
	f.resources.AddFromFlag(cmd)
	cmd.Flags().StringArrayVar(&f.resources.Indexes, "index", nil, "Define an index, as NAME=JSONPATH.")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "Output format. One of: (json, yaml, name).")
	cmd.Flags().BoolVar(&f.noHeaders, "no-headers", false, "Don't print headers.")
	f.resources.CompleteTypes(cmd)
	completion.Flag(cmd, "output", completion.OneOf("json", "name", "yaml"))
	return cmd
}

func (f *indexesFlags) toOptions(_ *cobra.Command, args []string) (question.Runner, error) {
	if len(args) > 1 && !strings.Contains(args[0], "/") {
		return nil, fmt.Errorf("indexes takes no names; several types are joined by commas: %s", strings.Join(args, ","))
	}
	switch f.output {
	case "", "json", "name", "yaml":
	default:
		return nil, fmt.Errorf("--output must be one of json, yaml, name, not %q", f.output)
	}
	resources, err := f.resources.ToOptions(args, match.ObjectOnly)
	return &indexesOptions{resources: resources, streams: f.streams, output: f.output, noHeaders: f.noHeaders}, err
}

// indexesOptions are indexesFlags and arguments, parsed.
type indexesOptions struct {
	resources *question.ResourceOptions
	streams   process.Streams
	output    string
	noHeaders bool
}

// run resolves types, without asking the cluster for any object.
func (o *indexesOptions) Run(ctx context.Context) error {
	q, err := o.resources.Resolve(ctx)
	if err != nil {
		return err
	}
	docs := []indexDoc{}
	for _, target := range q.Targets() {
		for _, d := range q.Registry.For(target) {
			docs = append(docs, indexDoc{
				Resource: target.Resource.GroupResource().String(), Name: d.Name, Reads: d.Reads, Example: "--by " + d.Example,
			})
		}
	}
	return o.streams.Print(func(w *bufio.Writer) error { return o.print(w, docs) })
}

func (o *indexesOptions) print(out io.Writer, docs []indexDoc) error {
	switch o.output {
	case "name":
		for _, d := range docs {
			if _, err := fmt.Fprintln(out, d.Name); err != nil {
				return err
			}
		}
		return nil
	case "json":
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "    ")
		return encoder.Encode(docs)
	case "yaml":
		data, err := json.Marshal(docs)
		if err != nil {
			return err
		}
		var printer cliprinters.ResourcePrinter = &cliprinters.YAMLPrinter{}
		if o.streams.OutIsTerminal {
			printer = printers.OnTerminal(printer, o.output)
		}
		return printer.PrintObj(&runtime.Unknown{Raw: data}, out)
	}
	if o.streams.OutIsTerminal {
		return o.printForTerminal(out, docs)
	}
	w := cliprinters.GetNewTabWriter(out)
	if !o.noHeaders {
		fmt.Fprintln(w, "RESOURCE\tNAME\tREADS\tEXAMPLE")
	}
	for _, d := range docs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.Resource, d.Name, d.Reads, d.Example)
	}
	return w.Flush()
}

// printForTerminal prints what the table has in lines of 80 columns at most: a
// heading for each type, and the example of an index below what it reads.
func (o *indexesOptions) printForTerminal(out io.Writer, docs []indexDoc) error {
	const indent, gap = "  ", "   "
	width := 0
	for _, d := range docs {
		width = max(width, len(d.Name))
	}
	resource := ""
	for _, d := range docs {
		if !o.noHeaders && d.Resource != resource {
			if resource != "" {
				fmt.Fprintln(out)
			}
			fmt.Fprintln(out, d.Resource)
		}
		resource = d.Resource
		column := 80 - len(indent) - width - len(gap)
		name := d.Name
		for line := range strings.SplitSeq(help.Wrap(d.Reads, column)+"\n"+d.Example, "\n") {
			if _, err := fmt.Fprintf(out, "%s%-*s%s%s\n", indent, width, name, gap, line); err != nil {
				return err
			}
			name = ""
		}
	}
	return nil
}
