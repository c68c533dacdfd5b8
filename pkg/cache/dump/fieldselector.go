package dump

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldlabel"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// fieldSelector selects objects by the fields that a server selects by.
type fieldSelector struct {
	selector fields.Selector
	// labels are the selector's field labels, and where their values are.
	labels map[string]field
}

// field is where in an object the value of a field label is.
type field struct {
	// paths are where to look, one after the other.
	paths []*fieldpath.Expression
	// absent is the value of an object that has nothing there.
	absent string
}

// fieldAt returns the field at paths such as .spec.nodeName. Like a server, it
// knows no field at what is no JSONPath.
func fieldAt(absent string, paths ...string) (f field, ok bool) {
	f.absent = absent
	for _, path := range paths {
		expression, err := fieldpath.ParseExpression("{" + path + "}")
		if err != nil {
			return field{}, false
		}
		f.paths = append(f.paths, expression)
	}
	return f, true
}

// newFieldSelector parses the Target's selector. A label that a server would not
// know for the type is an error in the server's words.
func newFieldSelector(t cache.Target, version apiextensionsv1.CustomResourceDefinitionVersion) (*fieldSelector, error) {
	selector, err := fields.ParseSelector(t.FieldSelector)
	if err != nil {
		return nil, err
	}
	s := &fieldSelector{selector: selector, labels: map[string]field{}}
	known := selectableFields(t.Kind.GroupKind(), version)
	for _, requirement := range selector.Requirements() {
		f, ok := known[requirement.Field]
		if !ok {
			return nil, fmt.Errorf("field label not supported: %s", requirement.Field)
		}
		s.labels[requirement.Field] = f
	}
	return s, nil
}

// matches decodes the object only if there is something to select by.
func (s *fieldSelector) matches(o *object) bool {
	if s.selector.Empty() {
		return true
	}
	whole, err := o.unstructured(false)
	if err != nil {
		return false
	}
	values := fields.Set{}
	for label, field := range s.labels {
		values[label] = field.valueIn(whole)
	}
	return s.selector.Matches(values)
}

// valueIn returns the text of the first scalar that is there.
func (f field) valueIn(o *unstructured.Unstructured) string {
	for _, path := range f.paths {
		values, err := path.Find(o.Object)
		if err != nil || len(values) != 1 {
			continue
		}
		switch value := values[0].(type) {
		case string, bool, int64, float64:
			if text := fmt.Sprint(value); text != "" {
				return text
			}
		}
	}
	return f.absent
}

// selectableFields are the field labels of a kind, as a 1.37 server knows them:
// those of built-in types are in its code, those of others in their definitions.
// A test of test/e2e/dump compares them with a server's.
func selectableFields(kind schema.GroupKind, version apiextensionsv1.CustomResourceDefinitionVersion) map[string]field {
	builtin := fieldlabel.Builtin(kind)
	known := map[string]field{}
	add := func(label, absent string, paths ...string) {
		if f, ok := fieldAt(absent, paths...); ok {
			known[label] = f
		}
	}
	for _, label := range append([]string{"metadata.name", "metadata.namespace"}, builtin...) {
		switch label {
		case "spec.host":
			add(label, "", ".spec.nodeName")
		case "spec.hostNetwork", "spec.unschedulable":
			add(label, "false", "."+label)
		case "status.replicas":
			add(label, "0", ".status.replicas")
		case "status.successful":
			add(label, "0", ".status.succeeded")
		case "source":
			add(label, "", ".source.component", ".reportingComponent")
		default:
			add(label, "", "."+label)
		}
	}
	for _, selectable := range version.SelectableFields {
		add(strings.TrimPrefix(selectable.JSONPath, "."), "", selectable.JSONPath)
	}
	return known
}
