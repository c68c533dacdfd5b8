package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/completion"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

var (
	tailLong = templates.LongDesc(`
		List objects from an informer's cache, then report every add, update and delete.

		The stream does not end by itself: it outlives closed watches, expired
		resourceVersions and restarts of the API server, and reports what happened
		meanwhile. --resync reports every cached object again on a period, as informers do.

		Each event is reported when it happens, the same into a pipe as on a terminal. With
		-o json it is one line: {"type":"ADDED","object":{...}}.`)

	tailExample = templates.Examples(`
		# List deployments, then report them again every 60 seconds
		kubectl informer tail deployments --resync 60s

		# Follow deployments and pods of two namespaces in one stream
		kubectl informer tail deployments,pods -n shop,batch

		# Follow only what is deleted from now on, as JSON lines
		kubectl informer tail pods -A --watch-only --events deleted -o json

		# Follow the Deployments of several clusters in one stream
		kubectl informer tail deployments -n shop --contexts prod-east,prod-west

		# Follow restarts, and nothing else: oldObject is the object before the change
		kubectl informer tail pods --where '
		  object.status.containerStatuses[0].restartCount >
		  oldObject.status.containerStatuses[0].restartCount'

		# Follow the pods of one node for five minutes
		kubectl informer tail pods -A --by node=node-1 --timeout 5m`)
)

// eventTypes are the values of --events.
var eventTypes = []cache.EventType{cache.Added, cache.Modified, cache.Deleted, cache.Resync}

func eventNames() []string {
	names := make([]string, len(eventTypes))
	for n, event := range eventTypes {
		names[n] = strings.ToLower(string(event))
	}
	return names
}

// tailFlags are the flags of the command `tail`.
type tailFlags struct {
	resources  *question.ResourceFlags
	print      *printers.Flags
	streams    process.Streams
	command    commandFlags
	resync     time.Duration
	watchOnly  bool
	events     []string
	timeout    time.Duration
	maxEvents  int
	maxPending int
	changed    []string
	// verifyEvery is how often caches are compared with the server; 0 is never.
	verifyEvery time.Duration
	state       stateFlags
	record      string
	leader      leaderFlags
	healthFile  string
}

// newTailFlags returns the flags of a stream with their defaults.
func newTailFlags(resources *question.ResourceFlags, print *printers.Flags, streams process.Streams) *tailFlags {
	return &tailFlags{resources: resources, print: print, streams: streams, maxPending: informer.DefaultMaxPending}
}

func newTail(c *question.Connection, streams process.Streams) *cobra.Command {
	f := newTailFlags(question.NewResourceFlags(c, streams), printers.NewFlags(), streams)
	cmd := &cobra.Command{
		Use:     "tail (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) [flags] [-- COMMAND [ARG...]]",
		Aliases: []string{"watch"},
		Short:   "List objects, then report every add, update, delete and resync",
		Long:    tailLong,
		Example: tailExample,
		RunE:    f.resources.RunE(f.toOptions),
	}
	f.resources.AddFlags(cmd)
	f.resources.AddContextsFlag(cmd)
	f.resources.AddShardFlag(cmd.Flags())
	f.print.AddFlags(cmd)
	f.print.AddEventFlags(cmd)
	f.command.addFlags(cmd)
	f.resources.AddPlayFlags(cmd, "Report the events of a record (see --record), or of what tail -o json has printed, in place of a cluster's: a file, or - for stdin. Filters, diffs and formats are those of this command, now and age() in --where go by the recorded times.")
	flags := cmd.Flags()
	flags.DurationVar(&f.resync, "resync", 0, "Report every cached object again, as RESYNC, on this period. 0 is never.")
	flags.BoolVar(&f.watchOnly, "watch-only", false, "Do not report the objects that exist already.")
	flags.StringSliceVar(&f.events, "events", nil, "Report only events of these types: added, modified, deleted, resync. Default is all.")
	flags.BoolVar(&f.print.SyncEvents, "sync-events", false, "With machine-readable output, report when all existing objects of a type have been reported: type SYNCED.")
	flags.DurationVar(&f.timeout, "timeout", 0, "End after this time: with success, or with exit code 124 if not all existing objects have been listed by then. 0 is never.")
	flags.IntVar(&f.maxEvents, "max-events", 0, "End, with success, after this many events. 0 is never.")
	flags.IntVar(&f.maxPending, "max-pending", f.maxPending, "How many events may wait for a slow reader one by one; beyond that the waiting events of one object are merged.")
	flags.DurationVar(&f.verifyEvery, "verify-every", 0, "On this period, compare what the cache holds with what the server has, by another list of metadata. A difference that lasts for ten seconds is reported, and mended by listing the type again. 0 is never.")
	flags.StringVar(&f.record, "record", "", "Besides, write every event with its time to this file, for --replay: all events of the objects that TYPE, -n, -l, --field-selector and --shard choose, whatever --by, --where, --events or --changed leave of them in the output. The file must not exist. Objects are in it whole, Secrets too: only you can read it.")
	flags.StringArrayVar(&f.changed, "changed", nil, "Report only those updates in which the value at this path changed, such as spec.replicas. If given several times, one of the values has to. A path that names what --diff leaves out, such as spec.renewTime, has it reported.")
	f.state.addFlags(cmd)
	f.leader.addFlags(cmd)
	addHealthFlag(cmd, &f.healthFile)
	f.resources.AddCompletions(cmd)
	completion.Flag(cmd, "events", completion.ListOf(eventNames()...))
	return cmd
}

