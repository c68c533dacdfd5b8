package index

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// fieldPath is one JSONPath to values of an object.
//
// What most paths are made of, member names and [*], is walked here: the same
// walk serves metadata alone, Go structs and nested maps. From the first other
// operator on, a filter, a slice, a union, a wildcard or a recursive descent,
// client-go's JSONPath goes on, once from each value reached before it. An
// object it cannot be applied to gives it no values.
type fieldPath struct {
	steps []step
	plain branch
	// names are the member names on the way, those in filters apart.
	names []string
	// rest is what client-go evaluates, with the braces of its syntax; empty for
	// most paths.
	rest   string
	finder *jsonpath.JSONPath
}

// parseFieldPath reads a path with or without braces and leading dot, as
// kubectl's custom columns do. Keys may be escaped (a\.b) or quoted (['a.b']).
func parseFieldPath(path string) (*fieldPath, error) {
	text := path
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return nil, pathError(path, "the closing } is missing")
		}
		text = strings.TrimSpace(inner)
	}
	text = strings.TrimPrefix(text, "$")
	if !strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "[") {
		text = "." + text
	}
	p := &fieldPath{}
	rest, err := p.takeSteps(text)
	if err == nil {
		err = p.takeRest(rest)
	}
	if err != nil {
		return nil, pathError(path, err.Error())
	}
	p.plain.add(p.steps)
	return p, nil
}

func pathError(path, reason string) error {
	return fmt.Errorf("invalid field path %q: %s", path, reason)
}

// takeSteps takes member names and [*] from the front of text, and returns what is left.
func (p *fieldPath) takeSteps(text string) (rest string, err error) {
	for text != "" {
		if after, ok := strings.CutPrefix(text, "[*]"); ok {
			p.steps, text = append(p.steps, step{each: true}), after
			continue
		}
		key, after, ok := quotedKey(text)
		if !ok {
			if key, after, ok = dottedKey(text); !ok {
				return text, nil
			}
		}
		if key == "" {
			return "", errors.New("a field name is missing")
		}
		p.steps, p.names, text = append(p.steps, step{name: key}), append(p.names, key), after
	}
	return "", nil
}

// takeRest hands over to client-go what takeSteps could not take.
func (p *fieldPath) takeRest(rest string) error {
	if rest == "" {
		return nil
	}
	p.rest = "{" + escapeQuotedKeys(rest) + "}"
	parser, err := jsonpath.Parse("path", p.rest)
	if err != nil {
		return err
	}
	if len(parser.Root.Nodes) != 1 {
		return errTemplate
	}
	if err := p.checkNodes(parser.Root.Nodes); err != nil {
		return err
	}
	p.finder = jsonpath.New("path").AllowMissingKeys(true)
	return p.finder.Parse(p.rest)
}

var errTemplate = errors.New("it is a template, not one path")

// checkNodes refuses what a template may hold and a path may not. Among it are
// range and end, which would also make client-go's JSONPath change as it is used.
func (p *fieldPath) checkNodes(nodes []jsonpath.Node) error {
	for _, node := range nodes {
		var err error
		switch node := node.(type) {
		case *jsonpath.ListNode:
			err = p.checkNodes(node.Nodes)
		case *jsonpath.UnionNode:
			for _, part := range node.Nodes {
				err = errors.Join(err, p.checkNodes(part.Nodes))
			}
		case *jsonpath.FilterNode:
			err = noWords(slices.Concat(node.Left.Nodes, node.Right.Nodes))
		case *jsonpath.FieldNode:
			p.names = append(p.names, node.Value)
			if node.Value == "" {
				err = errors.New("a field name is missing")
			}
		case *jsonpath.ArrayNode, *jsonpath.WildcardNode, *jsonpath.RecursiveNode:
		default:
			err = errTemplate
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noWords refuses bare words in a filter, which client-go would only find out
// about object by object.
func noWords(nodes []jsonpath.Node) error {
	for _, node := range nodes {
		if word, ok := node.(*jsonpath.IdentifierNode); ok {
			return fmt.Errorf("%q is neither a path nor quoted", word.Name)
		}
	}
	return nil
}

// needs is the least representation that has what the path reads.
func (p *fieldPath) needs() cache.Representation {
	if len(p.steps) == 0 {
		return cache.Whole
	}
	switch p.steps[0].name {
	case "metadata":
		if len(p.steps) > 1 && p.steps[1].name == "managedFields" {
			return cache.ManagedFields
		}
		return cache.Metadata
	case "apiVersion", "kind":
		return cache.Metadata
	}
	return cache.Whole
}

// values are the scalars at the path.
func (p *fieldPath) values(v *view) []string {
	var values []string
	add := func(s string) { values = append(values, s) }
	p.plain.walk(p.root(v), func(node reflect.Value) {
		if p.finder == nil {
			texts(node, add)
			return
		}
		for _, found := range p.find(node) {
			texts(found, add)
		}
	})
	return values
}

// root is what the path starts from: never more of the object than it needs.
func (p *fieldPath) root(v *view) reflect.Value {
	whole := p.needs().Has(cache.Whole)
	switch {
	case whole && p.finder == nil:
		return v.whole()
	case whole:
		return reflect.ValueOf(v.maps())
	case p.finder == nil:
		return reflect.ValueOf(v.metadata())
	default:
		return reflect.ValueOf(v.metadataMaps())
	}
}

// find lets client-go go on from a node. It walks strings byte by byte: those
// bytes are no values.
func (p *fieldPath) find(node reflect.Value) []reflect.Value {
	node = concrete(node)
	if !node.IsValid() {
		return nil
	}
	results, err := p.finder.FindResults(node.Interface())
	if err != nil {
		return nil
	}
	var found []reflect.Value
	for _, part := range results {
		for _, value := range part {
			if value.Kind() != reflect.Uint8 {
				found = append(found, value)
			}
		}
	}
	return found
}
