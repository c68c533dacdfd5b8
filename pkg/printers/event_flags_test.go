package printers

import (
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestMisusedFlagsOfEventsAreRefused(t *testing.T) {
	const noOld = "--old needs an output that shows the event: json, jsonl, yaml, kyaml, jsonpath or go-template"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--color", "blue"}, `--color must be auto, always or never, got "blue"`},
		{[]string{"--color", ""}, `--color must be auto, always or never, got ""`},
		{[]string{"--old"}, noOld},
		{[]string{"--old", "-o", "wide"}, noOld},
		{[]string{"--old", "-o", "name"}, noOld},
		{[]string{"--old", "-o", "custom-columns=A:.kind"}, noOld},
		{[]string{"--old", "-o", "xml"}, "unable to match a printer suitable for the output format"},
	} {
		flags, _ := parsed(c.args...)
		if err := flags.ValidateEvents(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.args, err, c.want)
		}
	}
	for _, args := range [][]string{nil, {"--diff"}, {"--old", "-o", "json"}, {"--old", "--template={{.type}}"}, {"--color", "always", "--show-secrets", "--all-changes"}} {
		if err := mustParse(t, args...).ValidateEvents(); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestFlagsOfEventsAreExplainedAndCompleted(t *testing.T) {
	cmd := &cobra.Command{Run: func(*cobra.Command, []string) {}}
	NewFlags().AddEventFlags(cmd)
	for _, name := range []string{"diff", "old", "show-secrets", "all-changes", "color", "timestamps"} {
		if flag := cmd.Flags().Lookup(name); flag == nil || !strings.HasSuffix(flag.Usage, ".") {
			t.Errorf("--%s: %+v", name, flag)
		}
	}
	var out strings.Builder
	cmd.SetOut(&out)
	cmd.SetArgs([]string{cobra.ShellCompRequestCmd, "--color", ""})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	same(t, "auto\nalways\nnever\n:4\n", out.String())
}

func TestComparingNeedsWholeObjects(t *testing.T) {
	const (
		metadata, cells, whole = cache.Metadata, cache.Cells, cache.Whole
		managed                = cache.ManagedFields
	)
	for _, c := range []struct {
		args []string
		want cache.Representation
	}{
		{[]string{"--diff"}, cells | whole | managed},
		{[]string{"--diff", "-o", "wide"}, cells | whole | managed},
		{[]string{"--diff", "--all-changes"}, cells | whole | managed},
		{[]string{"--diff", "-o", "name"}, whole | managed},
		{[]string{"--diff", "-o", "custom-columns=A:.metadata.name"}, whole | managed},
		{[]string{"--diff", "-o", "jsonpath={.changes[*].path}"}, whole | managed},
		{[]string{"--old", "-o", "json"}, whole},
		{[]string{"--old", "-o", "yaml", "--show-managed-fields"}, whole | managed},
		{[]string{"--old", "-o", "jsonpath={.oldObject.spec.x}"}, whole},
		{[]string{"--old", "-o", "jsonpath={.oldObject.metadata.labels}"}, metadata},
		{[]string{"--all-changes", "--show-secrets", "--color=always"}, cells},
	} {
		if got := mustParse(t, c.args...).EventNeeds(); got != c.want {
			t.Errorf("%q: needs %s, want %s", c.args, got, c.want)
		}
	}
}

func TestACommandReadsJSONWhateverIsPrinted(t *testing.T) {
	want := strings.Join(tail(t, EventOptions{}, []cache.Event{rolledOut()}, "-o", "json", "--diff", "--old", "--show-managed-fields", "--timestamps"), "")
	for _, output := range [][]string{nil, {"-o", "wide", "--show-labels"}, {"-o", "name"}, {"--template={{.type}}"}, {"-o", "custom-columns=A:.kind"}} {
		flags := mustParse(t, append(output, "--diff", "--old", "--show-managed-fields", "--timestamps")...)
		asJSON := flags.AsJSON()
		if err := asJSON.ValidateEvents(); err != nil {
			t.Errorf("%q: %v", output, err)
		}
		if got := asJSON.EventNeeds(); got != cache.Whole|cache.ManagedFields {
			t.Errorf("%q: needs %s", output, got)
		}
		if asJSON.Human() || flags.Human() != mustParse(t, output...).Human() {
			t.Errorf("%q: the output itself has changed", output)
		}
		var commands sync.WaitGroup
		for range 4 {
			commands.Go(func() {
				var stdin writes
				printer, err := asJSON.NewEventPrinter(&stdin, EventOptions{})
				if err == nil {
					err = printer.Print(rolledOut())
				}
				if got := strings.Join(stdin, ""); err != nil || got != want {
					t.Errorf("%q: %v\ngot  %s\nwant %s", output, err, got, want)
				}
			})
		}
		commands.Wait()
	}
}
