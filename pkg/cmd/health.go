package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"
)

var (
	healthLong = templates.LongDesc(`
		Say whether a tail is healthy that was given --health-file FILE.

		It is if it has touched the file within --max-age: exit code 0, and 1 if not. It
		asks no cluster. It is meant for exec probes of containers that have no shell.`)

	healthExample = templates.Examples(`
		# Exit with 0 if the tail was synced and connected in the last 30 seconds
		kubectl informer health /run/informer/health --max-age 30s`)
)

func newHealth() *cobra.Command {
	maxAge := 30 * time.Second
	cmd := &cobra.Command{
		Use:     "health FILE",
		Short:   "Say whether a tail with --health-file is healthy",
		Long:    healthLong,
		Example: healthExample,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if maxAge <= 0 {
				return fmt.Errorf("--max-age must be greater than 0, got %v", maxAge)
			}
			return checkHealth(args[0], maxAge, time.Now())
		},
	}
	cmd.Flags().DurationVar(&maxAge, "max-age", maxAge, "How long ago the file may have been touched.")
	return cmd
}

// checkHealth says why a health file does not show a healthy stream.
func checkHealth(path string, maxAge time.Duration, now time.Time) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("not healthy: %s is not there: no tail has synced yet, or it has ended", path)
	case err != nil:
		return err
	}
	switch age := now.Sub(info.ModTime()); {
	case age > maxAge:
		return fmt.Errorf("not healthy: %s was last touched %v ago", path, age.Round(time.Second))
	case age < -maxAge:
		return fmt.Errorf("not healthy: %s was last touched before the clock was set back by %v", path, -age.Round(time.Second))
	}
	return nil
}
