package diff

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Options say what is reported.
type Options struct {
	// ShowSecrets shows the values of Secrets instead of masking them.
	ShowSecrets bool
	// AllChanges reports noise too: what changes all the time and means nothing.
	AllChanges bool
	// Named are names of fields that are no noise, since somebody asks for them.
	Named []string
}

// Diff is what changed between two states of one object.
type Diff struct {
	// Replaced means that the object was deleted and created again under the same
	// name: the two states have different uids.
	Replaced bool
	// Changes are sorted by path.
	Changes []Change
}

// Change is one field, or one item of a list, that is not what it was.
type Change struct {
	// Path is a JSONPath as kubectl's custom columns and --changed take it, such
	// as spec.containers[?(@.name=="web")].image. It leads to New in the new state;
	// where New is nil, to Old in the old state. Where no filter can tell the items
	// of a list apart, an index does, counted in the new list; that of a removed
	// item is counted in the old one.
	Path string `json:"path"`
	// Old and New are nil where the field is missing, and point to nil where it is
	// null. They may be shared with the cache: never change what they point to.
	Old *any `json:"old,omitempty"`
	New *any `json:"new,omitempty"`
	// Manager is who has changed it, where managedFields tell; else empty.
	Manager string `json:"manager,omitempty"`

	// label is the path as people read it.
	label string
	// masked says that Old and New stand for values that are not shown.
	masked bool
	// keys are set where only the order of a list's items changed: the fields that
	// name the items.
	keys []string
}

// Object is the change as nested maps, with the members that its JSON has.
func (c Change) Object() map[string]any {
	object := map[string]any{"path": c.Path}
	if c.Old != nil {
		object["old"] = *c.Old
	}
	if c.New != nil {
		object["new"] = *c.New
	}
	if c.Manager != "" {
		object["manager"] = c.Manager
	}
	return object
}

// Empty says that nothing changed.
func (d Diff) Empty() bool { return !d.Replaced && len(d.Changes) == 0 }

// Between returns what changed from old to now. Where either is nil there is
// nothing to compare and nothing changed. Where either has no whole object, the
// metadata of both are compared. An error means a row whose body cannot be read.
func Between(old, now *cache.Row, o Options) (Diff, error) {
	if old == nil || now == nil {
		return Diff{}, nil
	}
	whole := old.Body != nil && now.Body != nil
	before, err := content(old, whole)
	if err != nil {
		return Diff{}, err
	}
	after, err := content(now, whole)
	if err != nil {
		return Diff{}, err
	}
	c := newComparison(now.GroupVersionKind(), o)
	c.between(before, after)
	slices.SortStableFunc(c.changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return Diff{
		Replaced: old.UID != now.UID && old.UID != "" && now.UID != "",
		Changes:  c.changes,
	}, nil
}

// content is the row's object, or its metadata alone.
func content(row *cache.Row, whole bool) (map[string]any, error) {
	if !whole {
		row = &cache.Row{TypeMeta: row.TypeMeta, ObjectMeta: row.ObjectMeta}
	}
	object, err := row.Unstructured()
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", row.Kind, row.Name, err)
	}
	return object.Object, nil
}
