package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldlabel"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
)

// PushedDown is a plan for one list that leaves to the server what a query fixes.
func (p Plan) PushedDown(fixed []index.Fixed) Plan {
	asked, reasons := PushDown(p.Target, fixed)
	p.Asked, p.Reasons = asked, slices.Concat(p.Reasons, reasons)
	return p
}

// PushDown returns the Target that the server is asked for in place of one that is
// listed once, and why it is another: what the query fixes is left to the server as
// far as it can select by it. All objects that the query selects are among its
// answer; others may be, so that the Indexer still answers the query.
func PushDown(t cache.Target, fixed []index.Fixed) (asked cache.Target, reasons []string) {
	asked = t
	if t.Name != "" || t.Subresource != "" {
		return asked, nil
	}
	for _, f := range fixed {
		before := asked
		if f.Index == "label" {
			asked.LabelSelector = joined(asked.LabelSelector, labelSelector(f))
		} else {
			asked = pushField(asked, f)
		}
		if asked != before {
			reasons = append(reasons, fmt.Sprintf("%s: --by %s is left to the server: %s", t, f.Index, describe(asked)))
		}
	}
	return asked, reasons
}

// describe is what is special about a Target, for a log.
func describe(t cache.Target) string {
	var parts []string
	for _, part := range []struct{ name, value string }{
		{"namespace", t.Namespace}, {"labelSelector", t.LabelSelector}, {"fieldSelector", t.FieldSelector},
	} {
		if part.value != "" {
			parts = append(parts, part.name+" "+part.value)
		}
	}
	return strings.Join(parts, ", ")
}

func joined(selectors ...string) string {
	return strings.Join(slices.DeleteFunc(selectors, func(s string) bool { return s == "" }), ",")
}

// pushField leaves to the server what is fixed of one field. It cannot be asked for
// one of several values.
func pushField(t cache.Target, f index.Fixed) cache.Target {
	namespace := f.Index == toolscache.NamespaceIndex || f.Index == ".metadata.namespace"
	wantsOne := len(f.Wanted) == 1 && (!f.WantsNone || f.Wanted[0] == "")
	if namespace && wantsOne && t.AllNamespaces() && len(validation.IsDNS1123Label(f.Wanted[0])) == 0 {
		t.Namespace = f.Wanted[0]
		return t
	}
	label, exact := fieldLabel(t, f.Index)
	if label == "" || namespace {
		return t
	}
	var terms []fields.Selector
	if wantsOne && (exact || !f.WantsNone) {
		terms = append(terms, fields.OneTermEqualSelector(label, f.Wanted[0]))
	}
	// Where the server takes a field that is not there for one with a value, neither
	// its absence nor that value can be left to it.
	for _, value := range f.Unwanted {
		if exact {
			terms = append(terms, fields.OneTermNotEqualSelector(label, value))
		}
	}
	if len(terms) > 0 {
		t.FieldSelector = joined(t.FieldSelector, fields.AndSelectors(terms...).String())
	}
	return t
}

// fieldLabel is the field label by which a server selects what an index has; empty if
// there is none. exact says that the field's text, or nothing, is all that it has.
func fieldLabel(t cache.Target, name string) (label string, exact bool) {
	kind := t.Kind.GroupKind()
	switch name {
	case "name", ".metadata.name":
		return "metadata.name", true
	case "node":
		if kind.String() == "Pod" {
			return "spec.nodeName", true
		}
		return "", false
	case "phase":
		if kind.String() == "Pod" || kind.String() == "Namespace" {
			return "status.phase", true
		}
		return "", false
	}
	path, ok := strings.CutPrefix(name, ".")
	if !ok || !slices.Contains(fieldlabel.Builtin(kind), path) {
		return "", false
	}
	switch path {
	case "spec.host", "status.podIPs", "source":
		return "", false // what they select by is elsewhere in the object
	case "spec.hostNetwork", "spec.unschedulable", "status.replicas", "status.successful":
		return path, false
	}
	return path, true
}

// labelSelector is what the index "label", of KEY=VALUE and KEY, is asked for as a
// selector; empty where the server could not be asked for it.
func labelSelector(f index.Fixed) string {
	var requirements []labels.Requirement
	add := func(key string, op selection.Operator, values ...string) {
		if r, err := labels.NewRequirement(key, op, values); err == nil {
			requirements = append(requirements, *r)
		}
	}
	key, values, ok := sameKey(f.Wanted)
	switch {
	case f.WantsNone || !ok:
	case len(values) > 0:
		add(key, selection.In, values...)
	case key != "":
		add(key, selection.Exists)
	}
	for _, unwanted := range f.Unwanted {
		if key, value, hasValue := strings.Cut(unwanted, "="); hasValue {
			add(key, selection.NotIn, value)
		} else if key != "" {
			add(key, selection.DoesNotExist)
		}
	}
	return labels.NewSelector().Add(requirements...).String()
}

// sameKey splits KEY=VALUE of which all have one KEY; or is the one KEY that there is.
func sameKey(wanted []string) (key string, values []string, ok bool) {
	for n, text := range wanted {
		k, value, hasValue := strings.Cut(text, "=")
		if n > 0 && k != key || !hasValue && len(wanted) > 1 {
			return "", nil, false
		}
		if key = k; hasValue {
			values = append(values, value)
		}
	}
	return key, values, true
}