func (f *tailFlags) toOptions(cmd *cobra.Command, args []string) (question.Runner, error) {
	if err := errors.Join(validateTailContexts(cmd), f.state.validate(cmd), f.leader.validate(cmd), f.validateHealthFile(cmd)); err != nil {
		return nil, err
	}
	resources, command, err := f.command.split(cmd, args)
	if err != nil {
		return nil, err
	}
	o, err := f.stream(resources, command)
	if err != nil {
		return nil, err
	}
	o.health = newHealthFile(f.healthFile, f.streams.Console)
	return &service{f.leader.whereLeading(o), o.health}, nil
}

// validateTailContexts says what a stream keeps, or writes, of one cluster alone.
func validateTailContexts(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("contexts") {
		return nil
	}
	for _, refused := range []struct{ flag, why string }{
		{"state", "a state is that of one cluster"},
		{"record", "a record is that of one cluster"},
		{"leader-elect", "a Lease is in one cluster"},
	} {
		if cmd.Flags().Changed(refused.flag) {
			return fmt.Errorf("--%s cannot be used with --contexts: %s", refused.flag, refused.why)
		}
	}
	return nil
}

// stream is the options of a stream of resources, which is printed where there is
// no command.
func (f *tailFlags) stream(resources, command []string) (*tailOptions, error) {
	changed, err := match.ParseChanged(f.changed...)
	if err != nil {
		return nil, err
	}
	f.print.Changed, f.print.Since, f.print.Contexts = changed.Fields(), f.state.file != "", f.resources.AsksContexts()
	events, err := parseEventTypes(f.events)
	if err != nil {
		return nil, err
	}
	if err := f.validate(); err != nil {
		return nil, err
	}
	o := &tailOptions{
		print: f.print, output: f.print, streams: f.streams, resync: f.resync, watchOnly: f.watchOnly,
		events: events, changed: changed, verifyEvery: f.verifyEvery, record: f.record, onlyChanged: len(f.changed) > 0, comparing: f.print.Diff || len(f.changed) > 0,
		timeout: f.timeout, maxEvents: f.maxEvents, maxPending: f.maxPending, state: f.state,
	}
	if len(command) > 0 {
		o.output = f.print.AsJSON()
	}
	if err := o.output.ValidateEvents(); err != nil {
		return nil, err
	}
	if o.command, err = f.command.toOptions(command, o.output, f.streams); err != nil {
		return nil, err
	}
	if o.resources, err = f.resources.ToOptions(resources, match.ObjectAndOld); err != nil {
		return nil, err
	}
	o.resources.Verifies = f.verifyEvery > 0
	return o, nil
}

// parseEventTypes parses --events.
func parseEventTypes(names []string) ([]cache.EventType, error) {
	types := make([]cache.EventType, len(names))
	for n, name := range names {
		types[n] = cache.EventType(strings.ToUpper(strings.TrimSpace(name)))
		if !slices.Contains(eventTypes, types[n]) {
			return nil, fmt.Errorf("--events: unknown type %q, must be one of added, modified, deleted, resync", name)
		}
	}
	return types, nil
}

// validate says which numbers and times cannot be meant.
func (f *tailFlags) validate() error {
	switch {
	case f.resync != 0 && f.resync < informer.MinResync:
		return fmt.Errorf("--resync must be at least %v, got %v", informer.MinResync, f.resync)
	case f.timeout < 0:
		return fmt.Errorf("--timeout must not be negative, got %v", f.timeout)
	case f.maxEvents < 0:
		return fmt.Errorf("--max-events must not be negative, got %d", f.maxEvents)
	case f.maxPending < 1:
		return fmt.Errorf("--max-pending must be at least 1, got %d", f.maxPending)
	}
	return f.validateVerifyEvery()
}

