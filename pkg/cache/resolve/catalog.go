package resolve

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

// catalog remembers what discovery says, from one read to the next refresh.
type catalog struct {
	getter genericclioptions.RESTClientGetter
	client discovery.CachedDiscoveryInterface
	types  *types
}

// read returns the types, from memory if it can. The second result says that
// they come from the server, just now.
func (c *catalog) read(ctx context.Context) (*types, bool, error) {
	if c.types != nil {
		return c.types, false, nil
	}
	if c.client == nil {
		client, err := c.getter.ToDiscoveryClient()
		if err != nil {
			return nil, false, err
		}
		c.client = client
	}
	read, err := readTypes(ctx, c.client, c.isGuess())
	if err != nil {
		return nil, false, err
	}
	c.types = read
	return read, c.client.Fresh(), nil
}

// isGuess says of a type whether the getter has guessed it.
func (c *catalog) isGuess() func(schema.GroupVersionKind) bool {
	if guesser, ok := c.getter.(Guesser); ok {
		return guesser.IsGuess
	}
	return func(schema.GroupVersionKind) bool { return false }
}

// forget makes the next read one from the server.
func (c *catalog) forget() {
	if c.client != nil {
		c.client.Invalidate()
	}
	c.types = nil
}

// types are the resource types of a server at one moment, subresources too.
type types struct {
	// frozen answers kubectl's category expander, known its expander of short names:
	// guessed are the lists that it lacks.
	frozen, known frozenDiscovery
	guessed       []*metav1.APIResourceList
	// mapper is kubectl's, with its choice among versions and groups.
	mapper     meta.RESTMapper
	categories restmapper.CategoryExpander
	// failed are the versions of groups that discovery could not read, as far as
	// it says so: see brokenGroups and failures.
	failed map[schema.GroupVersion]error
}

func readTypes(ctx context.Context, client discovery.CachedDiscoveryInterface, isGuess func(schema.GroupVersionKind) bool) (*types, error) {
	groups, lists, err := discovery.ToCachedDiscoveryInterfaceWithContext(client).ServerGroupsAndResourcesWithContext(ctx)
	if cancelled := ctx.Err(); cancelled != nil {
		return nil, cancelled
	}
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, err
	}
	known, guessed := partGuesses(inOrder(groups, lists), isGuess)
	frozen := frozenDiscovery{CachedDiscoveryInterface: client, groups: groups, lists: slices.Concat(known, guessed)}
	surely := frozenDiscovery{CachedDiscoveryInterface: client, groups: groups, lists: known}
	mapper, err := mapperOf(surely, guessed)
	if err != nil {
		return nil, err
	}
	return &types{
		frozen:     frozen,
		known:      surely,
		guessed:    guessed,
		mapper:     mapper,
		categories: restmapper.NewDiscoveryCategoryExpander(frozen),
		failed:     failed,
	}, nil
}

// frozenDiscovery is a discovery client whose lists stay as they are. Errors
// are left out: what could be read is there.
type frozenDiscovery struct {
	discovery.CachedDiscoveryInterface
	groups []*metav1.APIGroup
	lists  []*metav1.APIResourceList
}

// ServerGroupsAndResources returns the lists as they were read.
func (f frozenDiscovery) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return f.groups, f.lists, nil
}

// inOrder copies the lists into the order of the groups and their versions. The
// order decides which of two short names wins, and not every discovery client
// keeps it. Types that cannot be listed are taken out of their categories: who
// asks for `all` asks for what can be listed.
func inOrder(groups []*metav1.APIGroup, lists []*metav1.APIResourceList) []*metav1.APIResourceList {
	byVersion := map[string]*metav1.APIResourceList{}
	for _, list := range lists {
		byVersion[list.GroupVersion] = list
	}
	ordered := []*metav1.APIResourceList{}
	for _, group := range groups {
		for _, version := range group.Versions {
			if list, ok := byVersion[version.GroupVersion]; ok {
				ordered = append(ordered, listableCategories(list))
			}
		}
	}
	return ordered
}

func listableCategories(list *metav1.APIResourceList) *metav1.APIResourceList {
	out := *list
	out.APIResources = slices.Clone(list.APIResources)
	for i := range out.APIResources {
		if !verbsOf(out.APIResources[i]).List {
			out.APIResources[i].Categories = nil
		}
	}
	return &out
}

// find returns what discovery says of a resource.
func (t *types) find(gvr schema.GroupVersionResource) (metav1.APIResource, bool) {
	for _, list := range t.frozen.lists {
		if list.GroupVersion != gvr.GroupVersion().String() {
			continue
		}
		for _, resource := range list.APIResources {
			if resource.Name == gvr.Resource {
				return resource, true
			}
		}
	}
	return metav1.APIResource{}, false
}

// isCategory says whether an argument stands for several types.
func (t *types) isCategory(name string) bool {
	_, ok := t.categories.Expand(name)
	return ok
}

// brokenGroups names the groups of which at least one version could not be
// read, sorted. A group without any version is one whose versions are all
// stale: the disk cache keeps no other trace of that.
func (t *types) brokenGroups() []string {
	var names []string
	for version := range t.failed {
		names = append(names, version.Group)
	}
	for _, group := range t.frozen.groups {
		if len(group.Versions) == 0 {
			names = append(names, group.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
