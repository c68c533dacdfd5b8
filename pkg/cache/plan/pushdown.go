package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldlabel"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// Extent is how much of a question may be left to the server.
type Extent int

const (
	// Nothing is left to it: all objects are in the cache.
	Nothing Extent = iota
	// Lasting is what never changes in an object's life. In a watch, an object that the
	// selection of a server loses is as one that is deleted.
	Lasting
	// Watched is all that a server selects by, where it does not matter why an object
	// has left.
	Watched
	// Listed is all that a server selects by in one list.
	Listed
)

// Condition is a part of a question: what does not meet it is no answer.
type Condition struct {
	index.Fixed
	// Reader names who asks: a flag.
	Reader string
	// Fails says that what has no value is to be reported: it is asked for too.
	Fails bool
	// Typed says that text is only compared with text: a field of another type never
	// has a value that is asked for.
	Typed bool
}

// Conditions are those of a bound query and of expressions.
func Conditions(by *index.Bound, where *match.Where) []Condition {
	var all []Condition
	for _, fixed := range by.Fixed() {
		all = append(all, Condition{Fixed: fixed, Reader: "--by " + fixed.Index})
	}
	for _, equality := range where.Equalities() {
		if c, ok := conditionOf(equality); ok {
			all = append(all, c)
		}
	}
	return all
}

// conditionOf makes a condition of an equality. There is none where an object that has
// nothing there would have to be selected together with one that has a value.
func conditionOf(e match.Equality) (c Condition, ok bool) {
	c = Condition{Reader: "--where ." + strings.Join(e.Path, "."), Fails: e.Fails && !e.Not, Typed: true}
	values := slices.Clone(e.Values)
	label := len(e.Path) == 3 && e.Path[0] == "metadata" && e.Path[1] == "labels"
	if label {
		c.Index = labelIndex
		for i, value := range values {
			values[i] = e.Path[2] + "=" + value
		}
	} else {
		c.Index = "." + strings.Join(e.Path, ".")
	}
	isEmpty := !label && len(e.Values) == 1 && e.Values[0] == ""
	if e.Not {
		c.Unwanted = values
		return c, !isEmpty
	}
	if c.Wanted, c.WantsNone = values, isEmpty; isEmpty {
		c.Fails = false // it is among what is asked for
	}
	return c, isEmpty || !e.Absent
}

// Pushed is what is left to the server of a question.
type Pushed struct {
	// Asked is the Target that the server is asked for.
	Asked cache.Target
	// Unanswered, where it is not nil, is what is asked for besides: objects that are no
	// answer, but of which it is to be reported that they have none.
	Unanswered *cache.Target
	// Known are the indexes of which an object that the server selects has these
	// values: nobody has to read them.
	Known   []cache.IndexedValues
	Reasons []string
}

// Narrows says whether anything is left to the server.
func (p *Pushed) Narrows() bool { return len(p.Reasons) > 0 }

// PushDown returns what is left to the server of what is asked of a Target. All objects
// that meet the conditions are among its answer; others may be, so that the Indexer and
// the expressions still answer the question.
//
// The type can be selected by the fields that it declares as selectable, besides those
// that are known of built-in types.
func PushDown(t cache.Target, extent Extent, conditions []Condition, selectable ...fieldlabel.Field) Pushed {
	p := Pushed{Asked: t}
	if t.Name != "" || t.Subresource != "" || extent == Nothing {
		return p
	}
	for _, c := range conditions {
		p.leave(c, extent, selectable)
	}
	return p
}

// leave leaves a condition to the server, as far as it can select by it.
func (p *Pushed) leave(c Condition, extent Extent, selectable []fieldlabel.Field) {
	s := selectionOf(p.Asked, c, selectable)
	if s.empty() || extent == Lasting && !s.lasting {
		return
	}
	switch {
	case c.Fails && (extent != Listed || s.without == nil || p.Unanswered != nil):
		return
	case c.Fails:
		unanswered := s.without.of(p.Asked)
		p.Unanswered = &unanswered
	case p.Unanswered != nil:
		*p.Unanswered = s.of(*p.Unanswered)
	}
	p.Asked = s.of(p.Asked)
	if s.decides && !c.Fails {
		p.Known = append(p.Known, cache.IndexedValues{Name: c.Index, Values: c.Wanted})
	}
	p.Reasons = append(p.Reasons, fmt.Sprintf("%s: %s is left to the server: %s", p.Asked.Resource.GroupResource(), c.Reader, describe(p.Asked)))
	if c.Fails {
		p.Reasons = append(p.Reasons, fmt.Sprintf("%s: %s may have no answer: asked for, too, are %s", p.Asked.Resource.GroupResource(), c.Reader, describe(*p.Unanswered)))
	}
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

// Declares says whether it may pay to ask what fields a type declares as selectable:
// there is a condition on one, and the type is none of those whose fields are known.
func Declares(t cache.Target, conditions []Condition) bool {
	return !index.IsKubernetes(t.Kind.Group) && slices.ContainsFunc(conditions, func(c Condition) bool {
		path, isPath := strings.CutPrefix(c.Index, ".")
		return isPath && !selectionOf(t, c, []fieldlabel.Field{{Path: path, IsText: true}}).empty() && selectionOf(t, c, nil).empty()
	})
}

// equal is a term of a field selector.
func equal(label, value string) string { return fields.OneTermEqualSelector(label, value).String() }

func notEqual(label, value string) string {
	return fields.OneTermNotEqualSelector(label, value).String()
}
