package match

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// pathCondition is --for=jsonpath=EXPR=VALUE, and != where negated. A path that
// leads nowhere is not VALUE. Without a VALUE anything at the path will do. The
// rules are those of kubectl's cmd/wait/json.go, but that a path which cannot be
// followed in an object (an index that is not there yet) is unmet and no error.
type pathCondition struct {
	path     *fieldpath.Expression
	value    string
	anyValue bool
	negated  bool
}

func (p pathCondition) reads() reads { return reads{form: p.path.Needs()} }

func (p pathCondition) check(_ context.Context, in input) (finding, error) {
	values, err := p.path.Find(in.object)
	switch {
	case err != nil:
		return finding{what: p.path.String() + ": " + err.Error()}, nil
	case len(values) == 0 && p.negated:
		return p.asGiven(), nil
	case len(values) == 0:
		return finding{what: p.path.String() + " is not set"}, nil
	case len(values) > 1:
		return finding{}, errors.New("given jsonpath expression matches more than one value")
	case p.anyValue:
		return p.asGiven(), nil
	}
	return p.compare(values[0])
}

func (p pathCondition) compare(value any) (finding, error) {
	switch value.(type) {
	case map[string]any, []any:
		return finding{}, errors.New("jsonpath leads to a nested object or list which is not supported")
	}
	text := fmt.Sprint(value)
	if equal := strings.TrimSpace(text) == strings.TrimSpace(p.value); equal != p.negated {
		return p.asGiven(), nil
	}
	return finding{what: p.instead(value)}, nil
}

// asGiven is the condition met, in the words of whoever asked: the value that an
// object has may be a secret.
func (p pathCondition) asGiven() finding {
	what := p.path.String()
	switch {
	case p.negated:
		what += "!=" + p.value
	case !p.anyValue:
		what += "=" + p.value
	}
	return finding{met: true, what: what}
}

// instead says what is at the path, and what is wanted where that is more than
// something else. Texts are in quotes.
func (p pathCondition) instead(value any) string {
	has, want := fmt.Sprint(value), p.value
	switch value.(type) {
	case string:
		has, want = strconv.Quote(has), strconv.Quote(want)
	case nil:
		has = "null"
	}
	if p.negated {
		return fmt.Sprintf("%s is %s", p.path, has)
	}
	return fmt.Sprintf("%s is %s, not %s", p.path, has, want)
}
