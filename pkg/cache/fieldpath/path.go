package fieldpath

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Path is one JSONPath to values of an object, for an index.
//
// What most paths are made of, member names and [*], is walked by a Tree: the
// same walk serves metadata alone, Go structs and nested maps. From the first
// other operator on, a filter, a slice, a union, a wildcard or a recursive
// descent, client-go's JSONPath goes on, once from each value reached before it.
// An object it cannot be applied to gives it no values.
type Path struct {
	text  string
	plain Tree
	// rest is what client-go evaluates; nil for most paths.
	rest  *jsonpath.JSONPath
	needs cache.Representation
	// names are the member names on the way, those in filters apart.
	names []string
}

var (
	errTemplate  = errors.New("it is a template, not one path")
	errNoName    = errors.New("a field name is missing")
	errBackslash = errors.New("JSONPath cannot name a key with a backslash in it")
)

// Parse reads a path with or without braces and leading dot, as kubectl's custom
// columns do. Keys may be escaped (a\.b) or quoted (['a.b']).
func Parse(path string) (*Path, error) {
	text := path
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return nil, pathError(path, errors.New("the closing } is missing"))
		}
		text = strings.TrimSpace(inner)
	}
	text = strings.TrimPrefix(text, "$")
	if !strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "[") {
		text = "." + text
	}
	p := &Path{}
	if err := p.parse(text); err != nil {
		return nil, pathError(path, err)
	}
	return p, nil
}

func pathError(path string, reason error) error {
	return fmt.Errorf("invalid field path %q: %w", path, reason)
}

func (p *Path) parse(text string) error {
	text, plain, err := escapeQuotedKeys(text)
	if err != nil {
		return err
	}
	whole, root, err := parseTemplate("{"+text+"}", p.check)
	if err != nil {
		return err
	}
	if len(root.Nodes) != 1 {
		return errTemplate
	}
	p.needs = whole.needs
	names, err := jsonpath.Parse("path", "{"+text[:plain]+"}")
	if err != nil {
		return err
	}
	p.addPlain(names.Root.Nodes[0].(*jsonpath.ListNode).Nodes)
	p.text += text[plain:]
	if plain == len(text) {
		return nil
	}
	p.rest = jsonpath.New("path").AllowMissingKeys(true)
	return p.rest.Parse("{" + text[plain:] + "}")
}

// addPlain adds what is walked and spelled here: member names and [*].
func (p *Path) addPlain(nodes []jsonpath.Node) {
	var steps []string
	for _, node := range nodes {
		name := fieldOf(node)
		steps = append(steps, name)
		if name == each {
			p.text += "[*]"
		} else {
			p.text += Spell(name)
		}
	}
	p.plain.Add(steps...)
}

// check refuses what a template may hold and a path may not. Among it are range
// and end, which would also make client-go's JSONPath change as it is used, and
// bare words in a filter, which it would only find out about object by object.
func (p *Path) check(node jsonpath.Node, inFilter bool) error {
	switch node := node.(type) {
	case *jsonpath.IdentifierNode:
		if inFilter {
			return fmt.Errorf("%q is neither a path nor quoted", node.Name)
		}
		return errTemplate
	case *jsonpath.TextNode, *jsonpath.IntNode, *jsonpath.FloatNode, *jsonpath.BoolNode:
		if !inFilter {
			return errTemplate
		}
	case *jsonpath.FieldNode:
		if inFilter {
			return nil
		}
		if node.Value == "" {
			return errNoName
		}
		p.names = append(p.names, node.Value)
	}
	return nil
}

// String is the path in one spelling, which starts with a dot.
func (p *Path) String() string { return p.text }

// Needs is the least representation that has what the path reads, as
// Expression.Needs.
func (p *Path) Needs() cache.Representation { return p.needs }

// WalksStructs says that the path can be walked in Go structs. Others need nested maps.
func (p *Path) WalksStructs() bool { return p.rest == nil }

// Texts calls found for each scalar at the path.
func (p *Path) Texts(root reflect.Value, found func(string)) {
	p.plain.Walk(root, func(node reflect.Value) {
		if p.rest == nil {
			Texts(node, found)
			return
		}
		for _, value := range p.find(node) {
			Texts(value, found)
		}
	})
}

// find lets client-go go on from a node. It walks strings byte by byte: those
// bytes are no values.
func (p *Path) find(node reflect.Value) []reflect.Value {
	node = concrete(node)
	if !node.IsValid() {
		return nil
	}
	results, err := Find(p.rest, node.Interface())
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Concat(results...), func(value reflect.Value) bool { return value.Kind() == reflect.Uint8 })
}
