package completion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// Source is what knows the words: a cluster, or what was saved of one, and the flags
// of the command that is completed.
type Source interface {
	// Request is what the flags ask for, without arguments.
	Request() resolve.Request
	// Types are what discovery says, in the order in which a name is looked up.
	Types(ctx context.Context) ([]*metav1.APIResourceList, error)
	// Targets are what a request asks for.
	Targets(ctx context.Context, request resolve.Request) ([]cache.Target, error)
	// Registry has all indexes.
	Registry() (*index.Registry, error)
	// Counts are the values of an index, most first, and how many objects of a
	// request have each: of those that were listed when the context ended.
	Counts(ctx context.Context, request resolve.Request, index string) ([]printers.Count, error)
	// Holders are the names of the objects of a request that have a value in an index,
	// in order: of those that were listed when the context ended.
	Holders(ctx context.Context, request resolve.Request, index string) ([]string, error)
	// OpenAPI is the OpenAPI v3 document of a group version.
	OpenAPI(ctx context.Context, version schema.GroupVersion) (map[string]any, error)
}

// Resources completes the arguments and flags of a command that takes resources.
type Resources struct{ Source Source }

// Arguments completes TYPE, or a list of them, and then NAMEs; or
// TYPE/NAME, and then more of these.
func (r Resources) Arguments(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	slash := strings.Contains(typed, "/") || len(args) > 0 && strings.Contains(args[0], "/")
	switch {
	case r.Source.Request().AllNamespaces && (slash || len(args) > 0):
		// The server gets no object by its name in all namespaces.
		return matching(typed, nil, 0)
	case slash:
		return r.objects(cmd.Context(), "", typed, args)
	case len(args) == 0:
		return r.Types(cmd, args, typed)
	}
	names, err := r.names(cmd.Context(), args[0], r.Source.Request().Namespaces)
	if err != nil {
		return nothing(err)
	}
	return matching(typed, without(names, args[1:]), 0)
}

// Types completes TYPE, or a list of them, and nothing after it.
func (r Resources) Types(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return matching(typed, nil, 0)
	}
	return r.TypesAnd()(cmd, args, typed)
}

// TypesAnd completes a list of TYPEs that is the value of a flag, in which some words
// may stand besides.
func (r Resources) TypesAnd(words ...string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		lists, err := r.Source.Types(cmd.Context())
		if err != nil {
			return nothing(err)
		}
		word := typed[strings.LastIndexByte(typed, ',')+1:]
		return matching(typed, inList(typed, slices.Concat(typeWords(lists, word), words)), 0)
	}
}

// Namespaces completes -n, which holds a list.
func (r Resources) Namespaces(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, err := r.names(cmd.Context(), "namespaces", nil)
	if err != nil {
		return nothing(err)
	}
	return matching(typed, inList(typed, names), 0)
}

// objects completes TYPE/NAME behind a prefix: first TYPE with its slash,
// then NAME.
func (r Resources) objects(ctx context.Context, prefix, typed string, given []string) ([]string, cobra.ShellCompDirective) {
	resource, _, named := strings.Cut(typed[len(prefix):], "/")
	if named {
		names, err := r.names(ctx, resource, r.Source.Request().Namespaces)
		if err != nil {
			return nothing(err)
		}
		return matching(typed, without(affix(prefix+resource+"/", names, ""), given), 0)
	}
	lists, err := r.Source.Types(ctx)
	if err != nil {
		return nothing(err)
	}
	return matching(typed, affix(prefix, typeWords(lists, resource), "/"), cobra.ShellCompDirectiveNoSpace)
}

