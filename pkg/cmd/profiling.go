package cmd

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// profiling is kubectl's flags --profile and --profile-output, hidden here as
// they are for whoever makes the plugin faster.
type profiling struct {
	name, output string
	file         *os.File
}

// addFlags adds the flags, with kubectl's names and defaults.
func (p *profiling) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.name, "profile", "none", "Name of profile to capture. One of (none|cpu|heap|goroutine|threadcreate|block|mutex)")
	flags.StringVar(&p.output, "profile-output", "profile.pprof", "Name of the file to write the profile to")
	for _, name := range []string{"profile", "profile-output"} {
		_ = flags.MarkHidden(name)
	}
}

// start starts the profile that is asked for, if any.
func (p *profiling) start() (err error) {
	known := []string{"none", "cpu", "heap", "goroutine", "threadcreate", "block", "mutex"}
	switch {
	case !slices.Contains(known, p.name):
		return fmt.Errorf("unknown profile %q, must be one of %s", p.name, strings.Join(known, ", "))
	case p.name == "none":
		return nil
	}
	if p.file, err = os.Create(p.output); err != nil {
		return err
	}
	switch p.name {
	case "cpu":
		return pprof.StartCPUProfile(p.file)
	case "block":
		runtime.SetBlockProfileRate(1)
	case "mutex":
		runtime.SetMutexProfileFraction(1)
	}
	return nil
}

// stop writes the profile. It is told of what fails, and nothing depends on it.
func (p *profiling) stop(stderr io.Writer) {
	if p.file == nil {
		return
	}
	var err error
	if p.name == "cpu" {
		pprof.StopCPUProfile()
	} else {
		if p.name == "heap" {
			runtime.GC()
		}
		err = pprof.Lookup(p.name).WriteTo(p.file, 0)
	}
	if closed := p.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		fmt.Fprintln(stderr, "warning: cannot write the profile:", err)
	}
}
