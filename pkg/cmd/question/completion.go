package question

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi3"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/completion"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
	"github.com/kubectl-informer/kubectl-informer/pkg/stats"
)

// CompleteFlags completes kubectl's connection flags, which are root's, and says
// of all other flags of all commands that their values are no files' names.
//
// kubectl's own functions would do, but they take their configuration from a
// package variable, and wait for a server as long as it pleases.
func (c *Connection) CompleteFlags(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	completion.Flag(root, "context", completion.OneFound(c.contextNames))
	completion.Flag(root, "cluster", c.fromKubeconfig(func(config clientcmdapi.Config) []string {
		return slices.Sorted(maps.Keys(config.Clusters))
	}))
	completion.Flag(root, "user", c.fromKubeconfig(func(config clientcmdapi.Config) []string {
		return slices.Sorted(maps.Keys(config.AuthInfos))
	}))
	for _, name := range []string{"kubeconfig", "certificate-authority", "client-certificate", "client-key"} {
		completion.Flag(root, name, completion.File)
	}
	completion.Flag(root, "cache-dir", completion.Directory)
}

// contextNames are the contexts of the kubeconfig.
func (c *Connection) contextNames() ([]string, error) {
	config, err := c.Flags.ToRawKubeConfigLoader().RawConfig()
	return slices.Sorted(maps.Keys(config.Contexts)), err
}

// fromKubeconfig completes one of the names that the kubeconfig has.
func (c *Connection) fromKubeconfig(names func(clientcmdapi.Config) []string) cobra.CompletionFunc {
	return completion.OneFound(func() ([]string, error) {
		config, err := c.Flags.ToRawKubeConfigLoader().RawConfig()
		return names(config), err
	})
}

// AddCompletions completes the arguments of a command that takes resources, and
// those flags that it has by now and whose values can be known.
func (f *ResourceFlags) AddCompletions(cmd *cobra.Command) {
	resources := completion.Resources{Source: completionSource{f}}
	cmd.ValidArgsFunction = resources.Arguments
	for name, complete := range map[string]cobra.CompletionFunc{
		"contexts":      completion.ListFound(f.contextWords),
		"namespace":     resources.Namespaces,
		"selector":      resources.Selector,
		"label-columns": resources.LabelKeys,
		"by":            resources.By,
		"count-by":      resources.IndexName,
		"used-by":       resources.TypesAnd(allWorkloads),
		"unused-by":     resources.TypesAnd(allWorkloads),
		"for":           resources.Condition(conditionWords()...),
		"fail-for":      resources.Condition(conditionWords()...),
		"changed":       resources.Fields,
		"sort-by":       resources.Fields,
		"stats":         completion.OneOf(statsText, statsJSON),
		"metrics-file":  completion.File,
		"kustomize":     completion.Directory,
		"from":          completion.File,
		"template":      completion.File,
	} {
		completion.Flag(cmd, name, complete)
	}
}

// contextWords are what --contexts can hold.
func (f *ResourceFlags) contextWords() ([]string, error) {
	names, err := f.Connection.contextNames()
	if len(names) > 1 && !slices.Contains(names, everyContext) {
		names = append(names, everyContext)
	}
	return names, err
}

// CompleteTypes completes the arguments of a command that takes types alone.
func (f *ResourceFlags) CompleteTypes(cmd *cobra.Command) {
	cmd.ValidArgsFunction = completion.Resources{Source: completionSource{f}}.Types
}

// conditionWords are what a condition to wait for can be, or begin with.
func conditionWords() []string {
	words := []string{"cel=", "condition=", "jsonpath="}
	for _, word := range []string{"create", "delete", "ready", "rollout"} {
		if _, err := match.DefaultCostLimit.ParseFor([]string{word}, false); err == nil {
			words = append(words, word)
		}
	}
	return words
}

// completionSource is the cluster, or the dump, that flags lead to.
type completionSource struct{ flags *ResourceFlags }

// connection leads to the cluster that is asked: of several, the first one.
func (s completionSource) connection() *Connection {
	c := s.flags.Connection
	if len(s.flags.contexts) == 0 {
		return c
	}
	there, err := c.contextNames()
	if err != nil {
		return c
	}
	if chosen, err := chooseContexts(s.flags.contexts, there); err == nil {
		return c.to(chosen[0])
	}
	return c
}

// Request is what the flags ask for.
func (s completionSource) Request() resolve.Request { return s.flags.Request }

