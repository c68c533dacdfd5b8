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

// ask is what every command that takes resources has in common: which objects
// of the cluster are asked for, and by what they are narrowed.
type ask struct {
	connection *connection
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

func newAsk(c *connection) *ask {
	return &ask{connection: c, pageSize: guard.DefaultPageSize, syncTimeout: time.Minute}
}

func (a *ask) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVarP(&a.request.Namespaces, "namespace", "n", nil,
		"The namespaces to look in: may be given several times, or hold several separated by commas. Default is the namespace of the context.")
	flags.BoolVarP(&a.request.AllNamespaces, "all-namespaces", "A", false,
		"If present, look in all namespaces. The namespace in the current context is ignored even if specified with --namespace.")
	flags.StringArrayVarP(&a.request.LabelSelectors, "selector", "l", nil,
		"Selector (label query) that the server filters on, supports '=', '==', '!=', 'in', 'notin'. (e.g. -l key1=value1,key2=value2). If given several times, an object must match all of them.")
	flags.StringVar(&a.request.FieldSelector, "field-selector", "",
		"Selector (field query) that the server filters on, supports '=', '==', and '!='. (e.g. --field-selector key1=value1,key2=value2). The server only supports a limited number of field queries per type; --by can select by any field.")
	flags.StringArrayVar(&a.by, "by", nil,
		"Narrow to the objects that an index holds under a value, as NAME=VALUE (or NAME==VALUE) or NAME!=VALUE. NAME is an index (namespace, label, owner, node, ...), or a field path such as spec.nodeName. VALUE is compared as it is: case counts, * and commas are signs like others. NAME= are the objects without a value there, NAME!= those with one. The same NAME given several times is OR, different NAMEs are AND.")
	flags.StringArrayVar(&a.indexes, "index", nil,
		"Define an index for --by and --count-by, as NAME=JSONPATH. (e.g. --index zone='{.metadata.labels.topology\\.kubernetes\\.io/zone}')")
	flags.StringArrayVar(&a.where, "where", nil,
		"Narrow to the objects for which a CEL expression holds, as in the API server's admission policies. (e.g. --where 'object.spec.replicas > 3'). If given several times, all must hold.")
	addCostLimitFlag(flags, &a.costLimit, match.DefaultCostLimit)
	flags.DurationVar(&a.syncTimeout, "sync-timeout", a.syncTimeout,
		"Give up when discovery, or the first list of a type, makes no progress for so long. 0 waits for ever.")
	flags.BoolVar(&a.stats, "stats", false,
		"Print to stderr, at the end, what the invocation has cost: requests by verb, bytes, objects, events, re-lists, resyncs, time to sync.")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "Show no progress while a list takes its time.")
	cmdutil.AddChunkSizeFlag(cmd, &a.pageSize)
	cmdutil.AddFilenameOptionFlags(cmd, &a.request.Files, "that names the objects to ask the cluster for.")
	a.addFromFlag(cmd)
}

// subject is one Target and what narrows it in the cache.
type subject struct {
	target cache.Target
	by     *index.Bound
}

// question is an ask that has been resolved against the cluster.
type question struct {
	ask      *ask
	resolver resolver
	registry *index.Registry
	query    index.Query
	where    *match.Where
	streams  Streams
	groups   []*informer.Group
	// released is what groups have done that were released.
	released informer.Stats
	resolved resolve.Result
	subjects []subject
}

// resolve turns arguments into Targets, and binds --by to each of them.
// variables are what --where can speak of.
func (a *ask) resolve(ctx context.Context, args []string, variables match.Variables, streams Streams) (*question, error) {
	where, err := a.costLimit.Compile(variables, a.where...)
	if err != nil {
		return nil, err
	}
	query, err := index.ParseQuery(a.by)
	if err != nil {
		return nil, err
	}
	registry, err := index.NewRegistry(a.indexes)
	if err != nil {
		return nil, err
	}
	q := &question{ask: a, resolver: a.connection.resolver(), registry: registry, query: query, where: where, streams: streams}
	a.request.Args = args
	q.resolved, err = q.find(ctx, a.request)
	if err != nil {
		return nil, err
	}
	for _, warning := range q.resolved.Warnings {
		streams.console.warn(warning)
	}
	if err := q.lookUpReferences(ctx); err != nil {
		return nil, err
	}
	return q, q.bind()
}

// resolveAgain resolves with what discovery says now, not with what it said.
func (q *question) resolveAgain(ctx context.Context) (err error) {
	q.resolver.Refresh()
	if q.resolved, err = q.find(ctx, q.ask.request); err != nil {
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
	client, err := q.ask.connection.client()
	if err != nil {
		return nil, err
	}
	options.SyncTimeout = q.ask.syncTimeout
	specs := make([]informer.Spec, len(q.subjects))
	for n, subject := range q.subjects {
		readers, err := needs(subject.target)
		if err != nil {
			return nil, err
		}
		readers = append(readers,
			plan.Need{Reader: "--by", Indexes: subject.by.Definitions(), NoAnnotations: true},
			plan.Need{Reader: "--where", Form: q.where.Needs(), NoAnnotations: len(q.ask.where) == 0})
		if specs[n], err = specFor(plan.For(subject.target, follow, readers...), client, q.ask.pageSize); err != nil {
			return nil, err
		}
	}
	group, err := informer.Start(ctx, specs, options)
	if err != nil {
		return nil, err
	}
	q.groups = append(q.groups, group)
	if q.streams.ErrIsTerminal && !q.ask.quiet {
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
