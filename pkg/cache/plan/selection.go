package plan

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldlabel"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
)

const labelIndex = "label"

// selected is what a server selects by.
type selected struct {
	namespace, labels, fields string
	// lasting says that it never changes in an object's life, but for an object that
	// comes to be selected.
	lasting bool
	// decides says that all that is selected has the value that is asked for, and that it
	// is not in metadata, which is read in any case.
	decides bool
	// without selects what has nothing there; nil where a server cannot be asked for it.
	without *selected
}

func (s *selected) empty() bool { return s.namespace == "" && s.labels == "" && s.fields == "" }

// of is a Target narrowed to what is selected.
func (s *selected) of(t cache.Target) cache.Target {
	if s.namespace != "" {
		t.Namespace = s.namespace
	}
	t.LabelSelector, t.FieldSelector = joined(t.LabelSelector, s.labels), joined(t.FieldSelector, s.fields)
	return t
}

func joined(selectors ...string) string {
	return strings.Join(slices.DeleteFunc(selectors, func(s string) bool { return s == "" }), ",")
}

// selectionOf is a condition as a server selects; empty where it cannot.
func selectionOf(t cache.Target, c Condition, selectable []fieldlabel.Field) *selected {
	switch c.Index {
	case labelIndex:
		return byLabel(c.Fixed)
	case toolscache.NamespaceIndex, ".metadata.namespace":
		return byNamespace(t, c.Fixed)
	}
	if label, known := fieldLabel(t, c, selectable); label != "" {
		return byField(t, c.Fixed, label, known)
	}
	return &selected{}
}

// byNamespace narrows all namespaces to one, or to those that are not left out.
func byNamespace(t cache.Target, f index.Fixed) *selected {
	s := &selected{lasting: true}
	switch {
	case !t.AllNamespaces():
	case wantsOne(f) && len(validation.IsDNS1123Label(f.Wanted[0])) == 0:
		s.namespace = f.Wanted[0]
	default:
		for _, value := range f.Unwanted {
			if value != "" {
				s.fields = joined(s.fields, notEqual("metadata.namespace", value))
			}
		}
	}
	return s
}

// wantsOne says that one value is asked for, which may be none at all.
func wantsOne(f index.Fixed) bool {
	return len(f.Wanted) == 1 && (!f.WantsNone || f.Wanted[0] == "")
}

// knowledge is how the text of a field label is that of a field.
type knowledge int

const (
	// roughly: the label may have a text where the field has none.
	roughly knowledge = iota
	// exactly: the label's text is that of the field, or nothing where that has nothing.
	exactly
)

// byField narrows by one field. A server cannot be asked for one of several values.
func byField(t cache.Target, f index.Fixed, label string, known knowledge) *selected {
	s := &selected{}
	one := wantsOne(f)
	if one && (known == exactly || !f.WantsNone) {
		s.fields = equal(label, f.Wanted[0])
	}
	// Where the server takes a field that is not there for one with a value, neither
	// its absence nor that value can be left to it.
	for _, value := range f.Unwanted {
		if known == exactly {
			s.fields = joined(s.fields, notEqual(label, value))
		}
	}
	isName := label == "metadata.name"
	hasValue := one && f.Wanted[0] != "" && len(f.Unwanted) == 0
	// A pod gets its node once, and keeps it.
	isNode := t.Kind.GroupKind().String() == "Pod" && label == "spec.nodeName"
	s.lasting = isName || isNode && hasValue
	s.decides = known == exactly && hasValue && !isName
	if known == exactly && !isName {
		s.without = &selected{fields: equal(label, "")}
	}
	return s
}

// fieldLabel is the field label by which a server selects what an index has; empty if
// there is none.
func fieldLabel(t cache.Target, c Condition, selectable []fieldlabel.Field) (label string, known knowledge) {
	kind := t.Kind.GroupKind()
	switch c.Index {
	case "name", ".metadata.name":
		return "metadata.name", exactly
	case "node":
		if kind.String() == "Pod" {
			return "spec.nodeName", exactly
		}
		return "", roughly
	case "phase":
		if kind.String() == "Pod" || kind.String() == "Namespace" {
			return "status.phase", exactly
		}
		return "", roughly
	}
	path, ok := strings.CutPrefix(c.Index, ".")
	if !ok {
		return "", roughly
	}
	for _, field := range selectable {
		if field.Path == path && (field.IsText || !c.Typed) {
			return path, exactly
		}
	}
	if !slices.Contains(fieldlabel.Builtin(kind), path) {
		return "", roughly
	}
	switch path {
	case "spec.host", "status.podIPs", "source":
		return "", roughly // what they select by is elsewhere in the object
	case "spec.hostNetwork", "spec.unschedulable", "status.replicas", "status.successful":
		if c.Typed {
			return "", roughly // they hold no text
		}
		return path, roughly
	}
	return path, exactly
}

// byLabel is what the index "label", of KEY=VALUE and KEY, is asked for as a
// selector; empty where the server could not be asked for it.
func byLabel(f index.Fixed) *selected {
	var requirements []labels.Requirement
	add := func(key string, op selection.Operator, values ...string) bool {
		r, err := labels.NewRequirement(key, op, values)
		if err == nil {
			requirements = append(requirements, *r)
		}
		return err == nil
	}
	s := &selected{}
	key, values, ok := sameKey(f.Wanted)
	switch {
	case f.WantsNone || !ok:
	case len(values) > 0:
		if add(key, selection.In, values...) {
			s.without = &selected{labels: "!" + key}
		}
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
	s.labels = labels.NewSelector().Add(requirements...).String()
	return s
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