// Types returns what discovery says, from kubectl's cache if it can: the types in
// their preferred versions, in the order in which a name is looked up.
func (s completionSource) Types(ctx context.Context) ([]*metav1.APIResourceList, error) {
	var getter genericclioptions.RESTClientGetter = s.connection().Getter()
	if s.connection().Dump != nil {
		saved, err := s.connection().Dump.Open(ctx)
		if err != nil {
			return nil, err
		}
		getter = saved.Getter()
	}
	client, err := getter.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	lists, err := discovery.ToCachedDiscoveryInterfaceWithContext(client).ServerPreferredResourcesWithContext(ctx)
	if discovery.IsGroupDiscoveryFailedError(err) {
		err = nil // the other groups are there
	}
	return lists, err
}

// Targets resolves a request.
func (s completionSource) Targets(ctx context.Context, request resolve.Request) ([]cache.Target, error) {
	resolved, err := s.connection().resolver().Resolve(ctx, request)
	return resolved.Targets, err
}

// Registry is of the indexes that --index defines too. cobra has read the flags
// twice by now: each definition is there two times.
func (s completionSource) Registry() (*index.Registry, error) {
	return index.NewRegistry(slices.Compact(slices.Sorted(slices.Values(s.flags.Indexes))))
}

// Counts returns what the objects of a request have in an index, as list
// --count-by does, most first: of those that were listed when the context ended.
func (s completionSource) Counts(ctx context.Context, request resolve.Request, name string) ([]printers.Count, error) {
	values := map[string]int{}
	err := s.eachIndex(ctx, request, name, func(i *informer.Informer, definition index.Definition) {
		for _, count := range index.Counts(i.Indexer(), definition) {
			values[count.Value] += count.Objects
		}
	})
	if err != nil && len(values) == 0 {
		return nil, err
	}
	return MostFirst(values), nil
}

// Holders returns the names of the objects of a request that have a value in an index.
func (s completionSource) Holders(ctx context.Context, request resolve.Request, name string) ([]string, error) {
	var names []string
	err := s.eachIndex(ctx, request, name, func(i *informer.Informer, definition index.Definition) {
		for _, row := range i.Rows(nil) {
			if definition.FollowsOwners || len(definition.Values(row)) > 0 {
				names = append(names, row.Name)
			}
		}
	})
	if err != nil && len(names) == 0 {
		return nil, err
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// eachIndex lists the objects of a request into an index, and shows those informers
// that have synced when the context ends. The error is why others have not.
func (s completionSource) eachIndex(ctx context.Context, request resolve.Request, name string, show func(*informer.Informer, index.Definition)) error {
	q := &Question{resolver: s.connection().resolver(), ResourceOptions: &ResourceOptions{
		Connection: s.connection(), Streams: s.flags.streams, pageSize: s.flags.pageSize, syncTimeout: s.flags.syncTimeout, Recorder: &stats.Recorder{},
	}}
	q.Dependencies = NewDependencies(q)
	q.Dependencies.silent = true
	defer q.Close()
	definitions, specs, err := s.planIndex(ctx, request, name, q.Dependencies.Owners)
	if err != nil {
		return err
	}
	group, err := informer.Start(ctx, specs, informer.Options{Events: informer.NewQueue(0)})
	if err != nil {
		return err
	}
	defer group.Stop()
	_ = group.WaitSettled(ctx) // which have is seen below
	for n, i := range group.Informers() {
		if !i.Synced() {
			continue
		}
		if definitions[n].FollowsOwners {
			if err := q.FollowOwners(ctx, i); err != nil {
				return err
			}
		}
		show(i, definitions[n])
	}
	return JoinFailures(group.Failures())
}

// OpenAPI returns what a server publishes of the types of a group version, from
// kubectl's cache where it has not changed, as "kubectl explain" reads it. A dump has
// none.
func (s completionSource) OpenAPI(_ context.Context, version schema.GroupVersion) (map[string]any, error) {
	if s.connection().Dump != nil {
		return nil, nil
	}
	client, err := s.connection().Getter().ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	return openapi3.NewRoot(client.OpenAPIV3()).GVSpecAsMap(version)
}

// planIndex plans an informer that keeps an index for each Target of a request.
func (s completionSource) planIndex(ctx context.Context, request resolve.Request, name string, owners index.Owners) ([]index.Definition, []informer.Spec, error) {
	registry, err := s.Registry()
	if err != nil {
		return nil, nil, err
	}
	client, err := s.connection().client()
	if err != nil {
		return nil, nil, err
	}
	targets, err := s.Targets(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	definitions := make([]index.Definition, len(targets))
	specs := make([]informer.Spec, len(targets))
	for n, target := range targets {
		definition, err := registry.WithOwners(owners).Lookup(target, name)
		if err != nil {
			return nil, nil, err
		}
		need := plan.Need{Reader: "completion", Indexes: []index.Definition{definition}}
		definitions[n] = definition
		if specs[n], err = specFor(plan.For(target, false, need), client, s.flags.pageSize); err != nil {
			return nil, nil, err
		}
	}
	return definitions, specs, nil
}
