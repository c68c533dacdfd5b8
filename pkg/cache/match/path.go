package match

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/client-go/util/jsonpath"
	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// path is a JSONPath into an object. Finding changes nothing in it: `range`,
// which would, is refused.
type path struct {
	// text is the path without braces, as it is shown: .status.phase
	text   string
	finder *jsonpath.JSONPath
	form   cache.Representation
	// unordered says that what it finds comes in the order of a map.
	unordered bool
}

// relax gives a path the braces and the dot that kubectl lets people leave out.
func relax(expression string) (string, error) {
	return get.RelaxedJSONPathExpression(expression)
}

// parsePath parses a path that has its braces. Errors are kubectl's.
func parsePath(expression string) (*path, error) {
	if expression == "" {
		return nil, errors.New("jsonpath expression cannot be empty")
	}
	finder := jsonpath.New("path").AllowMissingKeys(true)
	if err := finder.Parse(expression); err != nil {
		return nil, err
	}
	tree, err := jsonpath.Parse("path", expression)
	if err != nil {
		return nil, err
	}
	p := &path{text: strings.TrimSuffix(strings.TrimPrefix(expression, "{"), "}"), finder: finder}
	p.form = formOf(leadingFields(tree.Root))
	return p, p.inspect(tree.Root)
}

// leadingFields are the fields a path goes through before anything else.
func leadingFields(root *jsonpath.ListNode) []string {
	var fields []string
	for _, node := range root.Nodes {
		switch node := node.(type) {
		case *jsonpath.ListNode:
			return leadingFields(node)
		case *jsonpath.FieldNode:
			fields = append(fields, node.Value)
		default:
			return fields
		}
	}
	return fields
}

func (p *path) inspect(list *jsonpath.ListNode) error {
	for _, node := range list.Nodes {
		if err := p.inspectNode(node); err != nil {
			return err
		}
	}
	return nil
}

func (p *path) inspectNode(node jsonpath.Node) error {
	switch node := node.(type) {
	case *jsonpath.IdentifierNode:
		return fmt.Errorf("unrecognized identifier %s", node.Name)
	case *jsonpath.WildcardNode, *jsonpath.RecursiveNode:
		p.unordered = true
	case *jsonpath.FieldNode:
		if node.Value == managedFieldsField {
			p.form |= cache.ManagedFields
		}
	case *jsonpath.ListNode:
		return p.inspect(node)
	case *jsonpath.FilterNode:
		return errors.Join(p.inspect(node.Left), p.inspect(node.Right))
	case *jsonpath.UnionNode:
		for _, list := range node.Nodes {
			if err := p.inspect(list); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the values at the path; none where it leads nowhere. An error
// says that this object is not built as the path supposes: an index out of
// bounds, a list that is none.
func (p *path) find(object map[string]any) ([]any, error) {
	lists, err := p.finder.FindResults(object)
	if err != nil {
		return nil, err
	}
	var values []any
	for _, list := range lists {
		for _, value := range list {
			values = append(values, value.Interface())
		}
	}
	return values, nil
}