// tailOptions are tailFlags and arguments, parsed.
type tailOptions struct {
	resources *question.ResourceOptions
	print     *printers.Flags
	// output is print, or what COMMAND reads.
	output     *printers.Flags
	streams    process.Streams
	command    *handler.Options
	resync     time.Duration
	watchOnly  bool
	events     []cache.EventType
	timeout    time.Duration
	maxEvents  int
	maxPending int
	changed    *match.Changed
	// verifyEvery is how often caches are compared with the server; 0 is never.
	verifyEvery time.Duration
	// record is the file to record events in; empty where they are not recorded.
	record string
	// onlyChanged says that --changed is given, comparing that it matters what an
	// update changed.
	onlyChanged, comparing bool
	state                  stateFlags
	health                 *healthFile
}

func (o *tailOptions) Run(signalled context.Context) error {
	keeper := &stateKeeper{}
	handling, err := o.newHandler(keeper)
	if err != nil {
		return err
	}
	ctx, cancel := o.limited(signalled)
	defer cancel()
	q, err := o.resources.Follow(ctx)
	if err != nil {
		if isTimeUp(ctx) {
			return process.NewTimedOut(process.ErrNotListed, "the server has not answered")
		}
		return err
	}
	defer q.Close()
	refused := o.refuse(q)
	if len(q.Subjects) == 0 && !q.JoinsLater() {
		return errors.Join(refused...)
	}
	if q.Connection.Replayed() != nil {
		return errors.Join(o.replayed(signalled, ctx, q, handling), process.Reported(errors.Join(refused...)))
	}
	q.LeaveToServer(plan.Lasting)
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if err := o.remember(ctx, q, keeper, end); err != nil {
		return err
	}
	defer keeper.close()
	recorder, err := o.newRecorder(ctx, q)
	if err != nil {
		return err
	}
	verifier := o.newVerifier(ctx)
	queue := informer.NewQueue(o.maxPending)
	group, err := q.StartJoined(ctx, !o.state.untilSynced, informer.Options{
		Resync:  o.resync,
		Events:  queue,
		Objects: true,
	}, o.needs, verifier.keep)
	if err != nil {
		return errors.Join(err, recorder.close())
	}
	o.health.follow(q, group)
	costs := &question.CostReport{Console: o.streams.Console}
	s := &stream{tailOptions: o, question: q, queue: queue, costs: costs, keeper: keeper, recorder: recorder}
	err = s.toReader(signalled, ctx, handling)
	verifier.endWith(group)
	if ctx.Err() != nil {
		q.ReportLost() // the end came before what the others say
	}
	err = keeper.endOf(err)
	q.WarnMisses()
	q.ReportStats()
	refused = append(refused, q.Resolved.Unresolved...)
	return errors.Join(err, recorder.close(), process.Reported(errors.Join(refused...)), process.Reported(question.JoinFailures(group.Failures())), process.Reported(costs.Err()))
}

// limited is a context that --timeout ends, too.
func (o *tailOptions) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.timeout, process.ErrTimeUp)
}

// refuse leaves out what cannot be read or watched, and returns why; where something is
// left, that is said at once.
func (o *tailOptions) refuse(q *question.Question) []error {
	refused := q.Resolved.Unresolved
	if !o.state.untilSynced { // then one list answers, and nothing is watched
		refused = append(q.LeaveOutUnwatchable(), refused...)
	}
	if len(q.Subjects) > 0 {
		for _, err := range refused {
			o.streams.Console.Ended(err)
		}
	}
	return refused
}

func (o *tailOptions) needs(cache.Target) ([]plan.Need, error) {
	needs := []plan.Need{{Reader: "output", Form: o.output.EventNeeds()}, {Reader: "--changed", Form: o.changed.Needs()}}
	if o.command != nil {
		needs[0].Reader = "COMMAND"
	}
	if o.record != "" {
		needs = append(needs, plan.Need{Reader: "--record", Form: o.print.AsRecord().EventNeeds()})
	}
	if o.comparing {
		needs = append(needs, plan.Need{Reader: "comparison", Form: cache.Whole})
	}
	return needs, nil
}

// endOf makes success of the end of a stream that was asked for, but not when
// the time was up before it has reported what was there.
func endOf(ctx context.Context, q *question.Question, err error) error {
	// The end of ctx reaches the informers, and with them the stream's end, before
	// it reaches the stream: that is not taken for an end by itself.
	err = cmp.Or(err, ctx.Err())
	switch {
	case errors.Is(err, process.ErrDone):
		return nil
	case !isTimeUp(ctx) || !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	missing := incomplete(q.Unsynced())
	for _, name := range q.Undecided() {
		missing = strings.TrimPrefix(fmt.Sprintf("%s; the server of context %q has not answered", missing, name), "; ")
	}
	if missing != "" {
		return process.NewTimedOut(process.ErrNotListed, missing)
	}
	return nil
}

// isTimeUp says whether --timeout has ended a stream.
func isTimeUp(ctx context.Context) bool { return errors.Is(context.Cause(ctx), process.ErrTimeUp) }
