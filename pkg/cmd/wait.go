package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	cliprinters "k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

var (
	waitLong = templates.LongDesc(`
		Wait until a condition holds over the live set of objects: those that are there,
		and those that appear while waiting.

		The condition is written as for "kubectl wait": condition=NAME[=VALUE],
		jsonpath=EXPR[=VALUE], create, delete; and != for the opposite, or cel=EXPR. Given
		several times, all must hold of an object; with --any-of, one of them.

		By default every object has to meet it, and there must be one at least; --any,
		--none and --count ask for others. A status that lags behind the object's
		generation does not count.

		--timeout is for the whole command. When it is over, the exit code is 124 and
		stderr says how far the wait got, and what the others have instead.`)

	waitExample = templates.Examples(`
		# Wait until all pods with a label are Ready, also those created meanwhile
		kubectl informer wait pods -l app=web --for=condition=Ready

		# Wait until at least three of them are
		kubectl informer wait pods -l app=web --for=condition=Ready --count '>=3'

		# Wait until a Job has ended, one way or the other
		kubectl informer wait job/import --any-of \
		  --for=condition=Complete --for=condition=Failed

		# Wait until no pod of a Job remains
		kubectl informer wait pods --by owner=Job/import --for=delete

		# Wait until a Deployment has as many ready replicas as it wants
		kubectl informer wait deploy/web \
		  --for='cel=object.status.readyReplicas == object.spec.replicas'

		# Wait until no pod is in trouble
		kubectl informer wait pods --for=jsonpath='{.status.phase}'=Failed --none`)
)

// waitFlags are the flags of the command `wait`.
type waitFlags struct {
	resources *resourceFlags
	print     *genericclioptions.PrintFlags
	streams   Streams
	forTexts  []string
	anyOf     bool
	all       bool
	any, none bool
	count     string
	timeout   time.Duration
}

func newWait(c *connection, streams Streams) *cobra.Command {
	f := &waitFlags{
		resources: newResourceFlags(c, streams), print: genericclioptions.NewPrintFlags("condition met"), streams: streams,
	}
	cmd := &cobra.Command{
		Use:     "wait (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) --for=CONDITION [flags]",
		Short:   "Wait until a condition holds over a live set of objects",
		Long:    waitLong,
		Example: waitExample,
		RunE:    f.resources.runE(f.toOptions),
	}
	f.resources.addFlags(cmd)
	f.print.AddFlags(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.forTexts, "for", nil,
		"The condition to wait on: create, delete, condition=NAME[=VALUE], jsonpath='{EXPR}'[=VALUE] or cel=EXPR, with != for the opposite. If given several times, all must hold.")
	flags.BoolVar(&f.anyOf, "any-of", false, "Of several --for, one has to hold.")
	flags.BoolVar(&f.all, "all", true, "Every object has to meet the condition, and there must be one at least.")
	flags.BoolVar(&f.any, "any", false, "One object at least has to meet the condition.")
	flags.BoolVar(&f.none, "none", false, "No object may meet the condition.")
	flags.StringVar(&f.count, "count", "", "How many objects have to meet the condition: N, or '>=N'.")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second,
		"How long the whole command waits. 0 asks once, a negative time waits for ever.")
	f.resources.addCompletions(cmd)
	return cmd
}

func (f *waitFlags) toOptions(cmd *cobra.Command, args []string) (options, error) {
	quantifier, err := f.quantifier(cmd.Flags())
	if err != nil {
		return nil, err
	}
	condition, err := f.resources.costLimit.ParseFor(f.forTexts, f.anyOf)
	if err != nil {
		return nil, err
	}
	printer, err := f.printer()
	if err != nil {
		return nil, err
	}
	resources, err := f.resources.toOptions(args, match.ObjectOnly)
	if err != nil {
		return nil, err
	}
	return &waitOptions{
		resources: resources, streams: f.streams, condition: condition, quantifier: quantifier,
		printer: printer, prints: f.outputNeeds(), timeout: f.timeout,
	}, nil
}

// quantifier is the one of --all, --any, --none and --count that is given. No
// two of them can be meant, and --all=false alone means none.
func (f *waitFlags) quantifier(flags *pflag.FlagSet) (match.Quantifier, error) {
	var given []string
	for _, one := range []struct {
		name string
		set  bool
	}{{"--all", f.all && flags.Changed("all")}, {"--any", f.any}, {"--none", f.none}, {"--count", flags.Changed("count")}} {
		if one.set {
			given = append(given, one.name)
		}
	}
	switch {
	case len(given) > 1:
		return match.Quantifier{}, fmt.Errorf("%s may not be used together", strings.Join(given, " and "))
	case len(given) == 0 && !f.all:
		return match.Quantifier{}, errors.New("--all=false needs one of --any, --none and --count")
	case f.any:
		return match.Any(), nil
	case f.none:
		return match.None(), nil
	case flags.Changed("count"):
		return match.ParseCount(f.count)
	}
	return match.All(), nil
}

