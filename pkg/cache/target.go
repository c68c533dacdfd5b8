package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Verbs are the verbs, of those we ever use, that discovery lists for a type.
type Verbs struct {
	Get, List, Watch bool
}

// Target is what one informer watches: one resource, in one namespace or in
// all of them, narrowed by what the server itself selects. It is comparable,
// so that it can be a map's key.
type Target struct {
	// Context is that of the kubeconfig by which the cluster is reached, where several
	// are asked; empty where there is one alone.
	Context string
	// Resource is the path the server is asked for, Kind what it answers with.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind
	// Namespaced is the type's scope, from discovery.
	Namespaced bool
	// Namespace is empty for all namespaces and for cluster-scoped types.
	Namespace string
	// Name, where set, asks for one object only.
	Name string
	// Subresource, where set, is what of the one object is read: it is got, not
	// listed, and cannot be watched.
	Subresource string
	// LabelSelector and FieldSelector go to the server as they are. They do not
	// hold Name: a ListerWatcher adds metadata.name=Name itself.
	LabelSelector string
	FieldSelector string
	// Shard is the part of the objects that is wanted; a server may select by it.
	Shard Shard
	// Verbs are what the server can do with the type, not what a user may do.
	Verbs Verbs
}

// String names the target in an error or a notice, as kubectl would:
// `pods`, `deployments.apps "web" in namespace "prod"`; of several clusters with its own:
// `pods in context "west"`.
func (t Target) String() string {
	s := t.Resource.GroupResource().String()
	if t.Name != "" {
		s += fmt.Sprintf(" %q", t.Name)
	}
	if t.Namespace != "" {
		s += fmt.Sprintf(" in namespace %q", t.Namespace)
	}
	return s + t.InContext()
}

// Type names the target's type in a notice that is about all that has it: `pods`,
// `deployments.apps`; of several clusters with its own: `pods in context "west"`.
func (t Target) Type() string { return t.Resource.GroupResource().String() + t.InContext() }

// TableResource is what objects have in common that are shown in one table: their
// resource, of several clusters in whichever version each prefers.
func (t Target) TableResource() schema.GroupVersionResource {
	if t.Context == "" {
		return t.Resource
	}
	return t.Resource.GroupResource().WithVersion("")
}

// TableKind is the kind of such objects.
func (t Target) TableKind() schema.GroupVersionKind {
	if t.Context == "" {
		return t.Kind
	}
	return t.Kind.GroupKind().WithVersion("")
}

// InContext says in which of several clusters the target is; it is empty where there is
// one alone.
func (t Target) InContext() string {
	if t.Context == "" {
		return ""
	}
	return fmt.Sprintf(" in context %q", t.Context)
}

// AllNamespaces says whether the target spans the namespaces of a namespaced type.
func (t Target) AllNamespaces() bool {
	return t.Namespaced && t.Namespace == ""
}
