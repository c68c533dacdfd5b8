package cmd

import (
	"context"
	"errors"
	"slices"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

var (
	listLong = templates.LongDesc(`
		List objects from an informer's cache, as "kubectl get" prints them.

		The objects can be narrowed by any field or index (--by), and the values of an
		index can be counted (--count-by): one list from the server answers all.`)

	listExample = templates.Examples(`
		# List the pods of the current namespace, as kubectl get does
		kubectl informer list pods

		# List the pods on one node, in all namespaces
		kubectl informer list pods -A --by node=node-1

		# List the pods of one Deployment that are not Running
		kubectl informer list pods --by root=Deployment/web --by status.phase!=Running

		# List the claims that no pod uses
		kubectl informer list pvc -A --unused-by pods

		# Count pods per node
		kubectl informer list pods -A --count-by node

		# Keep the table on the screen, up to date; ? shows the keys
		kubectl informer list pods -A --live

		# List several types in two namespaces as JSON
		kubectl informer list deployments,services -n shop,batch -o json

		# Ask manifests, or what was saved of a cluster, with no cluster at hand
		kubectl informer list deploy --from prod.yaml --where 'object.spec.replicas>2'
		kubectl get pods -A -o json |
		  kubectl informer list pods --from - --count-by node`)
)

// listFlags are the flags of the command `list`.
type listFlags struct {
	resources      *resourceFlags
	print          *printers.Flags
	streams        process.Streams
	countBy        string
	ignoreNotFound bool
	exitStatus     bool
	watch          bool
	watchOnly      bool
	verify         bool
	live           bool
}

func newList(c *connection, streams process.Streams) *cobra.Command {
	f := &listFlags{resources: newResourceFlags(c, streams), print: printers.NewFlags(), streams: streams}
	cmd := &cobra.Command{
		Use:     "list (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) [flags]",
		Aliases: []string{"get"},
		Short:   "List objects, or an index's values, from an informer's cache",
		Long:    listLong,
		Example: listExample,
		RunE:    f.resources.runE(f.toOptions),
	}
	f.resources.addFlags(cmd)
	f.resources.addShardFlag(cmd.Flags())
	c.addDumpFlags(cmd)
	f.resources.addMomentFlags(cmd)
	f.print.AddFlags(cmd)
	f.print.AddListFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.countBy, "count-by", "",
		"Print the values of an index, or of a field path, and how many objects each holds, most first. Several, separated by commas, print each combination of values that occurs together: namespace,pvc. Given several times, the last counts. Values may hold newlines, which -o json escapes and -o name does not. --sort-by, -o wide, and what chooses columns of objects cannot be used with it.")
	flags.BoolVar(&f.ignoreNotFound, "ignore-not-found", false,
		"If set to true, suppresses NotFound error for specific objects that do not exist. Using this flag with commands that query for collections of resources has no effect when no resources are found.")
	flags.BoolVar(&f.exitStatus, "exit-status", false, "Exit with status 3 if nothing matches.")
	flags.BoolVarP(&f.watch, "watch", "w", false, "After listing the objects, keep reporting what changes: the same as tail, with tail's defaults. A named object that does not exist is waited for, so that --ignore-not-found has nothing to do; --count-by, --exit-status, --limit and --subresource cannot be used with it.")
	flags.BoolVar(&f.watchOnly, "watch-only", false, "Report what changes, without listing the objects first: the same as tail --watch-only, with tail's defaults.")
	flags.BoolVar(&f.verify, "verify", false, "Compare what was listed with what the server has, by another list, of metadata at the same resourceVersion. A difference is an error that names the objects, and so is it when the server cannot be asked.")
	flags.BoolVar(&f.live, "live", false, "Show the table, or the counts of --count-by, full-screen on a terminal, and keep it up to date in place; ? shows its keys. Of -o it takes wide alone; --exit-status, --from, --subresource and --watch cannot be used with it.")
	cmdutil.AddSubresourceFlags(cmd, &f.resources.request.Subresource, "If specified, gets the subresource of the requested object.")
	f.resources.addCompletions(cmd)
	return cmd
}

// toOptions is what list runs: with --watch it is what tail runs.
func (f *listFlags) toOptions(cmd *cobra.Command, args []string) (options, error) {
	if err := f.validate(cmd.Flags()); err != nil {
		return nil, err
	}
	if f.watch || f.watchOnly {
		t := newTailFlags(f.resources, f.print, f.streams)
		t.watchOnly = f.watchOnly
		return t.stream(args, nil)
	}
	if err := f.print.Validate(); err != nil {
		return nil, err
	}
	resources, err := f.resources.toOptions(args, match.ObjectOnly)
	if err != nil {
		return nil, err
	}
	resources.verifies = f.verify
	o := &listOptions{
		resources: resources, print: f.print, streams: f.streams,
		countBy: f.countBy, ignoreNotFound: f.ignoreNotFound, exitStatus: f.exitStatus, verify: f.verify,
	}
	if f.live {
		return &liveOptions{o}, nil
	}
	return o, nil
}

