package fieldpath

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Expression is one JSONPath as kubectl reads it. Finding changes nothing in it:
// range, which would, is refused.
type Expression struct {
	text      string
	finder    *jsonpath.JSONPath
	needs     cache.Representation
	unordered bool
	fields    []string
}

// ParseExpression parses a JSONPath in braces. Errors are kubectl's.
func ParseExpression(text string) (*Expression, error) {
	if text == "" {
		return nil, errors.New("jsonpath expression cannot be empty")
	}
	e, _, err := parseTemplate(text, func(node jsonpath.Node, _ bool) error {
		if word, ok := node.(*jsonpath.IdentifierNode); ok {
			return fmt.Errorf("unrecognized identifier %s", word.Name)
		}
		return nil
	})
	return e, err
}

// parseTemplate has check look at every node, and say which of them are in a filter.
func parseTemplate(text string, check func(node jsonpath.Node, inFilter bool) error) (*Expression, *jsonpath.ListNode, error) {
	parser, err := jsonpath.Parse("path", text)
	if err != nil {
		return nil, nil, err
	}
	e := &Expression{text: text, finder: jsonpath.New("path").AllowMissingKeys(true)}
	if err := e.finder.Parse(text); err != nil {
		return nil, nil, err
	}
	asks := false
	err = visit(parser.Root, false, func(node jsonpath.Node, inFilter bool) error {
		switch node := node.(type) {
		case *jsonpath.WildcardNode, *jsonpath.RecursiveNode:
			e.unordered = true
		case *jsonpath.FieldNode:
			asks = asks || ofManagedFields(node.Value)
			if !inFilter {
				e.fields = append(e.fields, node.Value)
			}
		}
		return check(node, inFilter)
	})
	e.needs = templateTree(parser.Root, false).Needs()
	if !asks {
		e.needs &^= cache.ManagedFields
	}
	return e, parser.Root, err
}

// visit goes through a list of nodes, and what is in them, until an error.
func visit(list *jsonpath.ListNode, inFilter bool, look func(node jsonpath.Node, inFilter bool) error) error {
	for _, node := range list.Nodes {
		if err := look(node, inFilter); err != nil {
			return err
		}
		var inner []*jsonpath.ListNode
		innerFilter := inFilter
		switch node := node.(type) {
		case *jsonpath.ListNode:
			inner = []*jsonpath.ListNode{node}
		case *jsonpath.UnionNode:
			inner = node.Nodes
		case *jsonpath.FilterNode:
			inner, innerFilter = []*jsonpath.ListNode{node.Left, node.Right}, true
		}
		for _, list := range inner {
			if err := visit(list, innerFilter, look); err != nil {
				return err
			}
		}
	}
	return nil
}

// String is the path without braces, as it is shown: .status.phase
func (e *Expression) String() string {
	return strings.TrimSuffix(strings.TrimPrefix(e.text, "{"), "}")
}

// Needs is the least representation that has what the path reads. managedFields
// are only for a path that names them or one of their fields: others do not see them.
func (e *Expression) Needs() cache.Representation { return e.needs }

// Unordered says that what is found comes in the order of a map.
func (e *Expression) Unordered() bool { return e.unordered }

// Fields are the names of the fields that the path spells out, those in filters
// left out.
func (e *Expression) Fields() []string { return e.fields }

// Find returns the values at the path; none where it leads nowhere. An error
// says that this object is not built as the path supposes: an index out of
// bounds, a list that is none.
func (e *Expression) Find(object any) ([]any, error) {
	lists, err := Find(e.finder, object)
	var values []any
	for _, list := range lists {
		for _, value := range list {
			values = append(values, value.Interface())
		}
	}
	return values, err
}

// Find evaluates a template. A panic is an error: client-go's evaluator panics
// on a few odd combinations of template and object.
func Find(template *jsonpath.JSONPath, object any) (results [][]reflect.Value, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			results, err = nil, fmt.Errorf("%v", caught)
		}
	}()
	return template.FindResults(object)
}
