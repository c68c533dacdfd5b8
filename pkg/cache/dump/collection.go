package dump

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// name is what objects of one kind are told apart by, but for those that a list
// holds beside each other.
type name struct {
	kind schema.GroupVersionKind
	types.NamespacedName
}

// collection gathers the objects of all documents.
type collection struct {
	// objects are, by their name, those that there are at once: mostly one.
	objects map[name][]*object
	faults  []error
	// foreign is where in files there is what is no object.
	foreign []string
	// differing counts the objects that are there more than once, and has an example.
	differing        int
	differingExample string
	// newest is the newest time in the documents.
	newest time.Time
	// irregular are what is no file in directories.
	irregular []string
}

func newCollection() *collection { return &collection{objects: map[name][]*object{}} }

// add takes what was found in a document.
func (c *collection) add(d *document) {
	for _, fault := range d.faults {
		if errors.Is(fault, errIrregular) {
			c.irregular = append(c.irregular, fault.Error())
			continue
		}
		if errors.Is(fault, errNotObject) && !d.origin.file.stdin {
			c.foreign = append(c.foreign, d.origin.String())
			continue
		}
		c.faults = append(c.faults, fault)
	}
	if d.newest.After(c.newest) {
		c.newest = d.newest
	}
	for _, o := range d.objects {
		c.addObject(o)
	}
}

// addObject takes an object in. It is a later, or an earlier, state of one that is
// there: of the one with its uid, else of the only one that has its name. Several of
// a name are there where a list holds them: some aggregated APIs serve such lists. Of
// those nothing says which a further one would replace, so that it is one more.
func (c *collection) addObject(o *object) {
	id := name{o.kind, types.NamespacedName{Namespace: o.namespace, Name: o.name}}
	there := c.objects[id]
	same := slices.IndexFunc(there, o.isStateOf)
	switch {
	case same >= 0:
		if c.succeeds(there[same], o) {
			there[same] = o
		}
	case len(there) != 1 || o.isListedWith(there[0]):
		c.objects[id] = append(there, o)
	case c.succeeds(there[0], o):
		c.objects[id] = []*object{o}
	}
}

// isStateOf says whether two objects are certainly one.
func (o *object) isStateOf(other *object) bool {
	if o.uid != "" || other.uid != "" {
		return o.uid == other.uid
	}
	return sameContent(o, other)
}

// isListedWith says whether two objects are items of one list, and none of them is
// what a watch event says.
func (o *object) isListedWith(other *object) bool {
	return o.origin.file == other.origin.file && o.origin.document == other.origin.document &&
		!o.deleted && !other.deleted
}

// succeeds says whether, of two states of what has one name, the second counts:
// unless it is older by its resourceVersion. Where nothing says which is older, and
// they differ, that is noted.
func (c *collection) succeeds(before, o *object) bool {
	order, err := resourceversion.CompareResourceVersion(before.resourceVersion, o.resourceVersion)
	if err == nil {
		return order <= 0
	}
	if !before.deleted && !o.deleted && !sameContent(before, o) {
		if c.differing++; c.differing == 1 {
			c.differingExample = fmt.Sprintf("%s %q in %s, then in %s", o.kind.Kind, o.name, before.origin, o.origin)
		}
	}
	return true
}

// sameContent says whether two objects are written alike, but for the order of their
// members: in a file that is all there is to compare.
func sameContent(a, b *object) bool {
	if bytes.Equal(a.raw, b.raw) {
		return true
	}
	before, beforeErr := a.unstructured(true)
	after, afterErr := b.unstructured(true)
	return beforeErr == nil && afterErr == nil && reflect.DeepEqual(before, after)
}

// warnings say what was passed over.
func (c *collection) warnings() []string {
	lines := c.irregular
	if n := len(c.foreign); n > 0 {
		const most = 5
		places := strings.Join(c.foreign[:min(n, most)], "; ")
		if n > most {
			places += fmt.Sprintf("; and %d more", n-most)
		}
		lines = append(lines, fmt.Sprintf("documents that are not Kubernetes objects were passed over: %d, in %s", n, places))
	}
	if c.differing > 0 {
		lines = append(lines, fmt.Sprintf("objects that are given again with other content, of which the last counts: %d, the first is %s", c.differing, c.differingExample))
	}
	return lines
}
