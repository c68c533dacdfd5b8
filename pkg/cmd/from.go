package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// fromFlag is the value of --from: with it the connection leads to a dump.
type fromFlag struct {
	connection *connection
	cmd        *cobra.Command
}

// addFromFlag adds --from.
func (f *resourceFlags) addFromFlag(cmd *cobra.Command) {
	cmd.Flags().Var(fromFlag{f.connection, cmd}, "from",
		"Answer from manifests or a saved dump instead of a cluster: files, directories with all below them, or - for stdin. May be given several times, with list and query. No kubeconfig is read; without -n all namespaces are meant.")
	completeFlag(cmd, "from", asFile)
}

// Set adds a path. The same path again, which is what completion makes of every
// flag, adds nothing.
func (f fromFlag) Set(path string) error {
	if path == "" {
		return errors.New("a file, a directory or - is needed")
	}
	if f.connection.dump == nil {
		f.connection.dump = &savedDump{stdin: f.cmd.InOrStdin(), console: f.connection.console}
	}
	if d := f.connection.dump; !slices.Contains(d.paths, path) {
		d.paths = append(d.paths, path)
	}
	return nil
}

// String is what help shows as the default: nothing.
func (f fromFlag) String() string {
	if f.connection == nil || f.connection.dump == nil {
		return ""
	}
	return strings.Join(f.connection.dump.paths, ",")
}

// Type is how help calls a value.
func (fromFlag) Type() string { return "path" }

// validate says why a command cannot be answered from the dump; nil where there is
// no dump, too.
func (s *savedDump) validate(cmd *cobra.Command) error {
	if s == nil {
		return nil
	}
	// These are false and none for a command that has no such flag.
	watch, _ := cmd.Flags().GetBool("watch")
	watchOnly, _ := cmd.Flags().GetBool("watch-only")
	files, _ := cmd.Flags().GetStringSlice("filename")
	fromStdin := slices.Contains(s.paths, "-")
	switch {
	case cmd.Name() == "tail" || cmd.Name() == "wait":
		return fmt.Errorf("%s cannot be used with --from: a dump does not change; list and query answer from it", cmd.Name())
	case watch || watchOnly:
		return errors.New("--watch cannot be used with --from: a dump does not change")
	case fromStdin && cmd.Name() == "query":
		return errors.New("--from - cannot be used with query, which reads its questions from stdin")
	case fromStdin && slices.Contains(files, "-"):
		return errors.New("--from - cannot be used with --filename -: stdin can be read only once")
	}
	return nil
}

// withFaults adds to how a command has ended what was wrong with documents of the
// dump, which has been reported.
func (s *savedDump) withFaults(err error) error {
	if s == nil {
		return err
	}
	if s.faults != nil && errors.Is(err, errNothingMatched) {
		err = nil // nobody knows
	}
	return errors.Join(err, said(s.faults))
}
