package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

var (
	tailLong = templates.LongDesc(`
		List objects from an informer's cache, then tell every add, update and delete.

		The stream does not end by itself: it outlives closed watches, expired
		resourceVersions and restarts of the API server, and tells what happened
		meanwhile. --resync offers every cached object again on a period, as informers do.

		Each event is told when it happens, the same into a pipe as on a terminal. With
		-o json it is one line: {"type":"ADDED","object":{...}}.`)

	tailExample = templates.Examples(`
		# List the deployments of the current namespace, then offer them again every 60 seconds
		kubectl informer tail deployments --resync 60s

		# Follow deployments and pods of two namespaces in one stream
		kubectl informer tail deployments,pods -n shop,batch

		# Follow only what is deleted from now on, as JSON lines
		kubectl informer tail pods -A --watch-only --events deleted -o json

		# Follow the pods of one node for five minutes
		kubectl informer tail pods -A --by node=node-1 --timeout 5m`)
)

// eventTypes are the values of --events.
var eventTypes = []cache.EventType{cache.Added, cache.Modified, cache.Deleted, cache.Resync}

// tail is the command `tail`.
type tail struct {
	commandFlags
	ask        *ask
	print      *printers.Flags
	streams    Streams
	notices    *console
	resync     time.Duration
	watchOnly  bool
	events     []string
	timeout    time.Duration
	maxEvents  int
	maxPending int
	changed    []string
	// compared is --changed, parsed.
	compared *match.Changed
	// overspends counts the times that an expression cost too much for an object.
	overspends atomic.Int64
}

func newTailOptions(a *ask, print *printers.Flags, streams Streams) *tail {
	return &tail{
		ask:        a,
		print:      print,
		streams:    streams,
		notices:    streams.console,
		maxPending: informer.DefaultMaxPending,
	}
}

func newTail(c *connection, streams Streams) *cobra.Command {
	o := newTailOptions(newAsk(c), printers.NewFlags(), streams)
	cmd := &cobra.Command{
		Use:     "tail (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) [flags] [-- COMMAND [ARG...]]",
		Aliases: []string{"watch"},
		Short:   "List objects, then tell every add, update, delete and resync",
		Long:    tailLong,
		Example: tailExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			resources, err := o.take(cmd, args)
			if err != nil {
				return err
			}
			if err := refuseWithoutCommand(cmd.Flags(), o.command); err != nil {
				return err
			}
			return o.run(cmd.Context(), resources)
		},
	}
	o.ask.addFlags(cmd)
	o.print.AddFlags(cmd)
	o.print.AddEventFlags(cmd)
	o.commandFlags.addFlags(cmd)
	flags := cmd.Flags()
	flags.DurationVar(&o.resync, "resync", 0, "Offer every cached object again, as RESYNC, on this period. 0 is never.")
	flags.BoolVar(&o.watchOnly, "watch-only", false, "Leave out the objects that are there already.")
	flags.StringSliceVar(&o.events, "events", nil, "Tell only events of these types: added, modified, deleted, resync. Default is all.")
	flags.BoolVar(&o.print.SyncEvents, "sync-events", false, "With machine-readable output, tell when all objects of a type that were there have been told: type SYNCED.")
	flags.DurationVar(&o.timeout, "timeout", 0, "End after this time: with success, or with exit code 124 if not all objects that were there have been listed by then. 0 is never.")
	flags.IntVar(&o.maxEvents, "max-events", 0, "End, with success, after this many events. 0 is never.")
	flags.IntVar(&o.maxPending, "max-pending", o.maxPending, "How many events may wait for a slow reader one by one; beyond that the waiting events of one object are merged.")
	flags.StringArrayVar(&o.changed, "changed", nil, "Tell only those updates in which the value at this path changed, such as spec.replicas. If given several times, one of the values has to.")
	o.ask.addCompletions(cmd)
	return cmd
}

// validate says what is wrong with the flags before anything is asked.
func (o *tail) validate() (err error) {
	if o.compared, err = match.ParseChanged(o.changed...); err != nil {
		return err
	}
	for n, name := range o.events {
		o.events[n] = strings.ToUpper(strings.TrimSpace(name))
		if !slices.Contains(eventTypes, cache.EventType(o.events[n])) {
			return fmt.Errorf("--events: unknown type %q, must be one of added, modified, deleted, resync", name)
		}
	}
	switch {
	case o.resync != 0 && o.resync < informer.MinResync:
		return fmt.Errorf("--resync must be at least %v, got %v", informer.MinResync, o.resync)
	case o.timeout < 0:
		return fmt.Errorf("--timeout must not be negative, got %v", o.timeout)
	case o.maxEvents < 0:
		return fmt.Errorf("--max-events must not be negative, got %d", o.maxEvents)
	case o.maxPending < 1:
		return fmt.Errorf("--max-pending must be at least 1, got %d", o.maxPending)
	}
	if len(o.command) > 0 {
		return o.print.AsJSON().ValidateEvents()
	}
	return o.print.ValidateEvents()
}

