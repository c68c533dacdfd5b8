package printers

import (
	"slices"

	"k8s.io/client-go/util/jsonpath"
)

// projection is the part of an object that a template reads: a tree of member
// names. Below a leaf everything is read, and nil is everything.
type projection struct {
	members map[string]*projection
}

// projectionOf says what a JSONPath template that sees a List reads of each
// object; nil where it cannot be followed, or reads whole objects.
func projectionOf(template string) *projection {
	parser, err := jsonpath.Parse("projection", template)
	if err != nil {
		return nil
	}
	p := &projection{members: map[string]*projection{}}
	for _, node := range parser.Root.Nodes {
		action, isAction := node.(*jsonpath.ListNode)
		if isAction && !isSilent(action.Nodes) && !p.addAction(action.Nodes) {
			return nil
		}
	}
	return p
}

// addAction adds what one action reads. Its path starts at the List or, within a
// range, at an object or at something in an object that another path has added.
func (p *projection) addAction(path []jsonpath.Node) bool {
	loops := isRange(path)
	if loops {
		path = path[1:]
	}
	if len(path) == 0 || fieldOf(path[0]) != "items" {
		return p.addPath(path)
	}
	elements := 1
	for ; elements < len(path); elements++ {
		switch node := path[elements].(type) {
		case *jsonpath.ArrayNode, *jsonpath.WildcardNode:
			continue
		case *jsonpath.FilterNode:
			if p.addFilter(node) {
				continue
			}
			return false
		}
		break
	}
	if rest := path[elements:]; len(rest) > 0 || !loops {
		return p.addPath(rest)
	}
	return true
}

func (p *projection) addFilter(filter *jsonpath.FilterNode) bool {
	for _, side := range []*jsonpath.ListNode{filter.Left, filter.Right} {
		if !isSilent(side.Nodes) && !isConstant(side.Nodes) && !p.addPath(side.Nodes) {
			return false
		}
	}
	return true
}

// addPath adds the names with which a path begins. It says whether there are any.
func (p *projection) addPath(path []jsonpath.Node) bool {
	end := slices.IndexFunc(path, func(node jsonpath.Node) bool { return fieldOf(node) == "" })
	if end < 0 {
		end = len(path)
	}
	at := p
	for i, node := range path[:end] {
		next, there := at.members[fieldOf(node)]
		switch {
		case there && next == nil:
			return true
		case i == end-1:
			next = nil
		case !there:
			next = &projection{members: map[string]*projection{}}
		}
		at.members[fieldOf(node)] = next
		at = next
	}
	return end > 0
}

// of returns what is read of an object. The object is not changed, and what is
// read of it is shared.
func (p *projection) of(object map[string]any) map[string]any {
	if p == nil {
		return object
	}
	part := make(map[string]any, len(p.members))
	for name, below := range p.members {
		value, there := object[name]
		if !there {
			continue
		}
		if inner, isObject := value.(map[string]any); isObject {
			value = below.of(inner)
		}
		part[name] = value
	}
	return part
}