// validate says which flags ask for what cannot be had together.
func (f *listFlags) validate(flags *pflag.FlagSet) error {
	if f.verify && f.resources.connection.dump != nil {
		return errors.New("--verify cannot be used with --from: there is no server to compare a dump with")
	}
	if f.verify && f.resources.request.Subresource != "" {
		return errors.New("--verify cannot be used with --subresource: it compares lists")
	}
	if err := validateCountBy(flags, f.countBy); err != nil {
		return err
	}
	if f.live {
		return f.validateLive(flags)
	}
	if !f.watch && !f.watchOnly {
		return nil
	}
	switch {
	case f.verify:
		return errors.New(`--verify cannot be used with --watch: "tail --verify-every" compares while it goes on`)
	case f.resources.request.Subresource != "":
		return errors.New("--subresource cannot be used with --watch: a subresource cannot be watched")
	case f.countBy != "":
		return errors.New("--count-by cannot be used with --watch: a stream reports objects, not counts")
	case f.exitStatus:
		return errors.New("--exit-status cannot be used with --watch: what does not match now may match later")
	case f.print.Limit != 0:
		return errors.New(`--limit cannot be used with --watch: "tail --max-events" ends a stream`)
	}
	return nil
}

// listOptions are listFlags and arguments, parsed.
type listOptions struct {
	resources      *resourceOptions
	print          *printers.Flags
	streams        process.Streams
	countBy        string
	ignoreNotFound bool
	exitStatus     bool
	verify         bool
}

func (o *listOptions) run(ctx context.Context) error {
	q, err := o.resources.resolve(ctx)
	if err != nil {
		return err
	}
	defer q.close()
	group, err := o.sync(ctx, q)
	if err != nil {
		return err
	}
	defer group.Stop()
	defer q.warnMisses()
	defer q.reportStats()
	q.asked = q.connection.now()
	answer := o.printObjects
	if o.countBy != "" {
		answer = o.printCounts
	}
	err = process.WriteOutput(ctx, o.streams.Out, func(ctx context.Context) error { return answer(ctx, q, group) })
	if o.verify {
		err = errors.Join(err, q.verify(ctx, group))
	}
	return err
}

// sync lists every subject, once more with fresh discovery where a type that
// cached discovery knows turns out not to be there. What --by and --where fix is left to
// the server; once more it is not where --by selects nothing: then the hints need to
// know what there is, unless --quiet wants none.
func (o *listOptions) sync(ctx context.Context, q *question) (*informer.Group, error) {
	q.leaveToServer(plan.Listed)
	group, err := o.start(ctx, q)
	if err == nil && typeVanished(group.Failures()) {
		group.Stop()
		if err := q.resolveAgain(ctx); err != nil {
			return nil, err
		}
		group, err = o.start(ctx, q)
	}
	if err != nil || !q.pushed.Load() || len(group.Failures()) > 0 || !o.mayHaveToSay(q, group) {
		return group, err
	}
	group.Stop()
	q.recorder.Release(group)
	q.leaveToServer(plan.Nothing)
	return o.start(ctx, q)
}

// mayHaveToSay says whether something may have to be said of values that nobody has:
// of what the server has selected nobody has them. It takes all objects to know.
func (o *listOptions) mayHaveToSay(q *question, group *informer.Group) bool {
	absent := o.absences(q, group)
	if len(absent.notices()) > 0 {
		return true
	}
	nothing := !slices.ContainsFunc(group.Informers(), func(i *informer.Informer) bool { return len(i.Indexer().ListKeys()) > 0 })
	if nothing && o.countBy != "" {
		return true
	}
	return !q.quiet && !q.query.Empty() && (len(absent.hints()) > 0 || !q.selectsAny(group))
}

// absences are those of all that the caches are asked for.
func (o *listOptions) absences(q *question, group *informer.Group) (absent absences) {
	for n, i := range group.Informers() {
		if i.Failure() != nil {
			continue
		}
		absent.ask(i, q.subjects[n].by)
		if o.countBy == "" {
			continue
		}
		// They were found when the informer was planned.
		if definitions, err := q.counted(i.Target, o.countBy); err == nil {
			absent.read(i.Indexer(), definitions...)
		}
	}
	return absent
}

