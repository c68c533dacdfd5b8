package index

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// IsUsed says whether objects of a kind are ones that others name, so that it can be
// asked who uses them.
func IsUsed(kind schema.GroupKind) bool {
	_, ok := nameIndexOf(kind)
	return ok
}

// NotUsedError says that it cannot be asked who uses objects of a type.
type NotUsedError struct{ Type schema.GroupResource }

// Error names the types of which it can.
func (e *NotUsedError) Error() string {
	return fmt.Sprintf("it is not known who uses %s: that can be asked of configmaps, nodes, persistentvolumeclaims, secrets and serviceaccounts", e.Type)
}

// Uses is the index of what objects of the type user name among those of the type
// used: it reads what the index about these reads. Its values are those of UseKey.
func Uses(user, used cache.Target) (Definition, error) {
	name, ok := nameIndexOf(used.Kind.GroupKind())
	if !ok {
		return Definition{}, &NotUsedError{used.Resource.GroupResource()}
	}
	sources := namingSources(name, user.Kind.GroupKind())
	if name == "serviceaccount" {
		sources = append(sources, defaultAccount(user.Kind.GroupKind())...)
	}
	if len(sources) == 0 {
		return Definition{}, fmt.Errorf("%s do not name %s", user.Resource.GroupResource(), used.Resource.GroupResource())
	}
	d := Definition{Name: "uses " + name, broad: true}
	var reads []string
	for _, s := range sources {
		if used.Namespaced && !user.Namespaced && s.references == nil {
			return Definition{}, fmt.Errorf("%s are in no namespace: it is not known which namespace's %s they name",
				user.Resource.GroupResource(), used.Resource.GroupResource())
		}
		d.Needs |= s.needs
		reads = append(reads, s.reads)
	}
	d.Reads = strings.Join(reads, "; ")
	d.compute = func(v *view) []string { return usesIn(v, sources, used.Namespaced) }
	return define(d), nil
}

// UseKey is the indexed value of an object that others name: NAMESPACE/NAME.
func UseKey(namespace, name string) string { return namespace + "/" + name }

func usesIn(v *view, sources []source, namespaced bool) []string {
	var keys []string
	found := func(namespace, name string) {
		switch {
		case name == "":
			return
		case !namespaced:
			namespace = ""
		case namespace == "":
			namespace = v.row.Namespace
		}
		keys = append(keys, UseKey(namespace, name))
	}
	for _, s := range sources {
		if s.references != nil {
			s.references(v, found)
			continue
		}
		s.values(v, func(name string) { found("", name) })
	}
	return keys
}

// defaultAccount names the ServiceAccount that pods of a template get which names
// none. In a pod it is written out.
func defaultAccount(kind schema.GroupKind) []source {
	path, ok := podSpecOf(kind)
	if !ok || kind == (schema.GroupKind{Kind: "Pod"}) {
		return nil
	}
	specs := nodes(path)
	return []source{{
		reads: "default where it names none", needs: cache.Whole,
		values: func(v *view, value func(string)) {
			specs.walk(v, func(spec reflect.Value) {
				if memberText(spec, "serviceAccountName") == "" && memberText(spec, "serviceAccount") == "" {
					value("default")
				}
			})
		},
	}}
}
