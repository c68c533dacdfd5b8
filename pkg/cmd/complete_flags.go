package cmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// completeFlags completes kubectl's connection flags, which are root's, and says
// of all other flags of all commands that their values are no files' names.
//
// kubectl's own functions would do, but they take their configuration from a
// package variable, and wait for a server as long as it pleases.
func (c *connection) completeFlags(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	completeFlag(root, "context", c.fromKubeconfig(func(config clientcmdapi.Config) []string {
		return slices.Sorted(maps.Keys(config.Contexts))
	}))
	completeFlag(root, "cluster", c.fromKubeconfig(func(config clientcmdapi.Config) []string {
		return slices.Sorted(maps.Keys(config.Clusters))
	}))
	completeFlag(root, "user", c.fromKubeconfig(func(config clientcmdapi.Config) []string {
		return slices.Sorted(maps.Keys(config.AuthInfos))
	}))
	for _, name := range []string{"kubeconfig", "certificate-authority", "client-certificate", "client-key"} {
		completeFlag(root, name, asFile)
	}
	completeFlag(root, "cache-dir", asDirectory)
}

// fromKubeconfig completes one of the names that the kubeconfig has.
func (c *connection) fromKubeconfig(names func(clientcmdapi.Config) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		config, err := c.flags.ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			return offerNothing(err)
		}
		return offer(typed, names(config), 0)
	}
}

// addCompletions completes the arguments of a command that takes resources, and
// those flags that it has by now and whose values can be known.
func (f *resourceFlags) addCompletions(cmd *cobra.Command) {
	cmd.ValidArgsFunction = f.completeArguments
	for name, complete := range map[string]cobra.CompletionFunc{
		"namespace": f.completeNamespaces,
		"by":        f.completeBy,
		"count-by":  f.completeIndexName,
		"events":    completeEvents,
		"kustomize": asDirectory,
		"from":      asFile,
		"template":  asFile,
	} {
		completeFlag(cmd, name, complete)
	}
}

// completeFlag completes the value of a flag that a command may have.
func completeFlag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if cmd.Flag(name) != nil {
		_ = cmd.RegisterFlagCompletionFunc(name, complete) // it fails for a flag that is not there
	}
}

// oneOf completes one of some words.
func oneOf(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return offer(typed, words, 0)
	}
}

// completeEvents completes --events, which holds a list.
func completeEvents(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names := make([]string, len(eventTypes))
	for n, event := range eventTypes {
		names[n] = strings.ToLower(string(event))
	}
	return offer(typed, inList(typed, names), 0)
}

// asFile leaves the completion of a file's name to the shell.
func asFile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// asDirectory leaves the completion of a directory's name to the shell.
func asDirectory(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
