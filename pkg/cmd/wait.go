package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
)

var (
	waitLong = templates.LongDesc(`
		Wait until a condition holds over the live set of objects: those that are there,
		and those that appear while waiting.

		The condition is written as for "kubectl wait": condition=NAME[=VALUE],
		jsonpath=EXPR[=VALUE], create, delete; and != for the opposite, or cel=EXPR. Given
		several times, all must hold of an object; with --any-of, one of them; and each line
		says which was met.

		--for=rollout is met when "kubectl rollout status" would end with success; it is for
		deployments, statefulsets and daemonsets. --for=ready is for any type: kstatus decides,
		as for other deployment tools (of a Job, that it has started or completed).

		--fail-for takes the same conditions: as soon as one object meets one of them, the
		wait ends with exit code 4, and stderr says which object, and the condition's reason
		and message. So it does where a rollout has failed (its progress deadline has passed),
		or an object is not going to be ready, unless --any, --none, --count or --any-of leave
		another way.

		By default every object has to meet it, and there must be one at least; --any,
		--none and --count ask for others. A status that lags behind the object's
		generation does not count.

		Where there is nothing, --for=delete is met with --all and --none; --any and --count
		need deletions that are seen while waiting. Together with other conditions, too, delete
		is met when the objects are gone, whether they met the others before or not.

		With --contexts the objects of all clusters are one set: every object of each has to
		meet the condition, and there must be one at least in all together. Where one cluster
		cannot be asked the wait ends with exit code 1, as it does where a type cannot be.

		--timeout is for the whole command. When it is over, the exit code is 124 and
		stderr says how far the wait got, and what the others have instead.

		--replay asks a record of "tail --record" when the condition was met, without a
		cluster: each line ends with that time, or stderr says it where the output is
		another. If the record ends before, the exit code is 1.`)

	waitExample = templates.Examples(`
		# Wait until all pods with a label are Ready, also those created meanwhile
		kubectl informer wait pods -l app=web --for=condition=Ready

		# Wait until at least three of them are
		kubectl informer wait pods -l app=web --for=condition=Ready --count '>=3'

		# Wait until a Job has ended, one way or the other
		kubectl informer wait job/import --any-of \
		  --for=condition=Complete --for=condition=Failed

		# Wait for a rollout, and fail (exit code 4) as soon as it has
		kubectl informer wait deploy/web --for=rollout --timeout 10m

		# Wait until a Job is complete, and fail as soon as it has failed
		kubectl informer wait job/import \
		  --for=condition=Complete --fail-for=condition=Failed

		# Wait until no pod of a Job remains
		kubectl informer wait pods --by owner=Job/import --for=delete

		# Wait until a Deployment has as many ready replicas as it wants
		kubectl informer wait deploy/web \
		  --for='cel=object.status.readyReplicas == object.spec.replicas'

		# Wait for the same rollout in two clusters
		kubectl informer wait deploy/web --contexts prod-east,prod-west --for=rollout

		# Wait until no pod is in trouble
		kubectl informer wait pods --for=jsonpath='{.status.phase}'=Failed --none

		# When was the rollout complete that was recorded with tail --record?
		kubectl informer wait deploy/web --for=rollout --replay rollout.jsonl`)
)

// waitFlags are the flags of the command `wait`.
type waitFlags struct {
	resources *question.ResourceFlags
	print     *genericclioptions.PrintFlags
	streams   process.Streams
	forTexts  []string
	failTexts []string
	anyOf     bool
	all       bool
	any, none bool
	count     string
	timeout   time.Duration
}

func newWait(c *question.Connection, streams process.Streams) *cobra.Command {
	f := &waitFlags{
		resources: question.NewResourceFlags(c, streams), print: genericclioptions.NewPrintFlags(metWords), streams: streams,
	}
	cmd := &cobra.Command{
		Use:     "wait (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) --for=CONDITION [flags]",
		Short:   "Wait until a condition holds over a live set of objects",
		Long:    waitLong,
		Example: waitExample,
		RunE:    f.resources.RunE(f.toOptions),
	}
	f.resources.AddFlags(cmd)
	f.resources.AddContextsFlag(cmd)
	f.resources.AddShardFlag(cmd.Flags())
	f.print.AddFlags(cmd)
	f.resources.AddPlayFlags(cmd, "Say when the condition was met in a record of tail --record, or of tail -o json --timestamps, in place of a cluster: a file, or - for stdin. --timeout, and now and age() in expressions, go by the recorded times.")
	flags := cmd.Flags()
	flags.StringArrayVar(&f.forTexts, "for", nil,
		"The condition to wait on: create, delete, rollout, ready, condition=NAME[=VALUE], jsonpath='{EXPR}'[=VALUE] or cel=EXPR, with != for the opposite. If given several times, all must hold.")
	flags.StringArrayVar(&f.failTexts, "fail-for", nil,
		"A condition, written as that of --for, that no object may meet: when one does, the wait ends with exit code 4. If given several times, each of them is a failure.")
	flags.BoolVar(&f.anyOf, "any-of", false, "Of several --for, one has to hold.")
	flags.BoolVar(&f.all, "all", true, "Every object has to meet the condition, and there must be one at least.")
	flags.BoolVar(&f.any, "any", false, "One object at least has to meet the condition.")
	flags.BoolVar(&f.none, "none", false, "No object may meet the condition.")
	flags.StringVar(&f.count, "count", "", "How many objects have to meet the condition: N, or '>=N'.")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second,
		"How long the whole command waits. 0 asks once, a negative time waits for ever. With --replay it counts from the first event of the record, and where it is not given the whole record is asked.")
	f.resources.AddCompletions(cmd)
	return cmd
}

