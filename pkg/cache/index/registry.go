package index

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// Registry knows every index: the built-in ones, and those that --index defines.
type Registry struct {
	user []userIndex
	// owners is what the index root asks; nil knows no object.
	owners Owners
}

// WithOwners returns the registry with an index root that follows these owners.
// Without any the chain ends at an object's own controller.
func (r *Registry) WithOwners(owners Owners) *Registry {
	return &Registry{user: r.user, owners: owners}
}

type userIndex struct {
	name string
	path *fieldpath.Path
}

// NewRegistry takes the values of --index: NAME=JSONPATH, the path in kubectl's
// relaxed form or in braces. A name that is no word, or is taken, is an error.
func NewRegistry(definitions []string) (*Registry, error) {
	r := &Registry{}
	for _, definition := range definitions {
		name, text, ok := strings.Cut(definition, "=")
		if !ok || text == "" {
			return nil, fmt.Errorf("invalid --index %q: expected NAME=JSONPATH", definition)
		}
		if err := r.checkName(name); err != nil {
			return nil, fmt.Errorf("invalid --index %q: %w", definition, err)
		}
		path, err := fieldpath.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("invalid --index %q: %w", definition, err)
		}
		r.user = append(r.user, userIndex{name: name, path: path})
	}
	return r, nil
}

func (r *Registry) checkName(name string) error {
	letters := func(c rune) bool {
		return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	if strings.TrimFunc(name, letters) != "" || name == "" {
		return fmt.Errorf("an index name is made of letters, digits, - and _")
	}
	if slices.Contains(builtinNames(), name) {
		return fmt.Errorf("%q is a built-in index; the built-in ones are %s", name, strings.Join(builtinNames(), ", "))
	}
	if slices.ContainsFunc(r.user, func(u userIndex) bool { return u.name == name }) {
		return fmt.Errorf("%q is defined twice", name)
	}
	return nil
}

// For returns the indexes that the type can have, by name. Field paths, of
// which there is no end, are not among them.
func (r *Registry) For(t cache.Target) []Definition {
	definitions := append(builtins(t), rootIndex(r.owners))
	for _, u := range r.user {
		definitions = append(definitions, onPath(u.name, u.path))
	}
	slices.SortFunc(definitions, func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
	return definitions
}

// Lookup returns the index that a NAME in --by or --count-by means for a type.
// With a dot in it, or { at its start, it is a field path, else an index name.
// The error for a name that the type does not have lists those it can have.
func (r *Registry) Lookup(t cache.Target, name string) (Definition, error) {
	if strings.HasPrefix(name, "{") || strings.Contains(name, ".") {
		path, err := fieldpath.Parse(name)
		if err != nil {
			return Definition{}, err
		}
		return onPath(path.String(), path), nil
	}
	for _, u := range r.user {
		if u.name == name {
			return onPath(u.name, u.path), nil
		}
	}
	if d, ok := builtin(t, name); ok {
		return d, nil
	}
	if name == rootName {
		return rootIndex(r.owners), nil
	}
	if name == cache.ContextIndex {
		return Definition{}, errors.New("the index context is one of objects of several clusters: it needs --contexts")
	}
	var names []string
	for _, d := range r.For(t) {
		names = append(names, d.Name)
	}
	return Definition{}, &NoIndexError{Type: t.Resource.GroupResource(), Name: name, has: names, path: somePath(t.Kind.Kind)}
}

// NoIndexError says that a type cannot have an index, which others may have.
type NoIndexError struct {
	Type schema.GroupResource
	Name string
	has  []string
	path string
}

// Error lists the indexes that the type has.
func (e *NoIndexError) Error() string {
	return fmt.Sprintf("%s has no index %q: it has %s; or give a field path such as %s",
		e.Type, e.Name, strings.Join(e.has, ", "), e.path)
}

// somePath is a field path that objects of the kind do have.
func somePath(kind string) string {
	switch kind {
	case "ConfigMap", "Secret":
		return ".data.key"
	case "Pod":
		return ".spec.nodeName"
	default:
		return ".metadata.generation"
	}
}

// onPath makes an index of a field path.
func onPath(name string, path *fieldpath.Path) Definition {
	d := Definition{
		Name: name, Reads: path.String(), Example: name + "=VALUE",
		Needs: path.Needs(), isPath: true,
		compute: func(v *view) []string { return valuesAt(path, v) },
	}
	if path.HoldsQuantities() {
		d.canonical = fieldpath.CanonicalQuantity
		d.compute = func(v *view) []string {
			values := valuesAt(path, v)
			for i := range values {
				values[i] = fieldpath.CanonicalQuantity(values[i])
			}
			return values
		}
	}
	return define(d)
}

// valuesAt are the scalars at a path.
func valuesAt(path *fieldpath.Path, v *view) []string {
	var values []string
	path.Texts(v.root(path), func(s string) { values = append(values, s) })
	return values
}
