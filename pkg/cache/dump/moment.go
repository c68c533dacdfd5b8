package dump

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// At returns the objects that there were at a time, or at the end where it is zero. The
// types are those of the whole record: one of which there was no object then is known.
func (r *Record) At(at time.Time) (*Dump, error) {
	if err := r.covers(at); err != nil {
		return nil, err
	}
	objects := map[name]*object{}
	newest := at
	for _, e := range r.events {
		// What there was at the start was there before it was received.
		if !at.IsZero() && e.time.After(at) && !e.initial {
			continue
		}
		if at.IsZero() {
			newest = r.moment(newest, e)
		}
		switch {
		case e.object == nil:
		case e.kind == cache.Deleted:
			delete(objects, e.object.id())
		default:
			objects[e.object.id()] = e.object
		}
	}
	d, err := r.dump(objects)
	if err != nil {
		return nil, err
	}
	d.newest = newest
	if last := r.Ends(); at.After(last) {
		d.warnings = append(d.warnings, fmt.Sprintf("the last event of the record is of %s: what happened after the record's end is not known", stamp(last)))
	}
	return d, nil
}

// Whole returns every object that the record has, in its last state, also those that
// were deleted.
func (r *Record) Whole() (*Dump, error) { return r.dump(r.all()) }

// covers says why the record cannot tell what there was at a time.
func (r *Record) covers(at time.Time) error {
	switch {
	case at.IsZero():
		return nil
	case !r.timed:
		return fmt.Errorf("the record does not have the times of its events, so that it cannot say what there was at %s: record with --record FILE, or with -o json --timestamps", stamp(at))
	case len(r.events) == 0:
		return fmt.Errorf("the record has no events: it cannot say what there was at %s", stamp(at))
	case at.Before(r.Begins()):
		return fmt.Errorf("the record begins at %s: it cannot say what there was at %s", stamp(r.Begins()), stamp(at))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Begins is the time of the first event; zero where there is none.
func (r *Record) Begins() time.Time {
	if len(r.events) == 0 {
		return time.Time{}
	}
	return r.events[0].time
}

// Ends is the time of the last event; zero where there is none.
func (r *Record) Ends() time.Time {
	if len(r.events) == 0 {
		return time.Time{}
	}
	return r.events[len(r.events)-1].time
}

// moment is the time of an event that follows others. Where that was not recorded, it
// is the newest time in the objects so far.
func (r *Record) moment(before time.Time, e recorded) time.Time {
	now := e.time
	if !r.timed && e.object != nil {
		now = newestTime(e.object.raw)
	}
	if now.After(before) {
		return now
	}
	return before
}

func (r *Record) all() map[name]*object {
	objects := map[name]*object{}
	for _, e := range r.events {
		if e.object != nil {
			objects[e.object.id()] = e.object
		}
	}
	return objects
}

// dump makes a Dump of some objects, which knows the types of all. A definition among
// the objects goes before the columns of the first line: it is what the server had then,
// and they are from the beginning. Definitions of other moments know the most of a type
// whose columns were not recorded.
func (r *Record) dump(objects map[name]*object) (*Dump, error) {
	held := newCollection()
	for id, o := range objects {
		held.objects[id] = []*object{o}
	}
	d := holding(held)
	ofAll := map[schema.GroupVersionKind][]*object{}
	for id, o := range r.all() {
		ofAll[id.kind] = append(ofAll[id.kind], o)
	}
	d.warnings = append(d.warnings, r.warnings...)
	err := d.learnTypes(ofAll, r.types...)
	d.definitions = slices.Concat(definitionsIn(d.objects), r.columns, d.definitions)
	return d, err
}

// Arguments name all types of the record, as a user would name them. d is a Dump of the
// record.
func (r *Record) Arguments(d *Dump) []string {
	kinds := r.kinds()
	var all []string
	for _, t := range flatten(d.types) {
		if kinds[t.kind()] {
			all = append(all, strings.Join([]string{t.Resource, t.Version, t.Group}, "."))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{strings.Join(all, ",")}
}

// Covers says whether the record is of a type: it names it, or has an event of it.
func (r *Record) Covers(t cache.Target) bool { return r.kinds()[t.Kind] }

func (r *Record) kinds() map[schema.GroupVersionKind]bool {
	kinds := map[schema.GroupVersionKind]bool{}
	for _, e := range r.events {
		kinds[e.of] = true
	}
	for _, t := range r.types {
		kinds[t.kind()] = true
	}
	return kinds
}

// NamespacesOf are the namespaces in which the record has the object that a Target names,
// in order.
func (r *Record) NamespacesOf(t cache.Target) []string {
	var namespaces []string
	for id := range r.all() {
		if id.kind == t.Kind && id.Name == t.Name {
			namespaces = append(namespaces, id.Namespace)
		}
	}
	slices.Sort(namespaces)
	return namespaces
}
