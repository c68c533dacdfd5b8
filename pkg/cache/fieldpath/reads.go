package fieldpath

import (
	"slices"

	"k8s.io/client-go/util/jsonpath"
)

// position is where in a template's data something is: below these member names,
// counted from the root. The elements of a list are where the list is.
type position struct {
	names []string
	// unknown is what a wildcard, a recursive descent or a function leads to.
	unknown bool
}

func (p position) member(names ...string) position {
	return position{names: slices.Concat(p.names, names), unknown: p.unknown || slices.Contains(names, "")}
}

// elements are what a list at the position holds. The root is no list.
func (p position) elements() position {
	return position{names: p.names, unknown: p.unknown || len(p.names) == 0}
}

// reads collects paths from the root of a template's data.
type reads struct {
	paths [][]string
}

// add notes what is read, as far as it is known. The root as a whole has no name.
func (r *reads) add(at position) {
	if !at.unknown && len(at.names) > 0 {
		r.paths = append(r.paths, at.names)
	}
}

// JSONPathReads returns the paths, from the root of what it sees, that a JSONPath
// template reads, in its order and each as member names: those in a range go on
// from what it loops over. What a wildcard or a recursive descent leads to is
// left out: nobody can tell.
func JSONPathReads(template string) ([][]string, error) {
	parser, err := jsonpath.Parse("template", template)
	if err != nil {
		return nil, err
	}
	r := &reads{}
	at := []position{{}}
	for _, node := range parser.Root.Nodes {
		action, isAction := node.(*jsonpath.ListNode)
		here := at[len(at)-1]
		switch {
		case !isAction:
		case isWord(action.Nodes, "end"):
			at = at[:max(1, len(at)-1)]
		case isRange(action.Nodes):
			at = append(at, r.follow(action.Nodes[1:], here))
		default:
			r.follow(action.Nodes, here)
		}
	}
	return r.paths, nil
}

// follow adds what one path reads, and returns where it leads.
func (r *reads) follow(path []jsonpath.Node, at position) position {
	for _, node := range path {
		switch node := node.(type) {
		case *jsonpath.FieldNode:
			at = at.member(node.Value)
		case *jsonpath.ArrayNode:
			at = at.elements()
		case *jsonpath.FilterNode:
			at = at.elements()
			r.follow(node.Left.Nodes, at)
			r.follow(node.Right.Nodes, at)
		case *jsonpath.UnionNode:
			for _, list := range node.Nodes {
				r.follow(list.Nodes, at)
			}
			at.unknown = true
		case *jsonpath.WildcardNode, *jsonpath.RecursiveNode:
			r.add(at)
			at.unknown = true
		default: // a constant
			at.unknown = true
		}
	}
	r.add(at)
	return at
}
