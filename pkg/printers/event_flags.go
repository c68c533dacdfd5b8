package printers

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// The values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// AddEventFlags binds what only streams of events have.
func (f *Flags) AddEventFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.Timestamps, "timestamps", f.Timestamps, "Show when each event was learned.")
	flags.BoolVar(&f.Diff, "diff", f.Diff,
		"Show what each update changed, field by field: below a table's row, or as \"changes\" in JSON, YAML and templates. "+
			"An update of nothing but managedFields, resourceVersion, generation, heartbeats or the renewal of a lease is left out, in every format.")
	flags.BoolVar(&f.Old, "old", f.Old,
		"Add the object as it was before an update, as \"oldObject\" in JSON, YAML and templates.")
	flags.BoolVar(&f.ShowSecrets, "show-secrets", f.ShowSecrets,
		"With --diff, show the values of Secrets instead of masking them.")
	flags.BoolVar(&f.AllChanges, "all-changes", f.AllChanges,
		"With --diff or --changed, report every update, and every field that changed.")
	flags.StringVar(&f.Color, "color", f.Color,
		"Colour tables: auto, always or never. With auto only on a terminal, and not where NO_COLOR is set or TERM is dumb.")
	// The only error is an unknown flag, and it was bound one line above.
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(
		[]cobra.Completion{colorAuto, colorAlways, colorNever}, cobra.ShellCompDirectiveNoFileComp))
}

// ValidateEvents is Validate for a stream of events.
func (f *Flags) ValidateEvents() error {
	if err := f.Validate(); err != nil {
		return err
	}
	out, err := f.resolve()
	if err != nil {
		return err
	}
	if err := f.checkMembers(out); err != nil {
		return fmt.Errorf("-o %s: %w", out.format, err)
	}
	if !f.Old {
		return nil
	}
	switch out.format {
	case table, names, customColumns:
		return errors.New("--old needs an output that shows the event: json, jsonl, yaml, kyaml, jsonpath or go-template")
	}
	return nil
}

// Colour says whether tables are to be coloured, written to a terminal or not.
// getenv is os.Getenv or stands for it; https://no-color.org says what NO_COLOR
// means. The error is that of a value that --color does not have.
func (f *Flags) Colour(terminal bool, getenv func(name string) string) (bool, error) {
	switch f.Color {
	case colorAlways:
		return true, nil
	case colorNever:
		return false, nil
	case colorAuto:
		return terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb", nil
	}
	return false, fmt.Errorf("--color must be %s, %s or %s, got %q", colorAuto, colorAlways, colorNever, f.Color)
}

// AsJSON returns the flags with -o json in place of the output they ask for. An
// event as a command reads it is what their EventPrinter prints, from objects of
// their EventNeeds. The returned flags may be used by several goroutines, each
// with a printer of its own; they do not follow later changes of f.
func (f *Flags) AsJSON() *Flags {
	asJSON := *f
	asJSON.output = &output{format: jsonDocument, kubectl: f.kubectl.Copy()}
	return &asJSON
}

// AsRecord returns the flags with which events are recorded: as JSON, with their times,
// and with managedFields where --diff reads them. What can be computed is left out.
func (f *Flags) AsRecord() *Flags {
	record := f.AsJSON()
	record.Timestamps, record.Diff, record.Old, record.SortBy = true, false, false, nil
	if f.Diff {
		kubectl := f.kubectl.Copy()
		documents := *kubectl.JSONYamlPrintFlags
		documents.ShowManagedFields = true
		kubectl.JSONYamlPrintFlags = &documents
		record.kubectl = &kubectl
		record.output = &output{format: jsonDocument, kubectl: kubectl}
	}
	return record
}
