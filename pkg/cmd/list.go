package cmd

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
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

		# Count the pods of each cluster by phase
		kubectl informer list pods -A --contexts all --count-by context,phase

		# List several types in two namespaces as JSON
		kubectl informer list deployments,services -n shop,batch -o json

		# Ask manifests, or what was saved of a cluster, with no cluster at hand
		kubectl informer list deploy --from prod.yaml --where 'object.spec.replicas>2'
		kubectl get pods -A -o json |
		  kubectl informer list pods --from - --count-by node`)
)

// listFlags are the flags of the command `list`.
type listFlags struct {
	resources      *question.ResourceFlags
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

func newList(c *question.Connection, streams process.Streams) *cobra.Command {
	f := &listFlags{resources: question.NewResourceFlags(c, streams), print: printers.NewFlags(), streams: streams}
	cmd := &cobra.Command{
		Use:     "list (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) [flags]",
		Aliases: []string{"get"},
		Short:   "List objects, or an index's values, from an informer's cache",
		Long:    listLong,
		Example: listExample,
		RunE:    f.resources.RunE(f.toOptions),
	}
	f.resources.AddFlags(cmd)
	f.resources.AddContextsFlag(cmd)
	f.resources.AddShardFlag(cmd.Flags())
	c.AddDumpFlags(cmd)
	f.resources.AddMomentFlags(cmd)
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
	cmdutil.AddSubresourceFlags(cmd, &f.resources.Request.Subresource, "If specified, gets the subresource of the requested object.")
	f.resources.AddCompletions(cmd)
	return cmd
}

// toOptions is what list runs: with --watch it is what tail runs.
func (f *listFlags) toOptions(cmd *cobra.Command, args []string) (question.Runner, error) {
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
	resources, err := f.resources.ToOptions(args, match.ObjectOnly)
	if err != nil {
		return nil, err
	}
	resources.Verifies, resources.CountBy = f.verify, f.countBy
	o := &listOptions{
		resources: resources, print: f.print, streams: f.streams,
		ignoreNotFound: f.ignoreNotFound, exitStatus: f.exitStatus, verify: f.verify,
	}
	if f.live {
		return &liveOptions{o}, nil
	}
	return o, nil
}

// validate says which flags ask for what cannot be had together.
func (f *listFlags) validate(flags *pflag.FlagSet) error {
	if f.verify && f.resources.Connection.Dump != nil {
		return errors.New("--verify cannot be used with --from: there is no server to compare a dump with")
	}
	if f.verify && f.resources.Request.Subresource != "" {
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
	case f.resources.Request.Subresource != "":
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
	resources      *question.ResourceOptions
	print          *printers.Flags
	streams        process.Streams
	ignoreNotFound bool
	exitStatus     bool
	verify         bool
}

func (o *listOptions) Run(ctx context.Context) error {
	q, err := o.resources.Resolve(ctx)
	if err != nil {
		return err
	}
	defer q.Close()
	group, err := o.sync(ctx, q)
	if err != nil {
		return err
	}
	defer group.Stop()
	defer q.WarnMisses()
	defer q.ReportStats()
	q.Asked = q.Connection.Now()
	answer := o.printObjects
	if o.resources.CountBy != "" {
		answer = o.printCounts
	}
	err = process.WriteOutput(ctx, o.streams.Out, func(ctx context.Context) error { return answer(ctx, q, group) })
	if o.verify {
		err = errors.Join(err, q.Verify(ctx, group))
	}
	return err
}

// sync lists every subject, once more with fresh discovery where a type that
// cached discovery knows turns out not to be there. What --by and --where fix is left to
// the server; once more it is not where --by selects nothing: then the hints need to
// know what there is, unless --quiet wants none.
func (o *listOptions) sync(ctx context.Context, q *question.Question) (*informer.Group, error) {
	q.LeaveToServer(plan.Listed)
	group, err := o.start(ctx, q)
	if err == nil && question.TypeVanished(group.Failures()) {
		group.Stop()
		if err := q.ResolveAgain(ctx); err != nil {
			return nil, err
		}
		group, err = o.start(ctx, q)
	}
	if err != nil || !q.Pushed.Load() || len(group.Failures()) > 0 || !o.mayHaveToSay(q, group) {
		return group, err
	}
	group.Stop()
	q.Recorder.Release(group)
	q.LeaveToServer(plan.Nothing)
	return o.start(ctx, q)
}

// mayHaveToSay says whether something may have to be said of values that nobody has:
// of what the server has selected nobody has them. It takes all objects to know.
func (o *listOptions) mayHaveToSay(q *question.Question, group *informer.Group) bool {
	absent := o.absences(q, group)
	if len(absent.Notices()) > 0 {
		return true
	}
	nothing := !slices.ContainsFunc(group.Informers(), func(i *informer.Informer) bool { return len(i.Indexer().ListKeys()) > 0 })
	if nothing && o.resources.CountBy != "" {
		return true
	}
	return !q.Quiet && !q.Query.Empty() && (len(absent.Hints()) > 0 || !q.SelectsAny(group))
}

// absences are those of all that the caches are asked for.
func (o *listOptions) absences(q *question.Question, group *informer.Group) (absent question.Absences) {
	for n, i := range group.Informers() {
		if i.Failure() != nil {
			continue
		}
		absent.Ask(i, q.Subjects[n].By)
		if o.resources.CountBy == "" {
			continue
		}
		// They were found when the informer was planned.
		if definitions, err := q.Counted(i.Target, o.resources.CountBy); err == nil {
			absent.Read(i.Indexer(), definitions...)
		}
	}
	return absent
}

func (o *listOptions) start(ctx context.Context, q *question.Question) (*informer.Group, error) {
	queue := informer.NewQueue(0)
	group, err := q.Start(ctx, false, informer.Options{Events: queue}, o.needs(q))
	if err != nil {
		return nil, err
	}
	connections := question.NewConnections(o.streams.Console, false, q.Targets())
	defer connections.Close()
	if err := connections.Await(ctx, queue); err != nil {
		group.Stop()
		return nil, err
	}
	return group, nil
}

func (o *listOptions) needs(q *question.Question) func(cache.Target) ([]plan.Need, error) {
	return func(t cache.Target) ([]plan.Need, error) {
		if t.Subresource != "" {
			// What it is a resource of is not what it is: only the answer says.
			return []plan.Need{{Reader: "--subresource", Form: o.print.ListNeeds() | cache.Whole}}, nil
		}
		if o.resources.CountBy == "" {
			return []plan.Need{{Reader: "output", Form: o.print.ListNeeds(), NoAnnotations: !o.print.ListsAnnotations()}}, nil
		}
		counted, err := q.Counted(t, o.resources.CountBy)
		if err != nil {
			return nil, err
		}
		return []plan.Need{{Reader: "--count-by", Indexes: counted, NoAnnotations: true}}, nil
	}
}

// printObjects prints what the caches hold, and returns what could not be read.
func (o *listOptions) printObjects(ctx context.Context, q *question.Question, group *informer.Group) error {
	groups := make([]printers.Group, 0, len(q.Subjects))
	errs := slices.Clone(q.Resolved.Unresolved)
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
		rows, err := q.Rows(ctx, n, i)
		if err != nil {
			return err
		}
		found += len(rows)
		groups = append(groups, printers.Group{Target: q.Subjects[n].Target, Rows: rows})
	}
	o.warnAbsent(q, group)
	if q.Resolved.SingleItem && len(errs) > 0 {
		return errors.Join(errs...)
	}
	err = o.print.PrintList(o.streams.IOStreams, asVisited(groups, q.Resolved.Visits), printers.ListOptions{
		Scope:          q.Scope(),
		SingleItem:     q.Resolved.SingleItem,
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
func (o *listOptions) warnAbsent(q *question.Question, group *informer.Group) bool {
	if q.Pushed.Load() {
		return false
	}
	absent := o.absences(q, group)
	notices, hints := absent.Notices(), absent.Hints()
	for _, notice := range notices {
		o.streams.Console.Warn(notice)
	}
	for _, hint := range hints {
		if !o.resources.Quiet {
			o.streams.Console.SayOnce("hint: " + hint)
		}
	}
	return len(notices)+len(hints) > 0
}

// notFound are the errors for named objects that are not there.
func (o *listOptions) notFound(ctx context.Context, q *question.Question, group *informer.Group) ([]error, error) {
	if o.ignoreNotFound {
		return nil, nil
	}
	return q.NotFound(ctx, group)
}
