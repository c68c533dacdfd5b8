package cmd

import (
	"fmt"

	"github.com/spf13/pflag"
)

// refuseWithoutCommand says which flags are about runs of a COMMAND, where there
// is none; nil if none are given.
func refuseWithoutCommand(flags *pflag.FlagSet, command []string) error {
	if len(command) > 0 {
		return nil
	}
	for _, name := range []string{"parallel", "retries", "command-timeout", "grace-period"} {
		if flags.Changed(name) {
			return fmt.Errorf("--%s needs a COMMAND: tail TYPE -- COMMAND", name)
		}
	}
	return nil
}