func (f *waitFlags) toOptions(cmd *cobra.Command, args []string) (question.Runner, error) {
	quantifier, err := f.quantifier(cmd.Flags())
	if err != nil {
		return nil, err
	}
	condition, err := f.resources.CostLimit.ParseFor(f.forTexts, f.anyOf)
	if err != nil {
		return nil, withMeantCondition(err)
	}
	failing, err := f.resources.CostLimit.ParseFailFor(f.failTexts)
	if err != nil {
		return nil, withMeantCondition(err)
	}
	printer, err := f.printer(condition.Several())
	if err != nil {
		return nil, err
	}
	resources, err := f.resources.ToOptions(args, match.ObjectOnly)
	if err != nil {
		return nil, err
	}
	timeout := f.timeout
	if f.resources.Connection.Replayed() != nil && !cmd.Flags().Changed("timeout") {
		timeout = -1 // a record ends by itself
	}
	return &waitOptions{
		resources: resources, streams: f.streams, condition: condition, failing: failing, quantifier: quantifier,
		printer: printer, prints: f.outputNeeds(), timeout: timeout,
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
	resources  *question.ResourceOptions
	streams    process.Streams
	condition  *match.Condition
	failing    *match.Condition
	quantifier match.Quantifier
	printer    *metPrinter
	// prints is what the printer reads of an object.
	prints cache.Representation
	// timeout is negative for ever, and 0 to ask once.
	timeout time.Duration
}

func (o *waitOptions) Run(ctx context.Context) error {
	tally := match.NewTally(o.condition, o.quantifier, o.failing, o.resources.Connection.Now)
	limited, cancel := o.limit(ctx)
	defer cancel()
	q, err := o.resources.Resolve(limited)
	if isWaitOver(limited, err) {
		return process.NewTimedOut(process.ErrTimedOut, "the server has not answered")
	}
	if err != nil {
		return err
	}
	defer q.Close()
	if q.Connection.Replayed() != nil {
		return o.replayed(limited, q, tally)
	}
	if err := o.until(limited, q, tally); err != nil {
		return err
	}
	return printMet(o.streams, o.printer, inOrder(q.Subjects, tally.Meeting()))
}

// until returns when the tally is met, or why it will not be.
func (o *waitOptions) until(ctx context.Context, q *question.Question, tally *match.Tally) error {
	// To wait for some of the objects asked for would be to wait for others.
	unwatchable := question.CannotWatch(q.TakeOutUnwatchable())
	refused := slices.Concat(unwatchable, q.Resolved.Unresolved)
	if len(q.Subjects) == 0 && len(refused) > 0 {
		return errors.Join(refused...)
	}
	if err := o.refusesAny(q.Targets()); err != nil {
		return err
	}
	q.LeaveToServer(o.extent())
	queue := informer.NewQueue(informer.DefaultMaxPending)
	group, err := q.Start(ctx, true, informer.Options{Events: queue, Objects: true}, o.needs)
	if err != nil {
		return err
	}
	defer group.Stop()
	defer q.WarnMisses()
	defer q.ReportStats()
	connections := question.NewConnections(o.streams.Console, false, q.Targets())
	defer connections.Close()
	q.Attach(queue, connections)
	expected, err := q.Expected(ctx)
	if isWaitOver(ctx, err) {
		return process.NewTimedOut(process.ErrTimedOut, "the server has not answered")
	}
	if err != nil {
		return err
	}
	refused = slices.Concat(unwatchable, q.Resolved.Unresolved) // a cluster may have been given up since
	watch := &waiting{question: q, queue: queue, connections: connections, expected: expected, tally: tally, once: o.timeout == 0}
	if len(refused) > 0 {
		return watch.refused(ctx, refused)
	}
	err = watch.until(ctx)
	if isWaitOver(ctx, err) {
		return process.NewTimedOut(process.ErrTimedOut, watch.progress())
	}
	return err
}

func (o *waitOptions) needs(cache.Target) ([]plan.Need, error) {
	return []plan.Need{
		{Reader: "--for", Form: o.condition.Needs()}, {Reader: "--fail-for", Form: o.failing.Needs()},
		{Reader: "output", Form: o.prints},
	}, nil
}

// extent is how much of the question may be left to the server. Where it is watched
// whether objects are deleted, or have failed before that, those that only belong no
// more must be told from them.
func (o *waitOptions) extent() plan.Extent {
	if o.condition.AwaitsDeletion() || !o.failing.Empty() {
		return plan.Lasting
	}
	return plan.Watched
}

// refusesAny says which of the types cannot be asked, before anything is waited for.
func (o *waitOptions) refusesAny(targets []cache.Target) error {
	for _, target := range targets {
		if err := errors.Join(o.condition.Refuses(target), o.failing.Refuses(target)); err != nil {
			return err
		}
	}
	return nil
}

// isWaitOver says whether an error is the end of --timeout.
func isWaitOver(ctx context.Context, err error) bool {
	return errors.Is(context.Cause(ctx), process.ErrTimedOut) && errors.Is(err, context.DeadlineExceeded)
}

// limit ends the wait when --timeout is over. A wait that asks once is limited
// by --sync-timeout alone, and that of a record in recorded time.
func (o *waitOptions) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout <= 0 || o.resources.Connection.Replayed() != nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.timeout, process.ErrTimedOut)
}
