package completion

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"
)

var (
	commandLong = templates.LongDesc(`
		Print the script with which a shell completes types, names, namespaces, index
		names, and the values that objects really have in an index.

		"kubectl informer" is completed by kubectl's own script (see "kubectl completion
		--help"), and needs none of these. kubectl 1.26 and later ask an executable named
		kubectl_complete-informer in PATH. This program answers under that name too: a
		link to it is enough, on Windows a copy named kubectl_complete-informer.exe.

		The scripts are for those who call the program by its own name, kubectl-informer.`)

	commandExample = templates.Examples(`
		# Let kubectl complete "kubectl informer", from a directory that is in PATH
		ln -s "$(command -v kubectl-informer)" ~/.local/bin/kubectl_complete-informer

		# Complete kubectl-informer in this bash, and in this fish
		source <(kubectl-informer completion bash)
		kubectl-informer completion fish | source`)
)

// AddCommand adds cobra's own command, with a help that says how
// kubectl completes. root must have its other commands, and its output.
func AddCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Print a shell's completion script, or how kubectl completes"
			cmd.Long, cmd.Example = commandLong, commandExample
			cmd.Use = "completion (bash|fish|powershell|zsh)"
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, refuseShell
			printSoundScripts(cmd)
		}
	}
}

// refuseShell runs where no shell is named that has a command of its own.
func refuseShell(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var shells []string
	for _, shell := range cmd.Commands() {
		shells = append(shells, shell.Name())
	}
	return fmt.Errorf("unsupported shell type %q: it can be one of %s", args[0], strings.Join(shells, ", "))
}

// The expression by which cobra's scripts for zsh and fish find out that it is
// the value of a flag that is completed, as in --by=VALUE, and how it should be.
// Theirs is found in label=my-key= too, and what it finds is put before the value.
const (
	anyDashToEqualSign = `'-.*='`
	flagToEqualSign    = `'^-[^=]*='`
)

// printSoundScripts has the commands of zsh and fish print scripts that know a
// flag from a value.
func printSoundScripts(completion *cobra.Command) {
	root := completion.Root()
	generators := map[string]func(w io.Writer, describe bool) error{
		"fish": root.GenFishCompletion,
		"zsh": func(w io.Writer, describe bool) error {
			if describe {
				return root.GenZshCompletion(w)
			}
			return root.GenZshCompletionNoDesc(w)
		},
	}
	for _, cmd := range completion.Commands() {
		generate, ok := generators[cmd.Name()]
		if !ok {
			continue
		}
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			bare, err := cmd.Flags().GetBool("no-descriptions")
			if err != nil {
				return err
			}
			var script strings.Builder
			if err := generate(&script, !bare); err != nil {
				return err
			}
			_, err = io.WriteString(root.OutOrStdout(), strings.Replace(script.String(), anyDashToEqualSign, flagToEqualSign, 1))
			return err
		}
	}
}
