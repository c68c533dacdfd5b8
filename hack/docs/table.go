package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/help"
)

// tableHeading heads the section that is the table of flags by purpose.
const tableHeading = "\n## Flags by purpose\n"

// writeTable puts the table of flags by purpose into its section of a file.
func writeTable(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	written, err := withTable(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(written), 0o644)
}

// withTable is a text with the table in the place of the section that it has.
func withTable(text string) (string, error) {
	before, section, found := strings.Cut(text, tableHeading)
	if !found {
		return "", fmt.Errorf("no section %q", strings.TrimSpace(tableHeading))
	}
	if _, after, more := strings.Cut(section, "\n## "); more {
		return before + tableHeading + "\n" + notice + table() + "\n## " + after, nil
	}
	return before + tableHeading + "\n" + notice + table(), nil
}

// table has a row for each purpose of flags.
func table() string {
	text := "| to | flags |\n|---|---|\n"
	for _, row := range help.Table(newTree(referenceWords)) {
		var uses []string
		for _, use := range row.Uses {
			uses = append(uses, flagsOf(use))
		}
		text += fmt.Sprintf("| %s | %s |\n", row.Purpose, strings.Join(uses, "; "))
	}
	return text
}

// flagsOf names flags, and the commands that have them where not all have.
func flagsOf(use help.Use) string {
	names := make([]string, len(use.Flags))
	for n, flag := range use.Flags {
		names[n] = spelt(flag)
	}
	if len(use.Commands) == 0 {
		return strings.Join(names, ", ")
	}
	return "`" + strings.Join(use.Commands, "`, `") + "`: " + strings.Join(names, ", ")
}

func spelt(flag *pflag.Flag) string {
	switch flag.Shorthand {
	case "":
		return "`--" + flag.Name + "`"
	case flag.Name:
		return "`-" + flag.Name + "`"
	}
	return "`-" + flag.Shorthand + "`/`--" + flag.Name + "`"
}
