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
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

var (
	indexesLong = templates.LongDesc(`
		Print the indexes that types have for --by and --count-by: what each reads of an
		object, and an example.

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

func newIndexes(c *connection, streams Streams) *cobra.Command {
	a := newAsk(c)
	var output string
	var noHeaders bool
	cmd := &cobra.Command{
		Use:     "indexes TYPE[,TYPE...] [flags]",
		Short:   "Print which indexes a type has",
		Long:    indexesLong,
		Example: indexesExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && !strings.Contains(args[0], "/") {
				return fmt.Errorf("indexes takes no names; several types are joined by commas: %s", strings.Join(args, ","))
			}
			docs, err := a.indexDocs(cmd.Context(), args, streams)
			if err != nil {
				return err
			}
			return streams.print(func(w *bufio.Writer) error { return printIndexes(w, docs, output, noHeaders, streams.OutIsTerminal) })
		},
	}
	a.addFromFlag(cmd)
	cmd.Flags().StringArrayVar(&a.indexes, "index", nil, "Define an index, as NAME=JSONPATH.")
	cmd.Flags().StringVarP(&output, "output", "o", "", "Output format. One of: (json, yaml, name).")
	cmd.Flags().BoolVar(&noHeaders, "no-headers", false, "Don't print headers.")
	cmd.ValidArgsFunction = a.completeTypes
	completeFlag(cmd, "output", oneOf("json", "name", "yaml"))
	return cmd
}

// indexDocs resolves types, without asking the cluster for any object.
func (a *ask) indexDocs(ctx context.Context, args []string, streams Streams) ([]indexDoc, error) {
	q, err := a.resolve(ctx, args, match.ObjectOnly, streams)
	if err != nil {
		return nil, err
	}
	docs := []indexDoc{}
	for _, target := range q.targets() {
		for _, d := range q.registry.For(target) {
			docs = append(docs, indexDoc{
				Resource: target.Resource.GroupResource().String(), Name: d.Name, Reads: d.Reads, Example: "--by " + d.Example,
			})
		}
	}
	return docs, nil
}

func printIndexes(out io.Writer, docs []indexDoc, output string, noHeaders, terminal bool) error {
	switch output {
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
		if terminal {
			printer = printers.OnTerminal(printer, output)
		}
		return printer.PrintObj(&runtime.Unknown{Raw: data}, out)
	case "":
	default:
		return fmt.Errorf("--output must be one of json, yaml, name, not %q", output)
	}
	w := cliprinters.GetNewTabWriter(out)
	if !noHeaders {
		fmt.Fprintln(w, "RESOURCE\tNAME\tREADS\tEXAMPLE")
	}
	for _, d := range docs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.Resource, d.Name, d.Reads, d.Example)
	}
	return w.Flush()
}
