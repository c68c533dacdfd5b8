package match

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// Changed is what every --changed together asks of an update.
type Changed struct {
	paths []*fieldpath.Expression
}

// ParseChanged parses JSONPaths, in kubectl's relaxed form too: spec.replicas,
// .spec.replicas, {.spec.containers[*].image}.
func ParseChanged(paths ...string) (*Changed, error) {
	c := &Changed{}
	for _, text := range paths {
		expression, err := get.RelaxedJSONPathExpression(text)
		if err != nil {
			return nil, fmt.Errorf("--changed %s: %w", text, err)
		}
		parsed, err := fieldpath.ParseExpression(expression)
		if err != nil {
			return nil, fmt.Errorf("--changed %s: %w", text, err)
		}
		c.paths = append(c.paths, parsed)
	}
	return c, nil
}

// Needs is the least form in which objects can be compared.
func (c *Changed) Needs() cache.Representation {
	var form cache.Representation
	for _, p := range c.paths {
		form |= p.Needs()
	}
	return form
}

// Fields are the names of the fields that the paths spell out.
func (c *Changed) Fields() []string {
	var fields []string
	for _, p := range c.paths {
		fields = append(fields, p.Fields()...)
	}
	return fields
}

// Between says whether the value at one of the paths, at least, differs between
// the two states. A value that comes or goes differs. Without an old state
// there is no update, and the answer is no. What `.*` and `..` find has no
// order: two values that only change places do not differ.
func (c *Changed) Between(old, now *cache.Row) bool {
	if old == nil {
		return false
	}
	in, err := decode(now, old, true, nil)
	if err != nil {
		// Nobody can know, and one report too many does less harm.
		return true
	}
	return slices.ContainsFunc(c.paths, func(path *fieldpath.Expression) bool {
		return !reflect.DeepEqual(comparableAt(path, in.old), comparableAt(path, in.object))
	})
}

// comparableAt returns the values at the path in a form that two objects can be
// compared by. Where the path cannot be followed there is no value.
func comparableAt(path *fieldpath.Expression, object map[string]any) []any {
	values, err := path.Find(object)
	if err != nil {
		return nil
	}
	if !path.Unordered() {
		return values
	}
	texts := make([]string, len(values))
	for i, value := range values {
		// Values out of an object are JSON values: they always have a text.
		text, _ := json.Marshal(value)
		texts[i] = string(text)
	}
	slices.Sort(texts)
	return []any{texts}
}
