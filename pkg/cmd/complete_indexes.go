package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// completeBy completes the NAME= of --by, then the values that the objects asked
// for have in that index, most first, or the object that @ refers to.
func (f *resourceFlags) completeBy(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	name, operator, value := cutBy(typed)
	switch {
	case operator == "" && strings.HasSuffix(typed, "!"):
		return f.offerIndexes(cmd.Context(), args, typed, "!=")
	case operator == "":
		return f.offerIndexes(cmd.Context(), args, typed, "=")
	case strings.HasPrefix(value, "@") && !strings.HasPrefix(value, "@@"):
		return f.offerObjects(cmd.Context(), name+operator+"@", typed, nil)
	}
	request := f.request
	request.Args = args
	counts, err := f.indexed(cmd.Context(), request, name)
	if err != nil {
		return offerNothing(err)
	}
	words := make([]string, len(counts))
	for n, count := range counts {
		words[n] = cobra.CompletionWithDesc(spellBy(name, operator, count.Value), objectCount(count.Count))
	}
	return offer(typed, words, cobra.ShellCompDirectiveKeepOrder)
}

// cutBy cuts what is typed of a --by. Without an operator it is all name.
func cutBy(typed string) (name, operator, value string) {
	for end, sign := range typed {
		if sign != '=' {
			continue
		}
		// The first sign that makes it an expression is not within a path.
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

// completeIndexName completes the name of an index.
func (f *resourceFlags) completeIndexName(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return f.offerIndexes(cmd.Context(), args, typed, "")
}

// offerIndexes completes the name of an index that all types asked for can have,
// and what follows it.
func (f *resourceFlags) offerIndexes(ctx context.Context, args []string, typed, after string) ([]string, cobra.ShellCompDirective) {
	registry, err := f.registry()
	if err != nil {
		return offerNothing(err)
	}
	request := f.request
	request.Args = args
	resolved, err := f.connection.resolver().Resolve(ctx, request)
	if err != nil {
		return offerNothing(err)
	}
	types := map[string]int{}
	var words []string
	for _, target := range resolved.Targets {
		for _, definition := range registry.For(target) {
			if types[definition.Name]++; types[definition.Name] == len(resolved.Targets) {
				words = append(words, cobra.CompletionWithDesc(definition.Name+after, definition.Reads))
			}
		}
	}
	if after == "" {
		return offer(typed, words, 0)
	}
	return offer(typed, words, cobra.ShellCompDirectiveNoSpace)
}

// registry is of the indexes that --index defines too. cobra has read the flags
// twice by now: each definition is there two times.
func (f *resourceFlags) registry() (*index.Registry, error) {
	return index.NewRegistry(slices.Compact(slices.Sorted(slices.Values(f.indexes))))
}

// indexed returns what the objects of a request have in an index, as list
// --count-by does, most first: of those that were listed when the context ended.
func (f *resourceFlags) indexed(ctx context.Context, request resolve.Request, name string) ([]printers.Count, error) {
	definitions, specs, err := f.planIndex(ctx, request, name)
	if err != nil {
		return nil, err
	}
	group, err := informer.Start(ctx, specs, informer.Options{Events: informer.NewQueue(0)})
	if err != nil {
		return nil, err
	}
	defer group.Stop()
	_ = group.WaitSettled(ctx) // which have is seen below
	values := map[string]int{}
	for n, i := range group.Informers() {
		if !i.Synced() {
			continue
		}
		for _, count := range index.Counts(i.Indexer(), definitions[n]) {
			values[count.Value] += count.Objects
		}
	}
	if len(values) == 0 {
		return nil, joinFailures(group.Failures())
	}
	return mostFirst(values), nil
}

// planIndex plans an informer that keeps an index for each Target of a request.
func (f *resourceFlags) planIndex(ctx context.Context, request resolve.Request, name string) ([]index.Definition, []informer.Spec, error) {
	registry, err := f.registry()
	if err != nil {
		return nil, nil, err
	}
	client, err := f.connection.client()
	if err != nil {
		return nil, nil, err
	}
	resolved, err := f.connection.resolver().Resolve(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	definitions := make([]index.Definition, len(resolved.Targets))
	specs := make([]informer.Spec, len(resolved.Targets))
	for n, target := range resolved.Targets {
		definition, err := registry.Lookup(target, name)
		if err != nil {
			return nil, nil, err
		}
		need := plan.Need{Reader: "completion", Indexes: []index.Definition{definition}}
		definitions[n] = definition
		if specs[n], err = specFor(plan.For(target, false, need), client, f.pageSize); err != nil {
			return nil, nil, err
		}
	}
	return definitions, specs, nil
}
