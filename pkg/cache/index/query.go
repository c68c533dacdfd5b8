package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// Query is what --by asks for, of any type.
type Query struct {
	terms []term
}

// term is one --by.
type term struct {
	name string
	not  bool
	// values are what the index must hold for the object: one of them. All but a
	// reference have just one.
	values []string
	// empty marks the value "" as written: objects without any value are meant too.
	empty bool
	// reference stands for values that are not known yet; nil for most.
	reference *Reference
}

// Reference is a value of --by written @TYPE/OBJECT or @TYPE/NAMESPACE/OBJECT:
// it stands for the values that this object has in the index.
type Reference struct {
	// Index is the NAME in --by. It is to be looked up for the object's own type.
	Index string
	// Type is a resource argument. Namespace is empty where none is given.
	Type, Namespace, Object string
}

// String is the reference as users write it.
func (r Reference) String() string {
	if r.Namespace == "" {
		return "@" + r.Type + "/" + r.Object
	}
	return "@" + r.Type + "/" + r.Namespace + "/" + r.Object
}

// ParseQuery reads the values of --by: NAME=VALUE, also written NAME==VALUE, or
// NAME!=VALUE. Everything after the operator is VALUE, however full of signs;
// only a leading @ means a Reference, and a leading @@ one @ of the value itself.
// An empty VALUE is what objects have that have no value, or an empty one.
func ParseQuery(by []string) (Query, error) {
	var q Query
	for _, expression := range by {
		t, err := parseTerm(expression)
		if err != nil {
			return Query{}, fmt.Errorf("invalid --by %q: %w", expression, err)
		}
		q.terms = append(q.terms, t)
	}
	return q, nil
}

func parseTerm(expression string) (term, error) {
	operator := operatorIn(expression)
	if operator < 0 {
		return term{}, fmt.Errorf("expected NAME=VALUE or NAME!=VALUE")
	}
	name, value := expression[:operator], expression[operator+1:]
	name, not := strings.CutSuffix(name, "!")
	if name == "" {
		return term{}, fmt.Errorf("expected a NAME before the operator")
	}
	if !not {
		value = strings.TrimPrefix(value, "=")
	}
	t := term{name: name, not: not, values: []string{value}, empty: value == ""}
	if literal, ok := strings.CutPrefix(value, "@@"); ok {
		t.values[0] = "@" + literal
	} else if strings.HasPrefix(value, "@") {
		reference, err := parseReference(name, value)
		if err != nil {
			return term{}, err
		}
		t.reference, t.values = &reference, nil
	}
	return t, nil
}

// operatorIn finds the = that ends NAME: the first that is not inside a path's
// brackets or braces, nor escaped. It returns -1 if there is none.
func operatorIn(expression string) int {
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '=':
			return i
		case '\\':
			i++
		case '[', '{':
			i = fieldpath.Bracketed(expression, i) - 1
		}
	}
	return -1
}

func parseReference(index, value string) (Reference, error) {
	parts := strings.Split(value[1:], "/")
	if len(parts) < 2 || len(parts) > 3 || slices.Contains(parts, "") {
		return Reference{}, fmt.Errorf("expected @TYPE/OBJECT or @TYPE/NAMESPACE/OBJECT (@@ is a literal @)")
	}
	r := Reference{Index: index, Type: parts[0], Object: parts[len(parts)-1]}
	if len(parts) == 3 {
		r.Namespace = parts[1]
	}
	return r, nil
}

// Empty says whether nothing is asked for, so that every object is an answer.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// References are the objects whose values must be known before the query can be
// bound, each once.
func (q Query) References() []Reference {
	var references []Reference
	for _, t := range q.terms {
		if t.reference != nil && !slices.Contains(references, *t.reference) {
			references = append(references, *t.reference)
		}
	}
	return references
}

// Resolve returns the query with the values of every reference put in: those
// that Definition.Values returns for the object in the index that its own type
// has under Reference.Index. An object without values is like none of them.
func (q Query) Resolve(values map[Reference][]string) Query {
	resolved := Query{terms: slices.Clone(q.terms)}
	for i, t := range resolved.terms {
		if t.reference == nil {
			continue
		}
		if found, ok := values[*t.reference]; ok {
			resolved.terms[i].values, resolved.terms[i].reference = found, nil
		}
	}
	return resolved
}
