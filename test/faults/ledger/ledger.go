// Package ledger keeps what an API server has accepted and what an informer has
// said of it, and finds where the two differ.
package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Key is what an object is known by.
type Key struct{ Kind, Namespace, Name string }

func (k Key) String() string { return k.Kind + " " + k.Namespace + "/" + k.Name }

// Version is one state of an object.
type Version struct {
	UID             types.UID
	ResourceVersion string
}

// Objects are those that somebody has, or believes to be there.
type Objects map[Key]Version

// KeyOf and VersionOf read an object.
func KeyOf(o *unstructured.Unstructured) Key {
	return Key{o.GetKind(), o.GetNamespace(), o.GetName()}
}

// VersionOf reads an object's state.
func VersionOf(o *unstructured.Unstructured) Version {
	return Version{o.GetUID(), o.GetResourceVersion()}
}

// UIDs are those of all objects.
func (o Objects) UIDs() map[types.UID]bool {
	uids := map[types.UID]bool{}
	for _, version := range o {
		uids[version.UID] = true
	}
	return uids
}

// Of returns the objects of some kinds.
func (o Objects) Of(kinds ...string) Objects {
	found := maps.Clone(o)
	maps.DeleteFunc(found, func(key Key, _ Version) bool { return !slices.Contains(kinds, key.Kind) })
	return found
}

// Differences says, a line each and no more than ten, where what is believed is
// not what is there.
func Differences(believed, there Objects) []string {
	var lines []string
	for key, version := range there {
		if other, ok := believed[key]; !ok {
			lines = append(lines, fmt.Sprintf("%v is there and not known", key))
		} else if other != version {
			lines = append(lines, fmt.Sprintf("%v is %v, and believed to be %v", key, version, other))
		}
	}
	for key := range believed {
		if _, ok := there[key]; !ok {
			lines = append(lines, fmt.Sprintf("%v is believed to be there", key))
		}
	}
	slices.Sort(lines)
	return firstTen(lines)
}

func firstTen(lines []string) []string {
	if more := len(lines) - 10; more > 0 {
		return append(lines[:10], fmt.Sprintf("and %d more", more))
	}
	return lines
}

// Join makes one text of what is wrong; "" where nothing is.
func Join(lines []string) string { return strings.Join(lines, "\n\t") }
