package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// options are what the flags and arguments of a command come to: valid, and never
// changed while they run.
type options interface {
	run(ctx context.Context) error
}

// resourceFlags are the flags of every command that takes resources: which objects
// of the cluster are asked for, and by what they are narrowed.
type resourceFlags struct {
	connection *connection
	streams    Streams
	request    resolve.Request
	by         []string
	indexes    []string
	where      []string
	costLimit  match.CostLimit
	pageSize   int64
	// syncTimeout ends discovery, or a Target's first list, that makes no progress
	// for so long.
	syncTimeout time.Duration
	stats       bool
	quiet       bool
}

func newResourceFlags(c *connection, streams Streams) *resourceFlags {
	return &resourceFlags{connection: c, streams: streams, pageSize: guard.DefaultPageSize, syncTimeout: time.Minute}
}

func (f *resourceFlags) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.request.Namespaces, "namespace", "n", nil,
		"The namespaces to look in: may be given several times, or hold several separated by commas. Default is the namespace of the context.")
	flags.BoolVarP(&f.request.AllNamespaces, "all-namespaces", "A", false,
		"If present, look in all namespaces. The namespace in the current context is ignored even if specified with --namespace.")
	flags.StringArrayVarP(&f.request.LabelSelectors, "selector", "l", nil,
		"Selector (label query) that the server filters on, supports '=', '==', '!=', 'in', 'notin'. (e.g. -l key1=value1,key2=value2). If given several times, an object must match all of them.")
	flags.StringVar(&f.request.FieldSelector, "field-selector", "",
		"Selector (field query) that the server filters on, supports '=', '==', and '!='. (e.g. --field-selector key1=value1,key2=value2). The server only supports a limited number of field queries per type; --by can select by any field.")
	flags.StringArrayVar(&f.by, "by", nil,
		"Narrow to the objects that an index holds under a value, as NAME=VALUE (or NAME==VALUE) or NAME!=VALUE. NAME is an index (namespace, label, owner, node, ...), or a field path such as spec.nodeName. VALUE is compared as it is: case counts, * and commas are signs like others. NAME= are the objects without a value there, NAME!= those with one. The same NAME given several times is OR, different NAMEs are AND.")
	flags.StringArrayVar(&f.indexes, "index", nil,
		"Define an index for --by and --count-by, as NAME=JSONPATH. (e.g. --index zone='{.metadata.labels.topology\\.kubernetes\\.io/zone}')")
	flags.StringArrayVar(&f.where, "where", nil,
		"Narrow to the objects for which a CEL expression holds, as in the API server's admission policies. (e.g. --where 'object.spec.replicas > 3'). If given several times, all must hold.")
	addCostLimitFlag(flags, &f.costLimit, match.DefaultCostLimit)
	flags.DurationVar(&f.syncTimeout, "sync-timeout", f.syncTimeout,
		"Give up when discovery, or the first list of a type, makes no progress for so long. 0 waits for ever.")
	flags.BoolVar(&f.stats, "stats", false,
		"Print to stderr, at the end, what the invocation has cost: requests by verb, bytes, objects, events, re-lists, resyncs, time to sync.")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "Show no progress while a list takes its time.")
	cmdutil.AddChunkSizeFlag(cmd, &f.pageSize)
	cmdutil.AddFilenameOptionFlags(cmd, &f.request.Files, "that names the objects to ask the cluster for.")
	f.addFromFlag(cmd)
}

// runE runs a command: flags and arguments become options, which are run. With
// --from the exit code says, too, what was wrong with the documents of the dump.
func (f *resourceFlags) runE(toOptions func(*cobra.Command, []string) (options, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		dump := f.connection.dump
		if err := dump.validate(cmd); err != nil {
			return err
		}
		o, err := toOptions(cmd, args)
		if err != nil {
			return err
		}
		return dump.withFaults(o.run(cmd.Context()))
	}
}

// toOptions parses what needs no cluster. variables are what --where can speak of.
func (f *resourceFlags) toOptions(args []string, variables match.Variables) (*resourceOptions, error) {
	where, err := f.costLimit.Compile(variables, f.where...)
	if err != nil {
		return nil, err
	}
	by, err := index.ParseQuery(f.by)
	if err != nil {
		return nil, err
	}
	registry, err := index.NewRegistry(f.indexes)
	if err != nil {
		return nil, err
	}
	request := f.request
	request.Args = args
	return &resourceOptions{
		connection: f.connection, streams: f.streams, request: request,
		by: by, registry: registry, where: where, costLimit: f.costLimit,
		pageSize: f.pageSize, syncTimeout: f.syncTimeout, stats: f.stats, quiet: f.quiet,
	}, nil
}

