package cmd

import (
	"context"
	"errors"
	"fmt"
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
		# Wait until all pods with a label are Ready, those that are created meanwhile included
		kubectl informer wait pods -l app=web --for=condition=Ready

		# Wait until at least three of them are
		kubectl informer wait pods -l app=web --for=condition=Ready --count '>=3' --timeout 2m

		# Wait until a Job has ended, one way or the other
		kubectl informer wait job/import --for=condition=Complete --for=condition=Failed --any-of

		# Wait until no pod of a Job remains
		kubectl informer wait pods --by owner=Job/import --for=delete

		# Wait until a Deployment has as many ready replicas as it wants
		kubectl informer wait deploy/web --for='cel=object.status.readyReplicas == object.spec.replicas'

		# Wait until no pod is in trouble
		kubectl informer wait pods --for=jsonpath='{.status.phase}'=Failed --none`)
)

// wait is the command `wait`.
type wait struct {
	ask       *ask
	print     *genericclioptions.PrintFlags
	streams   Streams
	notices   *console
	forTexts  []string
	anyOf     bool
	all       bool
	any, none bool
	count     string
	timeout   time.Duration
}

func newWait(c *connection, streams Streams) *cobra.Command {
	o := &wait{
		ask: newAsk(c), print: genericclioptions.NewPrintFlags("condition met"),
		streams: streams, notices: streams.console,
	}
	cmd := &cobra.Command{
		Use:     "wait (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) --for=CONDITION [flags]",
		Short:   "Wait until a condition holds over a live set of objects",
		Long:    waitLong,
		Example: waitExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			quantifier, err := o.quantifier(cmd.Flags())
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), args, quantifier)
		},
	}
	o.ask.addFlags(cmd)
	o.print.AddFlags(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&o.forTexts, "for", nil,
		"The condition to wait on: [create|delete|condition=NAME[=VALUE]|jsonpath='{EXPR}'[=VALUE]|cel=EXPR], with != for the opposite. If given several times, all must hold.")
	flags.BoolVar(&o.anyOf, "any-of", false, "Of several --for, one has to hold.")
	flags.BoolVar(&o.all, "all", true, "Every object has to meet the condition, and there must be one at least.")
	flags.BoolVar(&o.any, "any", false, "One object at least has to meet the condition.")
	flags.BoolVar(&o.none, "none", false, "No object may meet the condition.")
	flags.StringVar(&o.count, "count", "", "How many objects have to meet the condition: N, or '>=N'.")
	flags.DurationVar(&o.timeout, "timeout", 30*time.Second,
		"How long the whole command waits. 0 asks once, a negative time waits for ever.")
	o.ask.addCompletions(cmd)
	return cmd
}

// quantifier is the one of --all, --any, --none and --count that is given. No
// two of them can be meant, and --all=false alone means none.
func (o *wait) quantifier(flags *pflag.FlagSet) (match.Quantifier, error) {
	var given []string
	for _, one := range []struct {
		name string
		set  bool
	}{{"--all", o.all && flags.Changed("all")}, {"--any", o.any}, {"--none", o.none}, {"--count", flags.Changed("count")}} {
		if one.set {
			given = append(given, one.name)
		}
	}
	switch {
	case len(given) > 1:
		return match.Quantifier{}, fmt.Errorf("%s may not be used together", strings.Join(given, " and "))
	case len(given) == 0 && !o.all:
		return match.Quantifier{}, errors.New("--all=false needs one of --any, --none and --count")
	case o.any:
		return match.Any(), nil
	case o.none:
		return match.None(), nil
	case flags.Changed("count"):
		return match.ParseCount(o.count)
	}
	return match.All(), nil
}

func (o *wait) run(ctx context.Context, args []string, quantifier match.Quantifier) error {
	condition, err := o.ask.costLimit.ParseFor(o.forTexts, o.anyOf)
	if err != nil {
		return err
	}
	printer, err := o.print.ToPrinter()
	if err != nil {
		return err
	}
	tally := match.NewTally(condition, quantifier)
	limited, cancel := o.limit(ctx)
	defer cancel()
	q, err := o.ask.resolve(limited, args, match.ObjectOnly, o.streams)
	if isWaitOver(limited, err) {
		return &timedOut{errTimedOut, "the server has not answered"}
	}
	if err != nil {
		return err
	}
	if err := o.until(limited, q, condition, tally); err != nil {
		return err
	}
	return printMet(o.streams, o.terminalPrinter(printer), q.inOrder(tally.Meeting()), condition.Terms())
}

// until returns when the tally is met, or why it will not be.
func (o *wait) until(ctx context.Context, q *question, condition *match.Condition, tally *match.Tally) error {
	// To wait for some of the objects asked for would be to wait for others.
	if refused := append(cannotWatch(q.takeOutUnwatchable()), q.resolved.Unresolved...); len(refused) > 0 {
		return errors.Join(refused...)
	}
	queue := informer.NewQueue(informer.DefaultMaxPending)
	group, err := q.start(ctx, true, informer.Options{Events: queue, Objects: true},
		func(cache.Target) ([]plan.Need, error) {
			return []plan.Need{{Reader: "--for", Form: condition.Needs()}, {Reader: "output", Form: o.outputNeeds()}}, nil
		})
	if err != nil {
		return err
	}
	defer group.Stop()
	defer q.tellMisses()
	defer q.tellStats()
	connections := newConnections(o.notices, false, q.targets())
	defer connections.close()
	watch := &waiting{question: q, queue: queue, connections: connections, tally: tally, once: o.timeout == 0}
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
func (o *wait) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.timeout, errTimedOut)
}
