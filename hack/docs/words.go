package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manWords protects all words of a command that become a manual page: they pass
// through Markdown on their way.
func manWords(command *cobra.Command) {
	referenceWords(command)
	// Cobra adds the flags where it does not find them.
	command.DisableFlagsInUseLine = strings.Contains(command.Use, "[flags]")
	command.Use = protect(command.Use)
	protectUsage := func(flag *pflag.Flag) { flag.Usage = protect(flag.Usage) }
	command.LocalNonPersistentFlags().VisitAll(protectUsage)
	command.PersistentFlags().VisitAll(protectUsage)
}

// referenceWords protects the words of a command that become running text in
// Markdown; usage, flags and examples become blocks of code there.
func referenceWords(command *cobra.Command) {
	command.Short, command.Long = protect(command.Short), protect(command.Long)
	// kubectl's indent of examples leaves spaces on empty lines.
	command.Example = strings.ReplaceAll(command.Example, "\n  \n", "\n\n")
}

// protect has Markdown show a text as it is. Lines that begin with a tab are code
// to it already.
func protect(text string) string {
	signs := strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `<`, `\<`, `[`, `\[`, `]`, `\]`)
	var protected strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "\t") {
			// Texts of help begin their paragraphs with a space, but the first one.
			line = signs.Replace(strings.TrimPrefix(line, " "))
		}
		protected.WriteString(line)
	}
	return protected.String()
}
