// Package help shows commands to people: examples first, then flags by purpose, in 80
// columns. The purposes of flags are known here alone; help and documentation ask it.
package help

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Group is those flags that serve one purpose, in the order in which they are shown.
type Group struct {
	// Purpose ends the sentence "with these flags you ...".
	Purpose string
	Flags   *pflag.FlagSet
}

// Title is the purpose as a heading.
func (g Group) Title() string { return strings.ToUpper(g.Purpose[:1]) + g.Purpose[1:] }

// purpose is what some flags are for: in one command, or in any where none is named.
type purpose struct {
	does    string
	command string
	flags   []string
}

// other is the purpose of a flag that has been forgotten below.
const other = "others"

// purposes are all purposes of flags. The first one that has a flag counts.
func purposes() []purpose {
	return []purpose{
		{does: "choose objects", flags: []string{
			"namespace", "all-namespaces", "contexts", "selector", "field-selector", "filename", "kustomize", "recursive", "from", "replay", "at", "now", "ignore-broken",
			"ignore-not-found", "subresource", "shard",
		}},
		{does: "narrow and count, in the cache", flags: []string{
			"by", "where", "used-by", "unused-by", "index", "count-by",
		}},
		{does: "wait", command: "wait", flags: []string{
			"for", "fail-for", "any-of", "all", "any", "none", "count", "timeout", "speed",
		}},
		{does: "follow changes", flags: []string{
			"live", "watch", "watch-only", "events", "changed", "resync", "timeout", "max-events", "sync-events", "max-pending", "speed", "record",
			"state", "until-synced",
		}},
		{does: "run in a cluster", flags: []string{
			"leader-elect", "health-file", "max-age",
		}},
		{does: "run a COMMAND for each change", flags: []string{
			"parallel", "retries", "command-timeout", "grace-period", "once", "cooldown",
		}},
		{does: "print", flags: []string{
			"output", "template", "allow-missing-template-keys", "sort-by", "limit", "label-columns", "show-labels", "show-kind",
			"show-managed-fields", "no-headers", "server-print", "diff", "old", "show-secrets", "all-changes", "timestamps",
			"color", "null", "no-descriptions",
		}},
		{does: "set limits, and see how it went", flags: []string{
			"sync-timeout", "request-timeout", "cel-cost-limit", "chunk-size", "exit-status", "warnings-as-errors", "quiet",
			"stats", "metrics-file", "verify", "verify-every", "v", "vmodule",
		}},
		{does: "connect, as kubectl does", flags: []string{
			"context", "kubeconfig", "cluster", "user", "as", "as-group", "as-uid", "as-user-extra", "token", "username",
			"password", "server", "certificate-authority", "client-certificate", "client-key", "tls-server-name",
			"insecure-skip-tls-verify", "proxy-url", "disable-compression", "cache-dir",
		}},
		{does: other},
	}
}

// Own are the flags that only the command itself has.
func Own(cmd *cobra.Command) []Group {
	flags := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	persistent := cmd.PersistentFlags()
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if persistent.Lookup(flag.Name) == nil {
			flags.AddFlag(flag)
		}
	})
	return grouped(cmd.Name(), flags)
}

// Global are the flags that the command shares with all others.
func Global(cmd *cobra.Command) []Group {
	return grouped(cmd.Name(), cmd.Root().PersistentFlags())
}

// grouped are the flags by purpose, without --help and those that are hidden.
func grouped(command string, flags *pflag.FlagSet) []Group {
	var groups []Group
	taken := map[string]bool{"help": true}
	for _, purpose := range purposes() {
		if purpose.command != "" && purpose.command != command {
			continue
		}
		names := purpose.flags
		if purpose.does == other {
			flags.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		}
		group := Group{purpose.does, pflag.NewFlagSet(purpose.does, pflag.ContinueOnError)}
		group.Flags.SortFlags = false
		for _, name := range names {
			if flag := flags.Lookup(name); flag != nil && !flag.Hidden && !taken[name] {
				taken[name] = true
				group.Flags.AddFlag(flag)
			}
		}
		if group.Flags.HasFlags() {
			groups = append(groups, group)
		}
	}
	return groups
}

// Row is all flags of one purpose.
type Row struct {
	Purpose string
	Uses    []Use
}

// Use is flags that the same commands have: all that take resources where Commands is
// empty.
type Use struct {
	Commands []string
	Flags    []*pflag.Flag
}

// Table has the flags of the commands that take resources, those that all commands
// share, and what other commands have alone, by purpose.
func Table(root *cobra.Command) (rows []Row) {
	commands := takingResources(root)
	for _, purpose := range purposes() {
		row := Row{Purpose: purpose.does}
		for _, name := range purpose.flags {
			if flag := lookup(Global(root), purpose.does, name); flag != nil {
				row.Uses = added(row.Uses, nil, flag)
			}
			var having []string
			var flag *pflag.Flag
			for _, cmd := range commands {
				if found := lookup(Own(cmd), purpose.does, name); found != nil {
					flag, having = found, append(having, cmd.Name())
				}
			}
			if flag == nil { // of a command that asks no cluster
				having, flag = elsewhere(root, commands, purpose.does, name)
			}
			if len(having) == len(commands) {
				having = nil
			}
			if flag != nil {
				row.Uses = added(row.Uses, having, flag)
			}
		}
		if len(row.Uses) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// elsewhere is a flag that none of the commands that take resources has, and who has it.
func elsewhere(root *cobra.Command, taking []*cobra.Command, purpose, name string) (having []string, flag *pflag.Flag) {
	for _, cmd := range root.Commands() {
		if slices.Contains(taking, cmd) || !cmd.IsAvailableCommand() {
			continue
		}
		if found := lookup(Own(cmd), purpose, name); found != nil {
			flag, having = found, append(having, cmd.Name())
		}
	}
	return having, flag
}

// added puts a flag beside those that the same commands have.
func added(uses []Use, commands []string, flag *pflag.Flag) []Use {
	for n := range uses {
		if slices.Equal(uses[n].Commands, commands) {
			uses[n].Flags = append(uses[n].Flags, flag)
			return uses
		}
	}
	return append(uses, Use{commands, []*pflag.Flag{flag}})
}

// takingResources are the commands that have flags to choose objects by.
func takingResources(root *cobra.Command) (commands []*cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Flags().Lookup("selector") != nil {
			commands = append(commands, cmd)
		}
	}
	return commands
}

func lookup(groups []Group, purpose, name string) *pflag.Flag {
	for _, group := range groups {
		if group.Purpose == purpose {
			return group.Flags.Lookup(name)
		}
	}
	return nil
}

func listed(flags *pflag.FlagSet) (all []*pflag.Flag) {
	flags.VisitAll(func(flag *pflag.Flag) { all = append(all, flag) })
	return all
}