// resourceOptions are resourceFlags and arguments, parsed.
type resourceOptions struct {
	connection *connection
	streams    Streams
	request    resolve.Request
	// by is --by as it is written: see question.query.
	by          index.Query
	registry    *index.Registry
	where       *match.Where
	costLimit   match.CostLimit
	pageSize    int64
	syncTimeout time.Duration
	stats       bool
	quiet       bool
}

// subject is one Target and what narrows it in the cache.
type subject struct {
	target cache.Target
	by     *index.Bound
}

// question is what options ask, resolved against the cluster, and the informers
// that answer it.
type question struct {
	*resourceOptions
	resolver resolver
	// query is --by, with the values of the objects that it refers to.
	query  index.Query
	groups []*informer.Group
	// released is what groups have done that were released.
	released informer.Stats
	resolved resolve.Result
	subjects []subject
}

// resolve turns arguments into Targets, and binds --by to each of them.
func (o *resourceOptions) resolve(ctx context.Context) (*question, error) {
	q := &question{resourceOptions: o, resolver: o.connection.resolver(), query: o.by}
	var err error
	if q.resolved, err = q.find(ctx, o.request); err != nil {
		return nil, err
	}
	for _, warning := range q.resolved.Warnings {
		o.streams.console.warn(warning)
	}
	if err := q.lookUpReferences(ctx); err != nil {
		return nil, err
	}
	return q, q.bind()
}

// resolveAgain resolves with what discovery says now, not with what it said.
func (q *question) resolveAgain(ctx context.Context) (err error) {
	q.resolver.Refresh()
	if q.resolved, err = q.find(ctx, q.request); err != nil {
		return err
	}
	return q.bind()
}

// bind binds --by to each Target.
func (q *question) bind() error {
	q.subjects = nil
	for _, target := range q.resolved.Targets {
		bound, err := q.query.Bind(q.registry, target)
		if err != nil {
			return err
		}
		q.subjects = append(q.subjects, subject{target, bound})
	}
	return nil
}

// start starts an informer for each subject, in the least form that serves
// --by and the needs of the command.
func (q *question) start(ctx context.Context, follow bool, options informer.Options, needs func(cache.Target) ([]plan.Need, error)) (*informer.Group, error) {
	client, err := q.connection.client()
	if err != nil {
		return nil, err
	}
	options.SyncTimeout = q.syncTimeout
	specs := make([]informer.Spec, len(q.subjects))
	for n, subject := range q.subjects {
		readers, err := needs(subject.target)
		if err != nil {
			return nil, err
		}
		readers = append(readers,
			plan.Need{Reader: "--by", Indexes: subject.by.Definitions(), NoAnnotations: true},
			plan.Need{Reader: "--where", Form: q.where.Needs(), NoAnnotations: q.where.Empty()})
		if specs[n], err = specFor(plan.For(subject.target, follow, readers...), client, q.pageSize); err != nil {
			return nil, err
		}
	}
	group, err := informer.Start(ctx, specs, options)
	if err != nil {
		return nil, err
	}
	q.groups = append(q.groups, group)
	if q.streams.ErrIsTerminal && !q.quiet {
		showProgress(ctx, q.streams.console, group)
	}
	return group, nil
}

// specFor turns a plan into an informer to be run.
func specFor(p plan.Plan, client lister, pageSize int64) (informer.Spec, error) {
	for _, reason := range p.Reasons {
		klog.V(4).Info(reason)
	}
	source, err := client.ListerWatcher(p.Target, p.Form)
	return informer.Spec{
		Target:    p.Target,
		Source:    source,
		ListOnly:  p.ListOnly,
		PageSize:  pageSize,
		Transform: p.Transform,
		Indexers:  p.Indexers,
	}, err
}

// scope is which namespaces are asked for, as the printers take it.
func (q *question) scope() printers.Scope {
	return printers.Scope{AllNamespaces: q.resolved.Namespaces == nil, Namespaces: q.resolved.Namespaces}
}

func (q *question) targets() []cache.Target {
	targets := make([]cache.Target, len(q.subjects))
	for i, subject := range q.subjects {
		targets[i] = subject.target
	}
	return targets
}

// typeVanished says whether a type that cached discovery knows is not there.
func typeVanished(failures []*cache.SyncError) bool {
	for _, failure := range failures {
		if failure.Fault == cache.Missing {
			return true
		}
	}
	return false
}

// joinFailures makes one error of all.
func joinFailures(failures []*cache.SyncError) error {
	errs := make([]error, len(failures))
	for i, failure := range failures {
		errs[i] = failure
	}
	return errors.Join(errs...)
}
