package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// completeArguments completes TYPE, or a list of them, and then NAMEs; or
// TYPE/NAME, and then more of these.
func (f *resourceFlags) completeArguments(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	slash := strings.Contains(typed, "/") || len(args) > 0 && strings.Contains(args[0], "/")
	switch {
	case f.request.AllNamespaces && (slash || len(args) > 0):
		// The server gets no object by its name in all namespaces.
		return offer(typed, nil, 0)
	case slash:
		return f.offerObjects(cmd.Context(), "", typed, args)
	case len(args) == 0:
		return f.completeTypes(cmd, args, typed)
	}
	names, err := f.names(cmd.Context(), args[0], f.request.Namespaces)
	if err != nil {
		return offerNothing(err)
	}
	return offer(typed, without(names, args[1:]), 0)
}

// completeTypes completes TYPE, or a list of them, and nothing after it.
func (f *resourceFlags) completeTypes(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return offer(typed, nil, 0)
	}
	lists, err := f.connection.types(cmd.Context())
	if err != nil {
		return offerNothing(err)
	}
	word := typed[strings.LastIndexByte(typed, ',')+1:]
	return offer(typed, inList(typed, typeWords(lists, word)), 0)
}

// completeNamespaces completes -n, which holds a list.
func (f *resourceFlags) completeNamespaces(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, err := f.names(cmd.Context(), "namespaces", nil)
	if err != nil {
		return offerNothing(err)
	}
	return offer(typed, inList(typed, names), 0)
}

// offerObjects completes TYPE/NAME behind a prefix: first TYPE with its slash,
// then NAME.
func (f *resourceFlags) offerObjects(ctx context.Context, prefix, typed string, given []string) ([]string, cobra.ShellCompDirective) {
	resource, _, named := strings.Cut(typed[len(prefix):], "/")
	if named {
		names, err := f.names(ctx, resource, f.request.Namespaces)
		if err != nil {
			return offerNothing(err)
		}
		return offer(typed, without(affix(prefix+resource+"/", names, ""), given), 0)
	}
	lists, err := f.connection.types(ctx)
	if err != nil {
		return offerNothing(err)
	}
	return offer(typed, affix(prefix, typeWords(lists, resource), "/"), cobra.ShellCompDirectiveNoSpace)
}

// names returns the names of the objects of a type, or of several in a list.
func (f *resourceFlags) names(ctx context.Context, types string, namespaces []string) ([]string, error) {
	counts, err := f.indexed(ctx, resolve.Request{Args: []string{types}, Namespaces: namespaces}, "name")
	names := make([]string, len(counts))
	for n, count := range counts {
		names[n] = count.Value
	}
	return names, err
}

// types returns what discovery says, from kubectl's cache if it can: the types in
// their preferred versions, in the order in which a name is looked up.
func (c *connection) types(ctx context.Context) ([]*metav1.APIResourceList, error) {
	var getter genericclioptions.RESTClientGetter = c.getter()
	if c.dump != nil {
		saved, err := c.dump.open(ctx)
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

// typeWords returns the words that continue what is typed and that stand for
// types that can be listed: plurals and categories. A plural that an earlier group
// has too comes with its group; and so do all once there is a dot. Where nothing
// continues it the typed word itself may stand for a type: a short name does.
func typeWords(lists []*metav1.APIResourceList, typed string) []string {
	var words, synonyms []string
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") {
				continue
			}
			if word := resource.Name; !strings.Contains(typed, ".") && !slices.Contains(words, word) {
				words = append(words, word)
			} else if version.Group != "" {
				words = append(words, word+"."+version.Group)
			}
			words = append(words, resource.Categories...)
			synonyms = append(append(synonyms, resource.SingularName), resource.ShortNames...)
		}
	}
	slices.Sort(words)
	words = slices.DeleteFunc(slices.Compact(words), func(word string) bool { return !strings.HasPrefix(word, typed) })
	if len(words) == 0 && slices.Contains(synonyms, typed) {
		return []string{typed}
	}
	return words
}

// affix puts text before and after each word.
func affix(before string, words []string, after string) []string {
	affixed := make([]string, len(words))
	for n, word := range words {
		affixed[n] = before + word + after
	}
	return affixed
}

// without leaves out the words that are given already.
func without(words, given []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return slices.Contains(given, word) })
}
