package printers

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/cmd/get"
)

// Flags are kubectl get's print flags and the few that we add: -o jsonl,
// several --sort-by, --limit, and those of streams. They are one invocation's:
// what the flags point at (template files) is read once.
type Flags struct {
	// SortBy are JSONPath expressions in kubectl's relaxed form, the most
	// significant first; a leading "-" means descending.
	SortBy []string
	// Limit is how many objects (or counts) are printed at most; 0 is all.
	Limit int
	// Timestamps adds the time at which an event was learned.
	Timestamps bool
	// Diff shows what each update changed. Old adds the object as it was before.
	Diff, Old bool
	// ShowSecrets shows the values of Secrets in what changed. AllChanges takes
	// noise for a change too: see Prepare.
	ShowSecrets, AllChanges bool
	// Changed are the names of fields that are asked for: they are no noise.
	Changed []string
	// SyncEvents says that SYNCED is among the events.
	SyncEvents bool
	// Since says that events of the time before the stream are among them: --state.
	Since bool
	// Contexts says that events of several clusters are among them: --contexts.
	Contexts bool
	// Color is auto, always or never: see Colour.
	Color string

	// ServerPrint has the server make a table's cells. Without it, tables have the
	// columns that kubectl gives to any object.
	ServerPrint bool

	kubectl *get.PrintFlags
	output  *output
}

// NewFlags returns the flags with kubectl's defaults.
func NewFlags() *Flags {
	kubectl := get.NewGetPrintFlags()
	// kubectl's --sort-by holds one string: ours takes its place.
	kubectl.HumanReadableFlags.SortBy = nil
	return &Flags{ServerPrint: true, kubectl: kubectl, Color: colorAuto}
}

// AddFlags binds the flags that lists and events have in common to cmd.
func (f *Flags) AddFlags(cmd *cobra.Command) {
	// -o is bound here and not by kubectl, whose help and completion would
	// leave out the formats that we add.
	others := f.kubectl.Copy()
	others.OutputFormat = nil
	others.AddFlags(cmd)

	cmd.Flags().StringVarP(f.kubectl.OutputFormat, "output", "o", *f.kubectl.OutputFormat, fmt.Sprintf(
		"Output format. One of: (%s). See custom columns [https://kubernetes.io/docs/reference/kubectl/#custom-columns], "+
			"golang template [http://golang.org/pkg/text/template/#pkg-overview] and jsonpath template "+
			"[https://kubernetes.io/docs/reference/kubectl/jsonpath/].", strings.Join(f.formats(), ", ")))
	// The only error is an unknown flag, and it was bound one line above.
	_ = cmd.RegisterFlagCompletionFunc("output", f.completeFormat)

	cmd.Flags().StringArrayVar(&f.SortBy, "sort-by", f.SortBy,
		"Sort objects by the field at this JSONPath expression (e.g. '{.metadata.name}'). May be given several times, "+
			"the most significant first; a leading '-' sorts in descending order. Numbers, quantities and times sort by "+
			"value, objects without the field come last.")
}

// AddListFlags binds what only lists have.
func (f *Flags) AddListFlags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.Limit, "limit", f.Limit, "Print at most this many, after sorting. 0 prints all.")
	cmd.Flags().BoolVar(&f.ServerPrint, "server-print", f.ServerPrint,
		"If true, have the server return the appropriate table output. Supports extension APIs and CRDs.")
}

// Validate says, in kubectl's words, what is wrong with the flags. It reads the
// template file that -o names, if any, and parses templates and expressions.
func (f *Flags) Validate() error {
	human, format := f.kubectl.HumanReadableFlags, *f.kubectl.OutputFormat
	if *human.ShowLabels && format != "" && format != "wide" {
		return fmt.Errorf("--show-labels option cannot be used with %s printer", format)
	}
	if len(*human.ColumnLabels) > 0 && strings.HasPrefix(format, "custom-columns") {
		return fmt.Errorf("--label-columns option cannot be used with %s printer", format)
	}
	if f.Limit < 0 {
		return fmt.Errorf("--limit must not be negative, got %d", f.Limit)
	}
	// Whatever the environment says: without a terminal it is not asked.
	if _, err := f.Colour(false, nil); err != nil {
		return err
	}
	if _, err := f.Sorter(); err != nil {
		return err
	}
	_, err := f.resolve()
	return err
}

// Human says whether the output is a table for people rather than data.
func (f *Flags) Human() bool {
	out, err := f.resolve()
	return err == nil && out.format == table
}

func (f *Flags) formats() []string {
	return append([]string{string(jsonLines)}, f.kubectl.AllowedFormats()...)
}

func (f *Flags) completeFormat(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var fitting []string
	for _, format := range f.formats() {
		if strings.HasPrefix(format, typed) {
			fitting = append(fitting, format)
		}
	}
	return fitting, cobra.ShellCompDirectiveNoFileComp
}

func (f *Flags) noHeaders() bool { return *f.kubectl.NoHeaders }

func (f *Flags) showManagedFields() bool { return f.kubectl.JSONYamlPrintFlags.ShowManagedFields }
