package index

import (
	"reflect"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// source is one way in which objects of a type give values to a built-in index.
type source struct {
	// reads names it for users.
	reads  string
	needs  cache.Representation
	values func(v *view, found func(string))
	// references gives each value with the namespace that stands beside it, which may
	// be empty; nil where none does, and names are of the object's own namespace.
	references func(v *view, found func(namespace, name string))
}

// fromSources makes an index of all ways in which a type gives it values. Empty
// strings are no values: they name nothing.
func fromSources(name, example string, sources []source) Definition {
	d := Definition{Name: name, Example: example}
	var reads []string
	for _, s := range sources {
		d.Needs |= s.needs
		reads = append(reads, s.reads)
	}
	d.Reads = strings.Join(reads, "; ")
	d.compute = func(v *view) []string {
		var values []string
		for _, s := range sources {
			s.values(v, func(value string) {
				if value != "" {
					values = append(values, value)
				}
			})
		}
		return values
	}
	return define(d)
}

// at reads the scalars at paths such as "spec.containers[*].image": member names
// joined by dots, and [*] for the elements of a list.
func at(paths ...string) source {
	found := nodes(paths...)
	return source{reads: pathNames(paths), needs: found.needs, values: func(v *view, value func(string)) {
		found.walk(v, func(node reflect.Value) { fieldpath.Texts(node, value) })
	}}
}

// namedAt reads the name in each reference to an object of that kind.
func namedAt(kind string, paths ...string) source {
	found := nodes(paths...)
	reads := pathNames(paths) + " where it names a " + kind
	return references(source{reads: reads, needs: found.needs}, func(v *view, value func(namespace, name string)) {
		found.walk(v, func(node reflect.Value) {
			if memberText(node, "kind") == kind {
				value(memberText(node, "namespace"), memberText(node, "name"))
			}
		})
	})
}

// referencesAt reads references that have a member for the namespace beside that
// for the name.
func referencesAt(namespace, name string, paths ...string) source {
	found := nodes(paths...)
	members := make([]string, len(paths))
	for i, path := range paths {
		members[i] = path + "." + name
	}
	return references(source{reads: pathNames(members), needs: found.needs}, func(v *view, value func(namespace, name string)) {
		found.walk(v, func(node reflect.Value) { value(memberText(node, namespace), memberText(node, name)) })
	})
}

// references completes a source that knows the namespaces of what it names.
func references(s source, found func(v *view, value func(namespace, name string))) source {
	s.references = found
	s.values = func(v *view, value func(string)) {
		found(v, func(_, name string) { value(name) })
	}
	return s
}

// place is where to walk, and what must be there to walk on.
type place struct {
	needs cache.Representation
	paths *fieldpath.Tree
}

func nodes(paths ...string) *place {
	tree := fieldpath.NewTree(paths...)
	return &place{needs: tree.Needs(), paths: tree}
}

func (p *place) walk(v *view, found func(reflect.Value)) {
	root := reflect.ValueOf(v.metadata())
	if p.needs.Has(cache.Whole) {
		root = v.whole()
	}
	p.paths.Walk(root, found)
}

func pathNames(paths []string) string { return "." + strings.Join(paths, ", .") }

// under puts a prefix before each path.
func under(prefix string, paths ...string) []string {
	full := make([]string, len(paths))
	for i, path := range paths {
		full[i] = prefix + "." + path
	}
	return full
}

func memberText(v reflect.Value, name string) string {
	s, _ := fieldpath.Text(fieldpath.Member(v, name))
	return s
}
