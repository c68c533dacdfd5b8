package question

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/stats"
)

// Runner is what the flags and arguments of a command come to: valid, and never
// changed while they run.
type Runner interface {
	// Run does what is asked for, until it is done or ctx ends.
	Run(ctx context.Context) error
}

// ResourceFlags are the flags of every command that takes resources: which objects
// of the cluster are asked for, and by what they are narrowed.
type ResourceFlags struct {
	Connection *Connection
	streams    process.Streams
	Request    resolve.Request
	contexts   []string
	shard      string
	by         []string
	uses       Uses
	Indexes    []string
	where      []string
	CostLimit  match.CostLimit
	pageSize   int64
	// syncTimeout ends discovery, or a Target's first list, that makes no progress
	// for so long.
	syncTimeout time.Duration
	stats       string
	metricsFile string
	// recorder knows the informers of the command.
	recorder *stats.Recorder
	quiet    bool
}

// NewResourceFlags returns flags with their defaults, of the cluster that a connection leads to.
func NewResourceFlags(c *Connection, streams process.Streams) *ResourceFlags {
	return &ResourceFlags{Connection: c, streams: streams, pageSize: guard.DefaultPageSize, syncTimeout: time.Minute, recorder: &stats.Recorder{}}
}

// AddFlags adds all but those that some commands have.
func (f *ResourceFlags) AddFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.Request.Namespaces, "namespace", "n", nil,
		"The namespaces to look in: may be given several times, or hold several separated by commas. Default is the namespace of the context.")
	flags.BoolVarP(&f.Request.AllNamespaces, "all-namespaces", "A", false,
		"If present, look in all namespaces. The namespace in the current context is ignored even if specified with --namespace.")
	flags.StringArrayVarP(&f.Request.LabelSelectors, "selector", "l", nil,
		"Selector (label query) that the server filters on, supports '=', '==', '!=', 'in', 'notin'. (e.g. -l key1=value1,key2=value2). If given several times, an object must match all of them.")
	flags.StringVar(&f.Request.FieldSelector, "field-selector", "",
		"Selector (field query) that the server filters on, supports '=', '==', and '!='. (e.g. --field-selector key1=value1,key2=value2). The server only supports a limited number of field queries per type; --by can select by any field.")
	flags.StringArrayVar(&f.by, "by", nil,
		"Narrow to the objects that an index holds under a value, as NAME=VALUE (or NAME==VALUE) or NAME!=VALUE. NAME is an index (namespace, label, owner, node, ...), or a field path such as spec.nodeName. VALUE is compared as it is: case counts, * and commas are characters like others. NAME= are the objects without a value there, NAME!= those with one. The same NAME given several times is OR, different NAMEs are AND.")
	f.uses.AddFlags(flags)
	flags.StringArrayVar(&f.Indexes, "index", nil,
		"Define an index for --by and --count-by, as NAME=JSONPATH. (e.g. --index zone='{.metadata.labels.topology\\.kubernetes\\.io/zone}')")
	flags.StringArrayVar(&f.where, "where", nil,
		"Narrow to the objects for which a CEL expression holds, as in the API server's admission policies. (e.g. --where 'object.spec.replicas > 3'). now is the time of the question, age(object) the time since creation; as time passes, tail and wait look again at what may have changed by it. In tail, oldObject is the object before the change, and null where there was none. If given several times, all must hold. What compares a field with text, as in object.spec.nodeName == \"node-1\", is left to the server where it can select by it.")
	AddCostLimitFlag(flags, &f.CostLimit, match.DefaultCostLimit)
	flags.DurationVar(&f.syncTimeout, "sync-timeout", f.syncTimeout,
		"Give up when discovery, or the first list of a type, makes no progress for this long. 0 waits forever.")
	f.addStatsFlags(flags)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "Show no progress while a list takes its time, and no hints where nothing is found.")
	cmdutil.AddChunkSizeFlag(cmd, &f.pageSize)
	cmdutil.AddFilenameOptionFlags(cmd, &f.Request.Files, "that names the objects to ask the cluster for.")
	f.AddFromFlag(cmd)
}

// AddShardFlag adds the flag of the commands that may be run several times at once.
func (f *ResourceFlags) AddShardFlag(flags *pflag.FlagSet) {
	flags.StringVar(&f.shard, "shard", "",
		"Take one of N equal parts of the objects, as I/N with I from 0 to N-1, so that N invocations share the work: each object is in exactly one part, by the hash of its uid. The server selects the part where it can. (e.g. --shard $JOB_COMPLETION_INDEX/3)")
}

// RunE runs a command: flags and arguments become options, which are run. With
// --from the exit code says, too, what was wrong with the documents of the dump.
func (f *ResourceFlags) RunE(toOptions func(*cobra.Command, []string) (Runner, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		dump := f.Connection.Dump
		if err := dump.validate(cmd); err != nil {
			return err
		}
		if err := f.enterContexts(cmd); err != nil {
			return err
		}
		o, err := toOptions(cmd, args)
		if err != nil {
			return err
		}
		return dump.withBroken(f.metered(cmd.Context(), o.Run))
	}
}

// ToOptions parses what needs no cluster. variables are what --where can speak of.
func (f *ResourceFlags) ToOptions(args []string, variables match.Variables) (*ResourceOptions, error) {
	if err := validateStats(f.stats); err != nil {
		return nil, err
	}
	where, err := f.CostLimit.Compile(variables, f.where...)
	if err != nil {
		return nil, err
	}
	by, err := index.ParseQuery(f.by)
	if err != nil {
		return nil, err
	}
	registry, err := index.NewRegistry(f.Indexes)
	if err != nil {
		return nil, err
	}
	request := f.Request
	request.Args = args
	if f.shard != "" {
		if request.Shard, err = cache.ParseShard(f.shard); err != nil {
			return nil, fmt.Errorf("--shard: %w", err)
		}
	}
	return &ResourceOptions{
		Narrowed:   f.narrowed(),
		Connection: f.Connection, Streams: f.streams, request: request,
		by: by, uses: f.uses, registry: registry, Where: where, CostLimit: f.CostLimit,
		pageSize: f.pageSize, syncTimeout: f.syncTimeout, stats: f.stats, Recorder: f.recorder, Quiet: f.quiet,
	}, nil
}

// narrowed are the flags that narrow the objects in the cache.
func (f *ResourceFlags) narrowed() (flags []string) {
	for _, given := range []struct {
		name   string
		values []string
	}{{"by", f.by}, {"index", f.Indexes}, {"where", f.where}, {"used-by", f.uses.by}, {"unused-by", f.uses.notBy}} {
		for _, value := range given.values {
			flags = append(flags, "--"+given.name+" "+value)
		}
	}
	return flags
}

// ResourceOptions are resourceFlags and arguments, parsed.
type ResourceOptions struct {
	Connection *Connection
	Streams    process.Streams
	request    resolve.Request
	// by is --by as it is written: see question.query.
	by       index.Query
	uses     Uses
	registry *index.Registry
	Where    *match.Where
	// Narrowed are the flags that narrow the objects, as they are written.
	Narrowed []string
	// CountBy are the indexes of --count-by, which a type has to have to be asked.
	CountBy     string
	CostLimit   match.CostLimit
	pageSize    int64
	syncTimeout time.Duration
	stats       string
	Recorder    *stats.Recorder
	Quiet       bool
	// Verifies says that caches are compared with the server.
	Verifies bool
}
