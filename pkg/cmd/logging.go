package cmd

import (
	"flag"
	"io"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
)

// quietBelow is the verbosity below which client-go's log lines are not shown:
// what a user must know of them is told in our own words.
const quietBelow = 2

// logging is the flags -v and --vmodule, which are klog's.
type logging struct{ flags *flag.FlagSet }

func newLogging() *logging {
	l := &logging{flags: flag.NewFlagSet("klog", flag.ContinueOnError)}
	klog.InitFlags(l.flags)
	return l
}

// AddFlags adds kubectl's logging flags to a command's.
func (l *logging) AddFlags(flags *pflag.FlagSet) {
	for _, name := range []string{"v", "vmodule"} {
		flags.AddGoFlag(l.flags.Lookup(name))
	}
}

// apply sends the log to stderr, or nowhere below the verbosity that shows it.
func (l *logging) apply(stderr io.Writer) error {
	for name, value := range map[string]string{"logtostderr": "false", "alsologtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := l.flags.Set(name, value); err != nil {
			return err
		}
	}
	if !klog.V(quietBelow).Enabled() {
		stderr = io.Discard
	}
	klog.SetOutput(redacting{stderr})
	return nil
}