// names returns the names of the objects of a type, or of several in a list.
func (r Resources) names(ctx context.Context, types string, namespaces []string) ([]string, error) {
	return r.values(ctx, resolve.Request{Args: []string{types}, Namespaces: namespaces}, "name")
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

// By completes the NAME= of --by, then the values that the objects asked
// for have in that index, most first, or the object that @ refers to.
func (r Resources) By(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	name, operator, value := cutBy(typed)
	switch {
	case operator == "" && strings.HasSuffix(typed, "!"):
		return r.indexes(cmd.Context(), args, typed, "!=")
	case operator == "":
		return r.indexesOrFields(cmd.Context(), args, typed, "=")
	case strings.HasPrefix(value, "@") && !strings.HasPrefix(value, "@@"):
		return r.reference(cmd.Context(), name, name+operator+"@", typed)
	}
	request := r.Source.Request()
	request.Args = args
	counts, err := r.Source.Counts(cmd.Context(), request, name)
	if err != nil {
		return nothing(err)
	}
	words := make([]string, len(counts))
	for n, count := range counts {
		words[n] = cobra.CompletionWithDesc(spellBy(name, operator, count.Value), objectCount(count.Count))
	}
	return matching(typed, words, cobra.ShellCompDirectiveKeepOrder)
}

// reference completes the object that @ refers to: of a type that can have the index,
// one that has a value in it.
func (r Resources) reference(ctx context.Context, index, prefix, typed string) ([]string, cobra.ShellCompDirective) {
	resource, name, named := strings.Cut(typed[len(prefix):], "/")
	if !named {
		return r.typesWith(ctx, index, prefix, typed)
	}
	request := resolve.Request{Args: []string{resource}, Namespaces: r.Source.Request().Namespaces}
	prefix += resource + "/"
	if namespace, _, given := strings.Cut(name, "/"); given {
		request.Namespaces = []string{namespace}
		prefix += namespace + "/"
	}
	names, err := r.Source.Holders(ctx, request, index)
	if err != nil {
		return nothing(err)
	}
	return matching(typed, affix(prefix, names, ""), 0)
}

// typesWith completes the TYPE/ of an object that @ refers to.
func (r Resources) typesWith(ctx context.Context, index, prefix, typed string) ([]string, cobra.ShellCompDirective) {
	registry, err := r.Source.Registry()
	if err != nil {
		return nothing(err)
	}
	lists, err := r.Source.Types(ctx)
	if err != nil {
		return nothing(err)
	}
	var having []*metav1.APIResourceList
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		some := &metav1.APIResourceList{GroupVersion: list.GroupVersion}
		for _, resource := range list.APIResources {
			target := cache.Target{Resource: version.WithResource(resource.Name), Kind: version.WithKind(resource.Kind), Namespaced: resource.Namespaced}
			if _, err := registry.Lookup(target, index); err == nil {
				resource.Categories = nil // several types are no object's
				some.APIResources = append(some.APIResources, resource)
			}
		}
		having = append(having, some)
	}
	return matching(typed, affix(prefix, typeWords(having, typed[len(prefix):]), "/"), cobra.ShellCompDirectiveNoSpace)
}

// cutBy cuts what is typed of a --by. Without an operator it is all name.
func cutBy(typed string) (name, operator, value string) {
	for end, character := range typed {
		if character != '=' {
			continue
		}
		// The first one that makes it an expression is not within a path.
		if _, err := index.ParseQuery([]string{typed[:end+1]}); err == nil {
			name, not := strings.CutSuffix(typed[:end], "!")
			if not {
				return name, "!=", typed[end+1:]
			}
			value, doubled := strings.CutPrefix(typed[end+1:], "=")
			if doubled {
				return name, "==", value
			}
			return name, "=", value
		}
	}
	return typed, "", ""
}

// spellBy writes a --by that means the value, whatever it begins with.
func spellBy(name, operator, value string) string {
	switch {
	case strings.HasPrefix(value, "@"):
		value = "@" + value
	case strings.HasPrefix(value, "=") && operator == "=":
		operator = "=="
	}
	return name + operator + value
}

func objectCount(count int) string {
	if count == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", count)
}

// IndexName completes the name of an index.
func (r Resources) IndexName(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	end := strings.LastIndexByte(typed, ',') + 1
	words, how := r.indexesOrFields(cmd.Context(), args, typed[end:], "")
	return affix(typed[:end], words, ""), how
}

// indexesOrFields completes the name of an index, or where there is no such index a
// field path.
func (r Resources) indexesOrFields(ctx context.Context, args []string, typed, after string) ([]string, cobra.ShellCompDirective) {
	words, how := r.indexes(ctx, args, typed, after)
	if len(words) > 0 || typed == "" {
		return words, how
	}
	return r.fields(ctx, args, "", typed, after)
}

// indexes completes the name of an index that all types asked for can have,
// and what follows it.
func (r Resources) indexes(ctx context.Context, args []string, typed, after string) ([]string, cobra.ShellCompDirective) {
	registry, err := r.Source.Registry()
	if err != nil {
		return nothing(err)
	}
	request := r.Source.Request()
	request.Args = args
	targets, err := r.Source.Targets(ctx, request)
	if err != nil {
		return nothing(err)
	}
	types := map[string]int{}
	var words []string
	for _, target := range targets {
		for _, definition := range registry.For(target) {
			if types[definition.Name]++; types[definition.Name] == len(targets) {
				words = append(words, cobra.CompletionWithDesc(definition.Name+after, definition.Reads))
			}
		}
	}
	if after == "" {
		return matching(typed, words, 0)
	}
	return matching(typed, words, cobra.ShellCompDirectiveNoSpace)
}
