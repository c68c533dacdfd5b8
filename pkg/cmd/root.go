package cmd

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
	cmdoptions "k8s.io/kubectl/pkg/cmd/options"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/completion"
	_ "github.com/kubectl-informer/kubectl-informer/pkg/cmd/english" // before kubectl's packages: see there
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/help"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
)

const binary = "kubectl-informer"

var rootLong = templates.LongDesc(`
	Ask questions about a cluster from a local cache that informers fill and keep fresh.

	Each invocation starts one shared informer per requested type, waits until it has
	synced, and answers from its Indexer; tail then streams every change. It only ever
	reads (get, list, watch), but for the one Lease that tail --leader-elect names.

	kubectl takes no flags before a plugin's name: flags go last, as in
	"kubectl informer list pods --context staging".`)

// Run is Main for this process, with its own streams, which signals end: the second kills the COMMANDs that run.
func Run(args []string) int {
	processes, streams := handler.NewProcesses(), process.OSStreams()
	streams.Processes = processes
	return process.UntilSignal(processes.Kill, func(ctx context.Context) int { return Main(ctx, args, streams) })
}

// Main runs one invocation of the plugin until it is done or ctx ends, and
// returns its exit code. args are the program's name and its arguments.
func Main(ctx context.Context, args []string, streams process.Streams) int {
	name, words := programName(args[0]), arguments(args)
	if completion.IsRequest(words) {
		return completion.Answer(ctx, words, streams.Out, func(ctx context.Context, out io.Writer) int {
			return execute(ctx, name, words, process.Quiet(out))
		})
	}
	return execute(ctx, name, words, streams)
}

func execute(ctx context.Context, name string, words []string, streams process.Streams) int {
	streams = streams.Owned()
	root, connection := newRoot(name, streams)
	root.SetArgs(words)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && cmd == root {
		err = explainUnknownCommand(ctx, root, connection, words, err)
	}
	streams.Console.Close()
	return process.Finish(ctx, streams.Console, process.AskedBy(cmd), err)
}

// programName is how help calls the program: the way it was called.
func programName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	if name == binary || name == completion.Program {
		return "kubectl informer"
	}
	return name
}

// arguments turns a call by kubectl's completion into a call of our own.
func arguments(args []string) []string {
	if strings.TrimSuffix(filepath.Base(args[0]), ".exe") == completion.Program {
		return append([]string{cobra.ShellCompRequestCmd}, args[1:]...)
	}
	return args[1:]
}

// NewRoot returns the command tree as `kubectl informer` has it: for who
// describes the commands. Main is what runs them.
func NewRoot(streams process.Streams) *cobra.Command {
	root, _ := newRoot(programName(binary), streams.Owned())
	return root
}

// newRoot builds the command tree, for streams that a console owns, and the
// connection that its commands share.
func newRoot(name string, streams process.Streams) (*cobra.Command, *question.Connection) {
	logs := newLogging()
	var warningsAsErrors bool
	root := &cobra.Command{
		Use:           binary,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: name},
		Short:         "Ask and follow a cluster through client-go's informers",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Run:           func(cmd *cobra.Command, _ []string) { _ = cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return logs.apply(streams.ErrOut)
		},
		PersistentPostRunE: func(*cobra.Command, []string) error {
			return countWarnings(warningsAsErrors, streams.Console.Server.WarningCount())
		},
	}
	root.SetIn(streams.In)
	root.SetOut(process.Underlying(streams.Out)) // help is as wide as the terminal
	root.SetErr(streams.ErrOut)
	c := question.NewConnection(streams.Console)
	c.AddFlags(root.PersistentFlags())
	logs.AddFlags(root.PersistentFlags())
	root.PersistentFlags().BoolVar(&warningsAsErrors, "warnings-as-errors", false,
		"Treat warnings received from the server as errors and exit with a non-zero exit code")

	groups := templates.CommandGroups{{
		Message:  "Commands:",
		Commands: []*cobra.Command{newList(c, streams), newTail(c, streams), newWait(c, streams), newQuery(c, streams), newIndexes(c, streams), newHealth()},
	}}
	groups.Add(root)
	root.AddCommand(newVersion(streams), cmdoptions.NewCmdOptions(streams.Out))
	completion.AddCommand(root)
	c.CompleteFlags(root)
	help.Install(root, groups)
	return root, c
}

// countWarnings is --warnings-as-errors, in kubectl's words.
func countWarnings(asErrors bool, count int) error {
	switch {
	case !asErrors || count == 0:
		return nil
	case count == 1:
		return fmt.Errorf("%d warning received", count)
	default:
		return fmt.Errorf("%d warnings received", count)
	}
}

// quietBelow is the verbosity below which client-go's log lines are not shown:
// what a user must know of them is reported in our own words.
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
		if l.flags.Lookup(name).Value.String() == value {
			continue // klog reads them without a lock, in what an earlier invocation may have left behind
		}
		if err := l.flags.Set(name, value); err != nil {
			return err
		}
	}
	if !klog.V(quietBelow).Enabled() {
		stderr = io.Discard
	}
	klog.SetOutput(process.Redacting(stderr))
	return nil
}

// unknownCommandTimeout bounds the look into discovery for the sake of a hint.
const unknownCommandTimeout = 2 * time.Second

// resourceAsCommandError is an unknown command that is the name of a resource type,
// or TYPE/NAME: "list" was left out.
type resourceAsCommandError struct {
	error
	resource string
}

// Hint says what was meant.
func (e *resourceAsCommandError) Hint() string {
	return fmt.Sprintf(`hint: did you mean "list %s"?`, e.resource)
}

// explainUnknownCommand adds to the error of a first word that is no command whether
// it names resources.
func explainUnknownCommand(ctx context.Context, root *cobra.Command, c *question.Connection, words []string, err error) error {
	if _, _, unknown := root.Find(words); unknown == nil {
		return err
	}
	// Nothing has been parsed yet: of the flags, the connection's count here, and those
	// of the command that was meant do not.
	flags := pflag.NewFlagSet(root.Name(), pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	flags.AddFlagSet(root.PersistentFlags())
	if flags.Parse(words) != nil || flags.NArg() == 0 || root.PersistentPreRunE(root, nil) != nil {
		return err
	}
	word := flags.Arg(0)
	if !isBuiltin(ctx, word) && (len(root.SuggestionsFor(word)) > 0 || !isServed(ctx, c, word)) {
		return err
	}
	root.DisableSuggestions = true // what looks like the word was not meant
	_, _, err = root.Find(words)
	return &resourceAsCommandError{err, word}
}

// isBuiltin says whether a word names types that each cluster has. It asks no cluster.
func isBuiltin(ctx context.Context, word string) bool {
	types, err := dump.Read(ctx, nil, strings.NewReader(""))
	return err == nil && names(ctx, resolve.New(types.Getter()), word)
}

// isServed says whether a word names types of the cluster at hand, by what kubectl's
// cache of discovery knows, or else the server.
func isServed(ctx context.Context, c *question.Connection, word string) bool {
	ctx, cancel := context.WithTimeout(ctx, unknownCommandTimeout)
	defer cancel()
	return names(ctx, resolve.New(c.Getter()), word)
}

func names(ctx context.Context, types *resolve.Resolver, word string) bool {
	resolved, err := types.Resolve(ctx, resolve.Request{Args: []string{word}})
	return err == nil && len(resolved.Targets) > 0
}
