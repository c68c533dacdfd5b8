package dump

import (
	"encoding/json"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// lost is what is known of an object, or of the objects of a list, that could not be
// read. What is empty may be anything.
type lost struct{ apiVersion, kind, namespace, name string }

// MayHoldOneOf says whether the document may have held an object of a Target.
func (e *DocumentError) MayHoldOneOf(t cache.Target) bool { return e.lost.mayBeOf(t) }

func (l lost) mayBeOf(t cache.Target) bool {
	version, err := schema.ParseGroupVersion(l.apiVersion)
	isOr := func(known, asked string) bool { return known == "" || asked == "" || known == asked }
	return (l.apiVersion == "" || err != nil || l.kind == "List" || version.Group == t.Kind.Group) &&
		(l.kind == t.Kind.Kind || isOr(strings.TrimSuffix(l.kind, "List"), t.Kind.Kind)) && isOr(l.namespace, t.Namespace) && isOr(l.name, t.Name)
}

// lostError is why an object could not be read of which some is known.
type lostError struct {
	error
	lost lost
}

// Unwrap returns the cause.
func (e *lostError) Unwrap() error { return e.error }

// lostOf is what the first members of an object say, which is broken off behind them.
// If one of them looks like an object itself, the first may have been broken off before
// another, and then nothing is known.
func lostOf(members map[string]json.RawMessage) lost {
	for _, value := range members {
		if span(value).has("metadata") && span(value).has("kind") {
			return lost{}
		}
	}
	var meta metav1.ObjectMeta
	if metadata := members["metadata"]; len(metadata) > 0 && json.Unmarshal(metadata, &meta) != nil {
		return lost{}
	}
	l := lost{span(members["apiVersion"]).text(), span(members["kind"]).text(), meta.Namespace, meta.Name}
	if l.kind == "" {
		return lost{} // it may be the object of an event
	}
	return l
}

// yamlType finds the members of a YAML document that say its type, and plainText what
// such a member has for a value, unless it is a template's.
var (
	yamlType  = regexp.MustCompile(`(?m)^(apiVersion|kind):(.*)$`)
	plainText = regexp.MustCompile(`^["']?([A-Za-z0-9./-]+)["']?\s*(?:#.*)?$`)
)

// lostYAML is what the lines of a YAML document say of its type, which no parser can
// read: an indented line is none of them. A template may have several, of which one is
// meant.
func lostYAML(text []byte) lost {
	said := map[string]string{}
	for _, match := range yamlType.FindAllSubmatch(text, -1) {
		member, value := string(match[1]), plainText.FindStringSubmatch(strings.TrimSpace(string(match[2])))
		before, again := said[member]
		if len(value) < 2 || again && before != value[1] {
			return lost{}
		}
		said[member] = value[1]
	}
	if said["kind"] == "" {
		return lost{}
	}
	return lost{apiVersion: said["apiVersion"], kind: said["kind"]}
}
