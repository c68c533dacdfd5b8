package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/help"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// notice begins each page of the reference.
const notice = "<!-- Written by `make docs` from the commands' own help. -->\n\n"

// form is a way to write down the commands: a page for each.
type form struct {
	// ending is that of the files' names, separator is between the words before it.
	ending, separator string
	words             func(*cobra.Command)
	page              func(*cobra.Command) ([]byte, error)
}

func forms() map[string]form {
	return map[string]form{
		"man":       {ending: ".1", separator: "-", words: manWords, page: manPage},
		"reference": {ending: ".md", separator: "_", words: referenceWords, page: referencePage},
	}
}

// pages returns all pages by their files' names. They depend on the commands alone:
// not on the day, and not on the machine.
func (f form) pages() (map[string][]byte, error) {
	pages := map[string][]byte{}
	err := eachCommand(newTree(f.words), func(command *cobra.Command) error {
		page, err := f.page(command)
		pages[strings.ReplaceAll(command.CommandPath(), " ", f.separator)+f.ending] = page
		return err
	})
	return pages, err
}

// newTree returns the commands as users type them, with what words makes of the
// words of each.
func newTree(words func(*cobra.Command)) *cobra.Command {
	root := cmd.NewRoot(process.Streams{IOStreams: genericiooptions.IOStreams{
		In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard,
	}})
	root.Use = root.Name() + " COMMAND [flags]"
	for _, command := range root.Commands() {
		if command.Name() == "options" {
			// It prints the flags of the root command, which has a page.
			root.RemoveCommand(command)
		}
	}
	root.PersistentFlags().VisitAll(forAnyone)
	_ = eachCommand(root, func(command *cobra.Command) error {
		command.DisableAutoGenTag = true
		words(command)
		return nil
	})
	return root
}

// forAnyone takes out of a flag's default what is this machine's alone.
func forAnyone(flag *pflag.Flag) {
	if flag.Name == "cache-dir" {
		flag.DefValue = "$HOME/.kube/cache"
	}
}

// eachCommand visits the command and all below it that users are told of.
func eachCommand(command *cobra.Command, visit func(*cobra.Command) error) error {
	if err := visit(command); err != nil {
		return err
	}
	for _, child := range command.Commands() {
		if !child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := eachCommand(child, visit); err != nil {
			return err
		}
	}
	return nil
}

// manPage returns the manual page of a command, without a date.
func manPage(command *cobra.Command) ([]byte, error) {
	epoch := time.Unix(0, 0).UTC()
	var page bytes.Buffer
	err := doc.GenMan(command, &doc.GenManHeader{
		Section: "1", Date: &epoch, Source: "kubectl-informer", Manual: "kubectl informer",
	}, &page)
	dated := `"` + epoch.Format("Jan 2006") + `"`
	text := hangOptions(strings.Replace(page.String(), dated, `""`, 1))
	return []byte(groupOptions(groupOptions(text, "OPTIONS", ownOptions(command)), inheritedOptions, help.Global(command))), err
}

// hangOptions sets what an option means below it, indented. It comes as a line
// that begins with a tab, which is where the tab stops are to roff.
func hangOptions(page string) string {
	var set []string
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		meaning, isMeaning := strings.CutPrefix(line, "\t")
		if !isMeaning || !strings.HasPrefix(lines[i-1], `\fB-`) {
			set = append(set, line)
			continue
		}
		option := set[len(set)-1]
		set = set[:len(set)-1]
		if set[len(set)-1] == ".PP" {
			set = set[:len(set)-1]
		}
		set = append(set, ".TP", option, meaning)
	}
	return strings.Join(set, "\n")
}

// inheritedOptions heads those of the root command on a page, if there are any.
const inheritedOptions = "OPTIONS INHERITED FROM PARENT COMMANDS"

// groupOptions puts the options below a heading into groups, by purpose. Each has
// been hung.
func groupOptions(page, heading string, groups []help.Group) string {
	before, rest, found := strings.Cut(page, ".SH "+heading+"\n")
	if !found {
		return page
	}
	options, after, _ := strings.Cut(rest, "\n.SH ")
	var grouped strings.Builder
	for _, group := range groups {
		fmt.Fprintf(&grouped, ".SS %s\n", group.Title())
		group.Flags.VisitAll(func(flag *pflag.Flag) {
			for _, option := range strings.SplitAfter(options, "\n\n") {
				if strings.Contains(option, `\fB--`+flag.Name+`\fP`) && strings.HasPrefix(option, ".TP\n\\fB-") {
					grouped.WriteString(strings.TrimRight(option, "\n") + "\n\n")
				}
			}
		})
	}
	return before + ".SH " + heading + "\n" + grouped.String() + ".SH " + after
}

// referencePage returns the page of a command in Markdown.
func referencePage(command *cobra.Command) ([]byte, error) {
	const (
		options   = "\n### Options\n"
		inherited = "\n### Options inherited from parent commands\n"
		seeAlso   = "\n### SEE ALSO\n"
	)
	page := bytes.NewBufferString(notice)
	err := doc.GenMarkdownCustom(command, page, func(link string) string { return link })
	all, links, _ := strings.Cut(page.String(), seeAlso)
	all, _, _ = strings.Cut(all, inherited)
	text, _, _ := strings.Cut(all, options)
	if groups := ownOptions(command); len(groups) > 0 {
		text += options + referenceOptions(groups)
	}
	if command.HasParent() {
		text += inherited + referenceOptions(help.Global(command))
	}
	return []byte(strings.TrimRight(text+seeAlso+links, "\n") + "\n"), err
}

// ownOptions are those of a command that its page calls its own.
func ownOptions(command *cobra.Command) []help.Group {
	if command.HasParent() {
		return help.Own(command)
	}
	return append(help.Own(command), help.Global(command)...)
}

func referenceOptions(groups []help.Group) string {
	var text strings.Builder
	for _, group := range groups {
		fmt.Fprintf(&text, "\n#### %s\n\n```\n%s```\n", group.Title(), group.Flags.FlagUsages())
	}
	return text.String()
}
