package help

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"
	"k8s.io/kubectl/pkg/util/term"
)

// width is that of the narrowest terminal that help is written for. Into a pipe it is
// the same, for a pager shows it.
const width = 80

// optionsCommand prints the flags that all commands share.
const optionsCommand = "options"

// Install has root, and all its commands, show help. groups are its commands, under
// their headings; those of no group are others.
func Install(root *cobra.Command, groups templates.CommandGroups) {
	templates.ActsAsRootCommand(root, []string{optionsCommand}, groups...)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		// Who cannot read help will not be helped by an error.
		_, _ = io.WriteString(term.NewResponsiveWriter(cmd.OutOrStdout()), Text(cmd, groups))
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(term.NewResponsiveWriter(cmd.OutOrStderr()), usage(cmd, groups))
		return err
	})
	for _, cmd := range root.Commands() {
		if cmd.Name() == optionsCommand {
			cmd.SetUsageFunc(func(cmd *cobra.Command) error {
				_, err := io.WriteString(term.NewResponsiveWriter(cmd.OutOrStdout()), globalFlags(cmd))
				return err
			})
			cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = cmd.Usage() })
		}
	}
}

// Text is the help of a command: what it does, examples, and then the details.
func Text(cmd *cobra.Command, groups templates.CommandGroups) string {
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	lead, details, _ := strings.Cut(strings.TrimSpace(long), "\n\n")
	sections := []string{wrapped(lead), examples(cmd), wrapped(details), usage(cmd, groups)}
	return joined(sections)
}

// usage is what the help of a command has after its description.
func usage(cmd *cobra.Command, groups templates.CommandGroups) string {
	sections := []string{commands(cmd, groups), flags(Own(cmd)), aliases(cmd), usageLine(cmd), tips(cmd)}
	return joined(sections)
}

// globalFlags is what "options" prints.
func globalFlags(cmd *cobra.Command) string {
	return joined([]string{"The following options can be passed to any command:", flags(Global(cmd))})
}

// joined puts an empty line between the sections that there are.
func joined(sections []string) string {
	var there []string
	for _, section := range sections {
		if section = strings.Trim(section, "\n"); section != "" {
			there = append(there, section)
		}
	}
	return strings.Join(there, "\n\n") + "\n"
}

// wrapped has no line longer than the width, but for words that are.
func wrapped(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			lines.WriteString(line) // a command, to be copied
			continue
		}
		// Texts of help begin their paragraphs with a space.
		lines.WriteString(Wrap(strings.TrimPrefix(line, " "), width))
	}
	return lines.String()
}

// Wrap breaks a text between words into lines that have so many columns at most, but
// for words that are longer.
func Wrap(text string, columns int) string {
	var lines strings.Builder
	fmt.Fprint(term.NewWordWrapWriter(&lines, uint(columns)), text)
	return lines.String()
}

func examples(cmd *cobra.Command) string {
	if cmd.Example == "" {
		return ""
	}
	// kubectl's indent of examples leaves spaces on empty lines.
	return "Examples:\n" + strings.ReplaceAll(cmd.Example, "\n  \n", "\n\n")
}

// commands are those below a command, under their headings.
func commands(cmd *cobra.Command, groups templates.CommandGroups) string {
	if !cmd.HasAvailableSubCommands() {
		return ""
	}
	heading := "Other Commands:"
	if cmd.HasParent() {
		groups, heading = nil, "Available Commands:"
	}
	var shown []*cobra.Command
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() && below.Name() != optionsCommand {
			shown = append(shown, below)
		}
	}
	var sections []string
	for _, group := range templates.AddAdditionalCommands(groups, heading, shown) {
		lines := []string{group.Message}
		for _, below := range group.Commands {
			lines = append(lines, fmt.Sprintf("  %-*s   %s", below.NamePadding(), below.Name(), below.Short))
		}
		sections = append(sections, strings.Join(lines, "\n"))
	}
	return strings.Join(sections, "\n\n")
}

// flags are printed by kubectl's own printer of a flag.
func flags(groups []Group) string {
	var sections []string
	for _, group := range groups {
		text := bytes.NewBufferString(group.Title() + ":\n")
		printer := templates.NewHelpFlagPrinter(text, width)
		for _, flag := range listed(group.Flags) {
			printer.PrintHelpFlag(flag)
		}
		sections = append(sections, strings.TrimRight(text.String(), "\n"))
	}
	return strings.Join(sections, "\n\n")
}

func aliases(cmd *cobra.Command) string {
	if len(cmd.Aliases) == 0 {
		return ""
	}
	return "Aliases:\n  " + cmd.NameAndAliases()
}

// usageLine wraps between arguments: nothing in brackets is torn apart.
func usageLine(cmd *cobra.Command) string {
	const indent, more = "  ", "      "
	var text strings.Builder
	line, argument := indent, ""
	for word := range strings.FieldsSeq(cmd.UseLine()) {
		argument += word + " "
		if strings.Count(argument, "[")+strings.Count(argument, "(") > strings.Count(argument, "]")+strings.Count(argument, ")") {
			continue
		}
		if len(line)+len(argument) > width {
			text.WriteString(strings.TrimRight(line, " ") + "\n")
			line = more
		}
		line, argument = line+argument, ""
	}
	return "Usage:\n" + text.String() + strings.TrimRight(line+argument, " ")
}

// tips lead to the help of the commands below, and to the flags that all share.
func tips(cmd *cobra.Command) string {
	var lines []string
	if cmd.HasAvailableSubCommands() {
		lines = append(lines, fmt.Sprintf("Use \"%s <command> --help\" for the help of a command.", cmd.CommandPath()))
	}
	lines = append(lines, fmt.Sprintf("Use \"%s %s\" for the options that all commands have.", cmd.Root().CommandPath(), optionsCommand))
	return strings.Join(lines, "\n")
}