func (o *tail) run(signalled context.Context, args []string) error {
	ctx := signalled // which --timeout ends, too
	if err := o.validate(); err != nil {
		return err
	}
	var handling *handler.Handler
	if len(o.command) > 0 {
		var err error
		if handling, err = o.newHandler(hurryOf(ctx)); err != nil {
			return err
		}
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout, errTimeUp)
		defer cancel()
	}
	q, err := o.ask.resolve(ctx, args, match.ObjectAndOld, o.streams)
	if err != nil {
		if isTimeUp(ctx) {
			return &timedOut{errNotListed, "the server has not answered"}
		}
		return err
	}
	refused := append(o.leaveOutUnwatchable(q), q.resolved.Unresolved...)
	if len(q.subjects) == 0 {
		return errors.Join(refused...)
	}
	for _, err := range refused {
		o.notices.ended(err)
	}
	queue := informer.NewQueue(o.maxPending)
	group, err := q.start(ctx, true, informer.Options{
		Resync:  o.resync,
		Events:  queue,
		Objects: true,
	}, o.needs)
	if err != nil {
		return err
	}
	if handling != nil {
		err = o.handle(signalled, ctx, q, queue, handling)
	} else {
		err = q.endOf(ctx, o.stream(ctx, q, queue))
	}
	group.Stop()
	q.tellMisses()
	q.tellStats()
	return errors.Join(err, said(errors.Join(refused...)), said(joinFailures(group.Failures())), said(o.tellOverspends()))
}

// overspent reports the first object for which --where cost too much. The stream
// goes on without it, and without each further one.
func (o *tail) overspent(err error) {
	if o.overspends.Add(1) == 1 {
		o.streams.console.say("%s", words(err))
	}
}

// tellOverspends reports at the end how often it was so.
func (o *tail) tellOverspends() error {
	times := o.overspends.Load()
	if times == 0 {
		return nil
	}
	if times > 1 {
		o.streams.console.warn(fmt.Sprintf("--where cost too much %d times; what it was asked of then is not in the output", times))
	}
	return errors.New("--where cost too much")
}

func (o *tail) needs(cache.Target) ([]plan.Need, error) {
	needs := []plan.Need{{Reader: "output", Form: o.print.EventNeeds()}, {Reader: "--changed", Form: o.compared.Needs()}}
	if len(o.command) > 0 {
		needs[0] = plan.Need{Reader: "COMMAND", Form: o.print.AsJSON().EventNeeds()}
	}
	if o.compares() {
		needs = append(needs, plan.Need{Reader: "comparison", Form: cache.Whole})
	}
	return needs, nil
}

// compares says whether it matters what an update changed.
func (o *tail) compares() bool { return o.print.Diff || len(o.changed) > 0 }

// stream prints events until something ends it.
func (o *tail) stream(ctx context.Context, q *question, queue *informer.Queue) error {
	colour, err := o.print.Colour(o.streams.OutIsTerminal, os.Getenv)
	if err != nil {
		return err
	}
	printer, err := o.print.NewEventPrinter(o.streams.Out, printers.EventOptions{
		Scope:    q.scope(),
		Targets:  q.targets(),
		Terminal: o.streams.OutIsTerminal,
		Colour:   colour,
	})
	if err != nil {
		return err
	}
	return unlessStuck(ctx, o.streams.Out, func(ctx context.Context) error {
		return o.newStream(ctx, q, queue, o.printTo(printer)).run(ctx)
	})
}

// printTo prints events. One that cannot be printed is told and does not end
// the stream.
func (o *tail) printTo(printer *printers.EventPrinter) func([]printers.PreparedEvent) error {
	return func(events []printers.PreparedEvent) error {
		err := printer.PrintPrepared(events...)
		var unprintable *printers.ObjectError
		if !errors.As(err, &unprintable) {
			return err
		}
		for _, one := range flatten(err) {
			o.notices.say("%s", words(one))
		}
		return nil
	}
}

// endOf makes success of the end of a stream that was asked for, but not when
// the time was up before it has told what was there.
func (q *question) endOf(ctx context.Context, err error) error {
	// The end of ctx reaches the informers, and with them the stream's end, before
	// it reaches the stream: that is not taken for an end by itself.
	err = cmp.Or(err, ctx.Err())
	switch {
	case errors.Is(err, errDone):
		return nil
	case !isTimeUp(ctx) || !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	if missing := incomplete(q.unsynced()); missing != "" {
		return &timedOut{errNotListed, missing}
	}
	return nil
}

// unsynced are the Targets whose first list is not complete, those left out that
// have ended.
func (q *question) unsynced() (targets []cache.Target) {
	for _, group := range q.groups {
		for _, i := range group.Informers() {
			if !i.Synced() && i.Failure() == nil {
				targets = append(targets, i.Target)
			}
		}
	}
	return targets
}

// isTimeUp says whether --timeout has ended a stream.
func isTimeUp(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTimeUp) }
