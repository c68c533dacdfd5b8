package fieldpath

import (
	"reflect"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Tree is a set of paths that start alike, so that what they share is walked
// once. It walks nested maps and the structs of Kubernetes' API alike: a struct's
// members are those of its JSON.
type Tree struct {
	// ends marks the end of a path: all that is there is read.
	ends    bool
	each    *Tree
	members []member
}

type member struct {
	name string
	next *Tree
}

// each stands for every element of a list where a path's names are listed.
const each = ""

// everything is what is needed where all is read, or nobody can tell.
const everything = cache.Whole | cache.ManagedFields

// NewTree returns the tree of paths such as spec.containers[*].image: member
// names without a dot in them, and [*].
func NewTree(paths ...string) *Tree {
	t := &Tree{}
	for _, path := range paths {
		var steps []string
		for name := range strings.SplitSeq(path, ".") {
			name, list := strings.CutSuffix(name, "[*]")
			if steps = append(steps, name); list {
				steps = append(steps, each)
			}
		}
		t.Add(steps...)
	}
	return t
}

// Everything is the tree that reads whole objects.
func Everything() *Tree { return &Tree{ends: true} }

// Add adds the path of these member names; none are the whole object.
func (t *Tree) Add(names ...string) {
	for _, name := range names {
		t = t.child(name)
	}
	t.ends = true
}

func (t *Tree) child(name string) *Tree {
	if name == each {
		if t.each == nil {
			t.each = &Tree{}
		}
		return t.each
	}
	if next := t.member(name); next != nil {
		return next
	}
	next := &Tree{}
	t.members = append(t.members, member{name: name, next: next})
	return next
}

// member is what goes on from the member of that name; nil if nothing does.
func (t *Tree) member(name string) *Tree {
	for _, m := range t.members {
		if m.name == name {
			return m.next
		}
	}
	return nil
}

// Below is what is read of a member.
func (t *Tree) Below(name string) *Tree {
	if t.ReadsAll() {
		return t
	}
	if below := t.member(name); below != nil {
		return below
	}
	return &Tree{}
}

// ReadsAll says that no part of the object can be left out.
func (t *Tree) ReadsAll() bool { return t.ends || t.each != nil }

// Walk calls found for each value at the end of a path.
func (t *Tree) Walk(v reflect.Value, found func(reflect.Value)) {
	if t.ends {
		found(v)
	}
	if t.each != nil {
		list := concrete(v)
		for i := range elements(list) {
			t.each.Walk(list.Index(i), found)
		}
	}
	for _, m := range t.members {
		if child := Member(v, m.name); child.IsValid() {
			m.next.Walk(child, found)
		}
	}
}

// Project returns what is read of an object. The object is not changed, and what
// is read of it is shared.
func (t *Tree) Project(object map[string]any) map[string]any {
	if t.ReadsAll() {
		return object
	}
	part := make(map[string]any, len(t.members))
	for _, m := range t.members {
		value, there := object[m.name]
		if !there {
			continue
		}
		if inner, isObject := value.(map[string]any); isObject {
			value = m.next.Project(inner)
		}
		part[m.name] = value
	}
	return part
}

// Needs is the least representation that has all that is read of an object.
// managedFields are among it wherever metadata is read as a whole.
func (t *Tree) Needs() cache.Representation {
	if t.ReadsAll() {
		return everything
	}
	need := cache.Metadata
	for _, m := range t.members {
		switch m.name {
		case "apiVersion", "kind":
		case "metadata":
			need |= m.next.needsOfMetadata()
		default:
			need |= cache.Whole
		}
	}
	return need
}

func (t *Tree) needsOfMetadata() cache.Representation {
	if t.ReadsAll() {
		return everything
	}
	need := cache.Metadata
	for _, m := range t.members {
		switch m.name {
		case "name", "generateName", "namespace", "uid", "resourceVersion", "generation",
			"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
			"labels", "annotations", "ownerReferences", "finalizers":
		case "managedFields":
			need |= cache.ManagedFields
		default: // not a field that ObjectMeta keeps
			need |= cache.Whole
		}
	}
	return need
}

// ofManagedFields says whether a field is managedFields, or one that an entry has.
func ofManagedFields(field string) bool {
	switch field {
	case "managedFields", "manager", "operation", "apiVersion", "subresource", "time", "fieldsType", "fieldsV1":
		return true
	}
	return false
}
