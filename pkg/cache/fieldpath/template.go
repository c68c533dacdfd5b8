package fieldpath

import "k8s.io/client-go/util/jsonpath"

// TemplateTree says what a JSONPath template reads of what it sees; everything
// where it cannot be followed.
func TemplateTree(template string) *Tree { return parsedTree(template, false) }

// ListTemplateTree says what a JSONPath template that sees a List, or one object,
// reads of each object.
func ListTemplateTree(template string) *Tree { return parsedTree(template, true) }

func parsedTree(template string, ofList bool) *Tree {
	parser, err := jsonpath.Parse("template", template)
	if err != nil {
		return Everything()
	}
	return templateTree(parser.Root, ofList)
}

func templateTree(root *jsonpath.ListNode, ofList bool) *Tree {
	t := &Tree{}
	for _, node := range root.Nodes {
		if action, isAction := node.(*jsonpath.ListNode); isAction && !isSilent(action.Nodes) {
			t.addAction(action.Nodes, ofList)
		}
	}
	return t
}

// addAction adds what one action reads. Its path starts at what the template sees
// or, within a range, at something in it that another path has added.
func (t *Tree) addAction(path []jsonpath.Node, ofList bool) {
	loops := isRange(path)
	if loops {
		path = path[1:]
	}
	if ofList && len(path) > 0 && fieldOf(path[0]) == "items" {
		path = t.skipElements(path[1:])
		if loops && len(path) == 0 {
			return
		}
	}
	t.addPath(path)
}

// skipElements drops the nodes that pick elements of items, and adds what
// filters among them read.
func (t *Tree) skipElements(path []jsonpath.Node) []jsonpath.Node {
	for i, node := range path {
		switch node := node.(type) {
		case *jsonpath.ArrayNode, *jsonpath.WildcardNode:
		case *jsonpath.FilterNode:
			for _, side := range []*jsonpath.ListNode{node.Left, node.Right} {
				if !isSilent(side.Nodes) && !isConstant(side.Nodes) {
					t.addPath(side.Nodes)
				}
			}
		default:
			return path[i:]
		}
	}
	return nil
}

// addPath adds the names with which a path begins.
func (t *Tree) addPath(path []jsonpath.Node) {
	var names []string
	for _, node := range path {
		name := fieldOf(node)
		if name == "" {
			break
		}
		names = append(names, name)
	}
	t.Add(names...)
}

// isSilent is true of {end} and of quoted text, which read nothing.
func isSilent(path []jsonpath.Node) bool {
	if len(path) != 1 {
		return false
	}
	_, text := path[0].(*jsonpath.TextNode)
	return text || isWord(path, "end")
}

func isConstant(path []jsonpath.Node) bool {
	if len(path) == 0 {
		return true
	}
	switch path[0].(type) {
	case *jsonpath.IntNode, *jsonpath.FloatNode, *jsonpath.BoolNode:
		return true
	}
	return false
}

func isRange(path []jsonpath.Node) bool { return isWord(path, "range") }

// isWord says whether a path begins with a keyword.
func isWord(path []jsonpath.Node, word string) bool {
	if len(path) == 0 {
		return false
	}
	identifier, ok := path[0].(*jsonpath.IdentifierNode)
	return ok && identifier.Name == word
}

// fieldOf is the name of the field that a node selects; empty for other nodes.
func fieldOf(node jsonpath.Node) string {
	if field, ok := node.(*jsonpath.FieldNode); ok {
		return field.Value
	}
	return ""
}
