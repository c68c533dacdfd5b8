package cmd

import (
	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"
)

var (
	completionLong = templates.LongDesc(`
		Print the script with which a shell completes types, names, namespaces, index
		names, and the values that objects really have in an index.

		"kubectl informer" is completed by kubectl's own script (see "kubectl completion
		--help"), and needs none of these. kubectl 1.26 and later ask an executable named
		kubectl_complete-informer in PATH. This program answers under that name too: a
		link to it is enough, on Windows a copy named kubectl_complete-informer.exe.

		The scripts are for those who call the program by its own name, kubectl-informer.`)

	completionExample = templates.Examples(`
		# Let kubectl complete "kubectl informer", from a directory that is in PATH
		ln -s "$(command -v kubectl-informer)" ~/.local/bin/kubectl_complete-informer

		# Complete kubectl-informer in this bash, and in this fish
		source <(kubectl-informer completion bash)
		kubectl-informer completion fish | source`)
)

// addCompletionCommand adds cobra's own command, with a help that says how
// kubectl is told. root must have its other commands, and its output.
func addCompletionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Print a shell's completion script, or how kubectl completes"
			cmd.Long, cmd.Example = completionLong, completionExample
		}
	}
}