// selectsAny says whether --by selects any object.
func (q *question) selectsAny(group *informer.Group) bool {
	for n, i := range group.Informers() {
		if len(i.Rows(q.subjects[n].by)) > 0 {
			return true
		}
	}
	return false
}

func (o *listOptions) start(ctx context.Context, q *question) (*informer.Group, error) {
	queue := informer.NewQueue(0)
	group, err := q.start(ctx, false, informer.Options{Events: queue}, o.needs(q))
	if err != nil {
		return nil, err
	}
	connections := newConnections(o.streams.Console, false, q.targets())
	defer connections.close()
	if err := connections.await(ctx, queue); err != nil {
		group.Stop()
		return nil, err
	}
	return group, nil
}

func (o *listOptions) needs(q *question) func(cache.Target) ([]plan.Need, error) {
	return func(t cache.Target) ([]plan.Need, error) {
		if t.Subresource != "" {
			// What it is a resource of is not what it is: only the answer says.
			return []plan.Need{{Reader: "--subresource", Form: o.print.ListNeeds() | cache.Whole}}, nil
		}
		if o.countBy == "" {
			return []plan.Need{{Reader: "output", Form: o.print.ListNeeds(), NoAnnotations: !o.print.ListsAnnotations()}}, nil
		}
		counted, err := q.counted(t, o.countBy)
		if err != nil {
			return nil, err
		}
		return []plan.Need{{Reader: "--count-by", Indexes: counted, NoAnnotations: true}}, nil
	}
}

// printObjects prints what the caches hold, and returns what could not be read.
func (o *listOptions) printObjects(ctx context.Context, q *question, group *informer.Group) error {
	groups := make([]printers.Group, 0, len(q.subjects))
	errs := slices.Clone(q.resolved.Unresolved)
	missing, err := o.notFound(ctx, q, group)
	if err != nil {
		return err
	}
	errs = append(errs, missing...)
	found := 0
	for n, i := range group.Informers() {
		if failure := i.Failure(); failure != nil {
			// Of a subresource only the server can say that it is not found.
			if !o.ignoreNotFound || i.Target.Subresource == "" || failure.Fault != cache.Missing {
				errs = append(errs, failure)
			}
			continue
		}
		rows, err := q.rows(ctx, n, i)
		if err != nil {
			return err
		}
		found += len(rows)
		groups = append(groups, printers.Group{Target: q.subjects[n].target, Rows: rows})
	}
	o.warnAbsent(q, group)
	if q.resolved.SingleItem && len(errs) > 0 {
		return errors.Join(errs...)
	}
	err = o.print.PrintList(o.streams.IOStreams, asVisited(groups, q.resolved.Visits), printers.ListOptions{
		Scope:          q.scope(),
		SingleItem:     q.resolved.SingleItem,
		IgnoreNotFound: o.ignoreNotFound,
		Failed:         len(errs) > 0,
		Terminal:       o.streams.OutIsTerminal,
		Warn:           o.streams.Console.Warn,
	})
	if err == nil && found == 0 && len(errs) == 0 && o.exitStatus {
		err = process.ErrNothingMatched
	}
	return errors.Join(append(errs, err)...)
}

// asVisited repeats groups as kubectl does: an object is printed as often as it is
// named. The caches hold it once.
func asVisited(groups []printers.Group, visits []cache.Target) []printers.Group {
	of := make(map[cache.Target]printers.Group, len(groups))
	for _, group := range groups {
		of[group.Target] = group
	}
	visited := make([]printers.Group, 0, len(visits))
	for _, target := range visits {
		if group, ok := of[target]; ok {
			visited = append(visited, group)
		}
	}
	return visited
}

// warnAbsent warns of paths that no object has them, of values that nobody holds
// them, and says whether there are any. Where something was left to the server, there
// are none: see sync.
func (o *listOptions) warnAbsent(q *question, group *informer.Group) bool {
	if q.pushed.Load() {
		return false
	}
	absent := o.absences(q, group)
	notices, hints := absent.notices(), absent.hints()
	for _, notice := range notices {
		o.streams.Console.Warn(notice)
	}
	for _, hint := range hints {
		if !o.resources.quiet {
			o.streams.Console.SayOnce("hint: " + hint)
		}
	}
	return len(notices)+len(hints) > 0
}

// notFound are the errors for named objects that are not there.
func (o *listOptions) notFound(ctx context.Context, q *question, group *informer.Group) ([]error, error) {
	if o.ignoreNotFound {
		return nil, nil
	}
	return q.notFound(ctx, group)
}
