package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// object is what is compared of an object. Neither a name nor a uid need be unique:
// some aggregated APIs serve several objects without uid under one name.
type object struct {
	types.NamespacedName
	uid types.UID
}

func objectOf(row *cache.Row) object {
	return object{types.NamespacedName{Namespace: row.Namespace, Name: row.Name}, row.UID}
}

// versions are the resourceVersions of those objects of a list that are one object.
type versions map[object][]string

func versionsOf(rows []*cache.Row) versions {
	all := versions{}
	for _, row := range rows {
		key := objectOf(row)
		all[key] = append(all[key], row.ResourceVersion)
	}
	for _, of := range all {
		slices.Sort(of)
	}
	return all
}

// Difference is one object in which a cache and its server differ. It is comparable.
type Difference struct {
	object
	// Cached and Served are the resourceVersions on both sides, of several objects
	// under one name joined by commas. What one side does not have is absent.
	Cached, Served string
}

// absent stands for the resourceVersion of an object that is not there.
const absent = "absent"

// String says what differs: `shop/web is in the cache, and no longer on the server`.
func (d Difference) String() string {
	name := strings.TrimPrefix(d.Namespace+"/"+d.Name, "/")
	switch {
	case d.Cached == absent:
		return name + " is on the server, and not in the cache"
	case d.Served == absent:
		return name + " is in the cache, and not on the server"
	default:
		return fmt.Sprintf("%s has resourceVersion %s in the cache, and %s on the server", name, d.Cached, d.Served)
	}
}

// compare returns the differences in order of namespace and name.
func compare(cached, served []*cache.Row) (differences []Difference) {
	ours, theirs := versionsOf(cached), versionsOf(served)
	for key, versions := range ours {
		if !slices.Equal(versions, theirs[key]) {
			differences = append(differences, Difference{key, text(versions), text(theirs[key])})
		}
	}
	for key, versions := range theirs {
		if _, ok := ours[key]; !ok {
			differences = append(differences, Difference{key, absent, text(versions)})
		}
	}
	slices.SortFunc(differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.uid, b.uid))
	})
	return differences
}

func text(versions []string) string {
	if versions == nil {
		return absent
	}
	return strings.Join(versions, ",")
}

// shown is how many differences an error names.
const shown = 10

// Error says that a cache is not what the server has.
type Error struct {
	Target      cache.Target
	Differences []Difference
}

// Error names the objects, the first ten of them.
func (e *Error) Error() string {
	lines := []string{fmt.Sprintf("the cache of %s differs from the server in %s:", e.Target, objects(len(e.Differences)))}
	for n, d := range e.Differences {
		if n == shown {
			lines = append(lines, fmt.Sprintf("  and %d more", len(e.Differences)-shown))
			break
		}
		lines = append(lines, "  "+d.String())
	}
	return strings.Join(lines, "\n")
}

func objects(n int) string {
	if n == 1 {
		return "one object"
	}
	return fmt.Sprintf("%d objects", n)
}