// waitOptions are waitFlags and arguments, parsed.
type waitOptions struct {
	resources  *resourceOptions
	streams    Streams
	condition  *match.Condition
	quantifier match.Quantifier
	printer    cliprinters.ResourcePrinter
	// prints is what the printer reads of an object.
	prints cache.Representation
	// timeout is negative for ever, and 0 to ask once.
	timeout time.Duration
}

func (o *waitOptions) run(ctx context.Context) error {
	tally := match.NewTally(o.condition, o.quantifier)
	limited, cancel := o.limit(ctx)
	defer cancel()
	q, err := o.resources.resolve(limited)
	if isWaitOver(limited, err) {
		return &timedOut{errTimedOut, "the server has not answered"}
	}
	if err != nil {
		return err
	}
	defer q.close()
	if err := o.until(limited, q, tally); err != nil {
		return err
	}
	return printMet(o.streams, o.printer, q.inOrder(tally.Meeting()), o.condition.Terms())
}

// until returns when the tally is met, or why it will not be.
func (o *waitOptions) until(ctx context.Context, q *question, tally *match.Tally) error {
	// To wait for some of the objects asked for would be to wait for others.
	if refused := append(cannotWatch(q.takeOutUnwatchable()), q.resolved.Unresolved...); len(refused) > 0 {
		return errors.Join(refused...)
	}
	queue := informer.NewQueue(informer.DefaultMaxPending)
	group, err := q.start(ctx, true, informer.Options{Events: queue, Objects: true},
		func(cache.Target) ([]plan.Need, error) {
			return []plan.Need{{Reader: "--for", Form: o.condition.Needs()}, {Reader: "output", Form: o.prints}}, nil
		})
	if err != nil {
		return err
	}
	defer group.Stop()
	defer q.warnMisses()
	defer q.reportStats()
	connections := newConnections(o.streams.console, false, q.targets())
	defer connections.close()
	q.dependencies.attach(queue, connections)
	expected, err := q.expected(ctx)
	if isWaitOver(ctx, err) {
		return &timedOut{errTimedOut, "the server has not answered"}
	}
	if err != nil {
		return err
	}
	watch := &waiting{question: q, queue: queue, connections: connections, expected: expected, tally: tally, once: o.timeout == 0}
	err = watch.until(ctx)
	if isWaitOver(ctx, err) {
		return &timedOut{errTimedOut, watch.progress()}
	}
	return err
}

// isWaitOver says whether an error is the end of --timeout.
func isWaitOver(ctx context.Context, err error) bool {
	return errors.Is(context.Cause(ctx), errTimedOut) && errors.Is(err, context.DeadlineExceeded)
}

// limit ends the wait when --timeout is over. A wait that asks once is limited
// by --sync-timeout alone.
func (o *waitOptions) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.timeout, errTimedOut)
}

// outputNeeds is what the printer reads of the objects that meet the condition.
func (f *waitFlags) outputNeeds() cache.Representation {
	format, documents := *f.print.OutputFormat, f.print.JSONYamlPrintFlags
	switch {
	case format == "name", format == "" && *f.print.TemplatePrinterFlags.TemplateArgument == "":
		return cache.Metadata
	case slices.Contains(documents.AllowedFormats(), format) && !documents.ShowManagedFields:
		return cache.Whole
	}
	// kubectl drops managedFields from documents, not from templates.
	return cache.Whole | cache.ManagedFields
}

// printer is the printer for where Out is.
func (f *waitFlags) printer() (cliprinters.ResourcePrinter, error) {
	printer, err := f.print.ToPrinter()
	if err != nil || !f.streams.OutIsTerminal {
		return printer, err
	}
	return printers.OnTerminal(printer, *f.print.OutputFormat), nil
}

// printMet prints the objects that meet the condition, as kubectl wait does:
// each of them so many times. kubectl's printer of names says nothing when a
// write fails: the buffer does.
func printMet(to Streams, printer cliprinters.ResourcePrinter, rows []*cache.Row, times int) error {
	return to.print(func(w *bufio.Writer) error {
		for _, row := range rows {
			object, err := row.Unstructured()
			if err != nil {
				return err
			}
			for range times {
				if err := printer.PrintObj(object.DeepCopy(), w); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// inOrder puts objects into the order in which kubectl visits them: by the
// arguments that they answer, and of one argument as the server lists them.
func (q *question) inOrder(rows []*cache.Row) []*cache.Row {
	answers := make([][]*cache.Row, len(q.subjects))
	for _, row := range rows {
		n := slices.IndexFunc(q.subjects, func(s subject) bool { return holds(s.target, row) })
		answers[max(n, 0)] = append(answers[max(n, 0)], row)
	}
	for _, answer := range answers {
		cache.SortRows(answer)
	}
	return slices.Concat(answers...)
}

// holds says whether an object can be one of a Target's.
func holds(target cache.Target, row *cache.Row) bool {
	return target.Kind.GroupKind() == row.GroupVersionKind().GroupKind() &&
		(target.Namespace == "" || target.Namespace == row.Namespace) &&
		(target.Name == "" || target.Name == row.Name)
}
