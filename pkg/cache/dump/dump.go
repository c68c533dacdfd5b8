package dump

import (
	"cmp"
	"slices"
	"time"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Dump is the objects that Read has read. It does not change, and its methods
// may be called from any goroutine.
type Dump struct {
	// objects are sorted by namespace and name.
	objects     map[schema.GroupVersionKind][]*object
	definitions []*definition
	types       apidiscovery.APIGroupDiscoveryList
	// guesses are kinds of which nothing but objects says that they exist.
	guesses  []schema.GroupVersionKind
	warnings []string
	newest   time.Time
}

// newDump makes a Dump of what was collected.
func newDump(c *collection) (*Dump, error) {
	d := holding(c)
	return d, d.learnTypes(d.objects)
}

// holding is a Dump of what was collected, which knows no types yet.
func holding(c *collection) *Dump {
	d := &Dump{objects: map[schema.GroupVersionKind][]*object{}, warnings: c.warnings(), newest: c.newest}
	for id, objects := range c.objects {
		for _, object := range objects {
			if !object.deleted {
				d.objects[id.kind] = append(d.objects[id.kind], object)
			}
		}
	}
	for _, objects := range d.objects {
		slices.SortStableFunc(objects, func(a, b *object) int {
			return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
		})
	}
	return d
}

// learnTypes takes the types from objects, and those that are named besides.
func (d *Dump) learnTypes(objects map[schema.GroupVersionKind][]*object, named ...apiType) (err error) {
	d.definitions = definitionsIn(objects)
	d.types, d.guesses, err = typesOf(objects, d.definitions, named...)
	return err
}

// Warnings are single lines for stderr, without the word "Warning": what was
// passed over, and which objects are there more than once and differ.
func (d *Dump) Warnings() []string { return d.warnings }

// OtherVersions returns the versions, other than gvk's, in which the dump has
// objects of gvk's kind, sorted. Nothing converts objects from one version to
// another here: who lists one version does not see the others.
func (d *Dump) OtherVersions(gvk schema.GroupVersionKind) []string {
	var others []string
	for _, held := range sortedKinds(d.objects) {
		if held.GroupKind() == gvk.GroupKind() && held.Version != gvk.Version {
			others = append(others, held.Version)
		}
	}
	return others
}
