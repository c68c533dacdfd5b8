package completion

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Fields completes a field path, after what a path may begin with: - for descending
// order, and the brace and the full stop of a JSONPath expression.
func (r Resources) Fields(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return r.fields(cmd.Context(), args, "", typed, "")
}

// fields completes a path that stands behind a prefix. after follows a path to a value.
func (r Resources) fields(ctx context.Context, args []string, prefix, typed, after string) ([]string, cobra.ShellCompDirective) {
	path := strings.TrimLeft(typed[len(prefix):], "-{.")
	prefix = typed[:len(typed)-len(path)]
	request := r.Source.Request()
	request.Args = args
	targets, err := r.Source.Targets(ctx, request)
	if err != nil {
		return nothing(err)
	}
	var kinds []schema.GroupVersionKind
	for _, target := range targets {
		if !slices.Contains(kinds, target.Kind) {
			kinds = append(kinds, target.Kind)
		}
	}
	var words []string
	for n, kind := range kinds {
		document, err := r.Source.OpenAPI(ctx, kind.GroupVersion())
		if err != nil {
			return nothing(err)
		}
		found := newSchemas(document).continuations(kind, path, after)
		if n == 0 {
			words = found
		}
		words = slices.DeleteFunc(words, func(word string) bool { return !slices.Contains(found, word) })
	}
	how := cobra.ShellCompDirectiveNoFileComp
	if slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(word, ".") || after != "" }) {
		how |= cobra.ShellCompDirectiveNoSpace
	}
	return affix(prefix, words, ""), how
}

// schemas are those of one group version, by the names by which they refer to each other.
type schemas map[string]any

// newSchemas finds the schemas in an OpenAPI v3 document.
func newSchemas(document map[string]any) schemas {
	components, _ := document["components"].(map[string]any)
	found, _ := components["schemas"].(map[string]any)
	return found
}

// continuations are the paths that continue one by the name of a field, and by what
// leads to the fields below that.
func (s schemas) continuations(kind schema.GroupVersionKind, path, after string) []string {
	steps := steps(path)
	last := steps[len(steps)-1]
	at := s.ofKind(kind)
	for _, step := range steps[:len(steps)-1] {
		at = s.below(at, step)
	}
	properties, _ := at["properties"].(map[string]any)
	var words []string
	for name, property := range properties {
		// A name comes from the cluster: nothing that a shell would run is put into a line.
		if strings.HasPrefix(name, last) && shellSafe(name) {
			words = append(words, path[:len(path)-len(last)]+name+s.leading(property, after))
		}
	}
	slices.Sort(words)
	return words
}

// ofKind is the schema of a kind; nil if there is none.
func (s schemas) ofKind(kind schema.GroupVersionKind) map[string]any {
	for _, one := range s {
		described, _ := one.(map[string]any)
		kinds, _ := described["x-kubernetes-group-version-kind"].([]any)
		for _, described := range kinds {
			gvk, _ := described.(map[string]any)
			if gvk["group"] == kind.Group && gvk["version"] == kind.Version && gvk["kind"] == kind.Kind {
				return s.resolved(one)
			}
		}
	}
	return nil
}

// resolved follows references; a schema that only refers to another is wrapped in allOf
// where it has a description of its own.
func (s schemas) resolved(of any) map[string]any {
	const mostReferences = 8 // a schema that refers to itself has no end
	for range mostReferences {
		described, _ := of.(map[string]any)
		all, _ := described["allOf"].([]any)
		reference, refers := described["$ref"].(string)
		switch {
		case refers:
			of = s[reference[strings.LastIndexByte(reference, '/')+1:]]
		case len(all) > 0:
			of = all[0]
		default:
			return described
		}
	}
	return nil
}

// below is the schema of what a step of a path leads to; nil if it leads nowhere.
func (s schemas) below(at map[string]any, step string) map[string]any {
	name, _, element := strings.Cut(step, "[")
	properties, _ := at["properties"].(map[string]any)
	next, known := properties[name]
	if !known {
		next = at["additionalProperties"]
	}
	found := s.resolved(next)
	if items, isArray := found["items"]; isArray == element {
		if isArray {
			return s.resolved(items)
		}
		return found
	}
	return nil
}

// leading is what follows the name of a field: what leads on to the fields below it,
// or what ends a path.
func (s schemas) leading(property any, after string) string {
	described := s.resolved(property)
	elements := ""
	for items, isArray := described["items"]; isArray; items, isArray = described["items"] {
		elements += "[*]"
		described = s.resolved(items)
	}
	if described["type"] == "object" || described["properties"] != nil {
		return elements + "."
	}
	return elements + after
}

// steps splits a path at the full stops that are in no brackets and not escaped. The
// last step is the one that is being typed.
func steps(path string) (all []string) {
	depth, start := 0, 0
	for at := 0; at < len(path); at++ {
		switch path[at] {
		case '\\':
			at++
		case '[':
			depth++
		case ']':
			depth--
		case '.':
			if depth == 0 {
				all = append(all, path[start:at])
				start = at + 1
			}
		}
	}
	return append(all, path[start:])
}
