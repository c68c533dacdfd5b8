package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

// refuse says which flags ask for what cannot be had together; nil if none do.
func (o *list) refuse(flags *pflag.FlagSet) error {
	if err := refuseWithCounts(flags, o.countBy); err != nil || !o.watch && !o.watchOnly {
		return err
	}
	switch {
	case o.ask.request.Subresource != "":
		return errors.New("--subresource cannot be used with --watch: a subresource cannot be watched")
	case o.countBy != "":
		return errors.New("--count-by cannot be used with --watch: a stream tells objects, not counts")
	case o.exitStatus:
		return errors.New("--exit-status cannot be used with --watch: what does not match now may match later")
	case o.print.Limit != 0:
		return errors.New(`--limit cannot be used with --watch: "tail --max-events" ends a stream`)
	}
	return nil
}

// refuseWithCounts says which flags are about the lines of objects, which
// --count-by does not print.
func refuseWithCounts(flags *pflag.FlagSet, countBy string) error {
	switch {
	case !flags.Changed("count-by"):
		return nil
	case countBy == "":
		return errors.New("--count-by needs the name of an index, or a field path")
	}
	if flags.Changed("sort-by") {
		return errors.New("--sort-by cannot be used with --count-by: counts come most first")
	}
	for _, name := range []string{"label-columns", "show-labels", "show-kind"} {
		if flags.Changed(name) {
			return fmt.Errorf("--%s cannot be used with --count-by: it prints an index's values, not objects", name)
		}
	}
	return nil
}
