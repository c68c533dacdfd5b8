package help_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/help"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// commands are all that users see, as far as their words are ours.
func commands(t *testing.T) (all []*cobra.Command) {
	t.Helper()
	t.Setenv("HOME", "/home/me")
	t.Setenv("KUBECACHEDIR", "")
	root := cmd.NewRoot(process.Streams{IOStreams: genericiooptions.IOStreams{
		In: &bytes.Buffer{}, Out: io.Discard, ErrOut: io.Discard,
	}})
	all = append(all, root)
	for _, command := range root.Commands() {
		if command.IsAvailableCommand() {
			all = append(all, command)
		}
	}
	if len(all) < 9 {
		t.Fatalf("only %d commands", len(all))
	}
	return all
}

// shown is what --help prints, with tabs as a terminal has them.
func shown(t *testing.T, command *cobra.Command) string {
	t.Helper()
	var out bytes.Buffer
	command.Root().SetOut(&out)
	if err := command.Help(); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), "\t", "        ")
}

func TestHelpFitsIn80Columns(t *testing.T) {
	for _, command := range commands(t) {
		for line := range strings.Lines(shown(t, command)) {
			if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > 80 || strings.TrimRight(line, " ") != line {
				t.Errorf("%s --help: %d columns, or spaces at the end: %q", command.CommandPath(), len([]rune(line)), line)
			}
		}
	}
}

func TestExamplesComeBeforeDetailsAndFlagsInTheOrderOfAQuestion(t *testing.T) {
	for _, command := range commands(t) {
		if command.Flags().Lookup("selector") == nil {
			continue
		}
		text := shown(t, command)
		lead, details, _ := strings.Cut(command.Long, "\n\n")
		at := -1
		for _, part := range []string{
			lead[:40], "\nExamples:\n", strings.TrimSpace(details)[:30], "\nChoose objects:\n    -n, --namespace=",
			"\nNarrow and count, in the cache:\n    --by=", "\nSet limits, and see how it went:\n", "\nUsage:\n  kubectl informer " + command.Name() + " (",
		} {
			next := strings.Index(text, part)
			if next <= at {
				t.Errorf("%s: %q is not behind what should precede it:\n%s", command.Name(), part, text)
			}
			at = next
		}
	}
}

func TestEveryFlagHasOnePurpose(t *testing.T) {
	seen := map[string]bool{}
	known, none := help.FlagsOfPurposes()
	for _, command := range commands(t) {
		if command.Name() == "options" {
			continue
		}
		times := map[string]int{}
		for _, group := range slices.Concat(help.Own(command), help.Global(command)) {
			group.Flags.VisitAll(func(flag *pflag.Flag) {
				if times[flag.Name]++; group.Purpose == none {
					t.Errorf("%s: --%s has no purpose", command.CommandPath(), flag.Name)
				}
			})
		}
		visit := func(flag *pflag.Flag) {
			seen[flag.Name] = true
			if want := map[bool]int{false: 1}[flag.Hidden || flag.Name == "help"]; times[flag.Name] != want {
				t.Errorf("%s: --%s is shown %d times, not %d", command.CommandPath(), flag.Name, times[flag.Name], want)
			}
		}
		command.LocalFlags().VisitAll(visit)
		command.InheritedFlags().VisitAll(visit)
		for _, below := range command.Commands() {
			below.LocalFlags().VisitAll(func(flag *pflag.Flag) { seen[flag.Name] = true })
		}
	}
	for _, name := range known {
		if !seen[name] {
			t.Errorf("no command has --%s any more", name)
		}
	}
}

func TestOneFlagCanServeAnotherPurposeInAnotherCommand(t *testing.T) {
	purposes := map[string]string{}
	for _, command := range commands(t) {
		for _, group := range help.Own(command) {
			if group.Flags.Lookup("timeout") != nil {
				purposes[command.Name()] = group.Title()
			}
		}
	}
	if purposes["wait"] != "Wait" || purposes["tail"] != "Follow changes" {
		t.Errorf("--timeout is to %v", purposes)
	}
}
