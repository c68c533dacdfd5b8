package diff

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	merge "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// value is one side of a field: null is present, with nil content.
type value struct {
	content any
	present bool
}

// comparison walks two states of one object side by side.
type comparison struct {
	options Options
	types   types
	// lease says that the object is one.
	lease bool
	// secret says that the object is a Secret whose values are masked; values are
	// those of both states.
	secret bool
	values display.SecretValues
	// path leads to where the walk is.
	path     path
	changes  []Change
	managers *managers
}

func newComparison(kind schema.GroupVersionKind, o Options) *comparison {
	return &comparison{
		options: o,
		types:   typesOf(kind),
		secret:  display.IsSecret(kind) && !o.ShowSecrets,
		lease:   kind.Group == "coordination.k8s.io",
	}
}

// between compares two states of the object as a whole.
func (c *comparison) between(old, now map[string]any) {
	if c.secret {
		c.values = display.SecretValuesOf(old, now)
	}
	c.managers = newManagers(old, now)
	c.compare(value{old, true}, value{now, true}, c.types.root)
}

// compare notes what changed at the path and below it.
func (c *comparison) compare(old, now value, ref merge.TypeRef) {
	if !c.options.AllChanges && c.isNoise(old, now) {
		return
	}
	if a, b, ok := sides[map[string]any](old, now); ok && c.canDescend(a, b) {
		c.compareMaps(a, b, ref)
		return
	}
	if old.present == now.present && equal(old.content, now.content) {
		return
	}
	if a, b, ok := sides[[]any](old, now); ok {
		if a, b, ok := mapItems(a, b); ok {
			c.compareLists(a, b, old, now, ref)
			return
		}
	}
	c.note(old, now)
}

func (c *comparison) compareMaps(old, now map[string]any, ref merge.TypeRef) {
	for key, content := range old {
		after, present := now[key]
		c.compareField(key, value{content, true}, value{after, present}, ref)
	}
	for key, content := range now {
		if _, present := old[key]; !present {
			c.compareField(key, value{}, value{content, true}, ref)
		}
	}
}

func (c *comparison) compareField(key string, old, now value, ref merge.TypeRef) {
	c.path = append(c.path, step{key: key})
	c.compare(old, now, c.types.field(ref, key))
	c.path = c.path[:len(c.path)-1]
}

// compareLists compares lists of maps. An item that one side has alone is reported
// as a whole.
func (c *comparison) compareLists(a, b []map[string]any, old, now value, ref merge.TypeRef) {
	itemType, keys := c.types.items(ref)
	m := matchItems(a, b, keys)
	for _, pair := range m.pairs {
		c.path = append(c.path, step{item: pair.item})
		if pair.old.present && pair.now.present {
			c.compare(pair.old, pair.now, itemType)
		} else {
			c.note(pair.old, pair.now)
		}
		c.path = c.path[:len(c.path)-1]
	}
	if m.reordered {
		c.note(old, now)
		c.changes[len(c.changes)-1].keys = m.keys
	}
}

// note adds a change at the path.
func (c *comparison) note(old, now value) {
	change := Change{Path: c.path.jsonPath(), label: c.path.label(), Manager: c.managers.of(c.path, now.present)}
	if old.present {
		change.Old = &old.content
	}
	if now.present {
		change.New = &now.content
	}
	if c.secret && c.holdsSecret(old, now) {
		change.mask()
	}
	c.changes = append(c.changes, change)
}

// canDescend says whether each key can be spelled in a path. client-go's
// JSONPath has no way to name a key that is empty or holds a backslash: such
// maps change as a whole. The object itself never does.
func (c *comparison) canDescend(maps ...map[string]any) bool {
	if len(c.path) == 0 {
		return true
	}
	for _, m := range maps {
		for key := range m {
			if key == "" || strings.Contains(key, `\`) {
				return false
			}
		}
	}
	return true
}

// sides returns both sides as maps, or as lists. A missing side is an empty one,
// unless the other is empty: then their difference is that one is missing.
func sides[T map[string]any | []any](old, now value) (a, b T, ok bool) {
	a, isA := old.content.(T)
	b, isB := now.content.(T)
	switch {
	case isA && isB:
		return a, b, true
	case isA:
		return a, b, !now.present && len(a) > 0
	case isB:
		return a, b, !old.present && len(b) > 0
	}
	return a, b, false
}

// equal compares what objects are made of without reflection. An integer is never
// equal to a float.
func equal(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case int64:
		b, ok := b.(int64)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && equalMaps(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	return reflect.DeepEqual(a, b)
}

func equalMaps(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, content := range a {
		if other, ok := b[key]; !ok || !equal(content, other) {
			return false
		}
	}
	return true
}
