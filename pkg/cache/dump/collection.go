package dump

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// identity is what makes two objects one.
type identity struct {
	kind            schema.GroupVersionKind
	namespace, name string
}

// collection gathers the objects of all documents.
type collection struct {
	objects map[identity]*object
	faults  []error
	// foreign counts what is no object in directories, differing the objects that
	// are there more than once; each has an example.
	foreign, differing               int
	foreignExample, differingExample string
}

func newCollection() *collection { return &collection{objects: map[identity]*object{}} }

// add takes what was found in a document.
func (c *collection) add(d *document) {
	for _, fault := range d.faults {
		if errors.Is(fault, errNotObject) && !d.origin.file.named {
			if c.foreign++; c.foreign == 1 {
				c.foreignExample = d.origin.String()
			}
			continue
		}
		c.faults = append(c.faults, fault)
	}
	for _, o := range d.objects {
		c.addObject(o)
	}
}

func (c *collection) addObject(o *object) {
	id := identity{o.kind, o.namespace, o.name}
	before, ok := c.objects[id]
	if ok {
		order, err := resourceversion.CompareResourceVersion(before.resourceVersion, o.resourceVersion)
		switch {
		case err == nil && order > 0:
			return
		case err != nil && !before.deleted && !o.deleted && !sameContent(before, o):
			if c.differing++; c.differing == 1 {
				c.differingExample = fmt.Sprintf("%s %q in %s, then in %s", o.kind.Kind, o.name, before.origin, o.origin)
			}
		}
	}
	c.objects[id] = o
}

func sameContent(a, b *object) bool {
	if bytes.Equal(a.raw, b.raw) {
		return true
	}
	before, beforeErr := a.unstructured(true)
	after, afterErr := b.unstructured(true)
	return beforeErr == nil && afterErr == nil && reflect.DeepEqual(before, after)
}

// warnings tell what was passed over.
func (c *collection) warnings() []string {
	var lines []string
	if c.foreign > 0 {
		lines = append(lines, fmt.Sprintf("documents that are not Kubernetes objects were passed over: %d, the first in %s", c.foreign, c.foreignExample))
	}
	if c.differing > 0 {
		lines = append(lines, fmt.Sprintf("objects that are given again with other content, of which the last counts: %d, the first is %s", c.differing, c.differingExample))
	}
	return lines
}
