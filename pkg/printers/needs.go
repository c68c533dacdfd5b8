package printers

import (
	"k8s.io/client-go/util/jsonpath"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// everything is what an expression needs that cannot be followed.
const everything = cache.Whole | cache.ManagedFields

// ListNeeds is the least representation from which PrintList can answer. Flags
// that do not pass Validate need everything.
func (f *Flags) ListNeeds() cache.Representation {
	return f.needs(func(out *output) cache.Representation {
		switch out.format {
		case jsonPath:
			if !out.allowMissing() {
				return everything // the error for a missing key shows the objects
			}
			// kubectl drops managedFields from documents, not from templates.
			return readsInList(out.template)
		case goTemplate:
			return everything
		case customColumns:
			need := cache.Metadata
			for _, column := range out.columns.Columns {
				need |= readsInObject(column.FieldSpec)
			}
			return need
		default:
			return cache.Whole | f.managedFields()
		}
	})
}

// ListsAnnotations says whether PrintList may read annotations. The server's own
// columns and names do not show them.
func (f *Flags) ListsAnnotations() bool {
	out, err := f.resolve()
	if err != nil || len(f.SortBy) > 0 {
		return true
	}
	return out.format != names && (out.format != table || !f.ServerPrint)
}

// EventNeeds is the least representation from which an EventPrinter can print.
// Flags that do not pass Validate need everything.
func (f *Flags) EventNeeds() cache.Representation {
	changes := cache.Metadata
	if f.Diff {
		changes = cache.Whole
		if f.AllChanges {
			changes |= cache.ManagedFields
		}
	}
	return changes | f.needs(func(out *output) cache.Representation {
		need := cache.Whole
		switch out.format {
		case jsonPath:
			need = readsInEvent(out.template)
		case customColumns:
			need = cache.Metadata
			for _, column := range out.columns.Columns {
				need |= readsInObject(column.FieldSpec)
			}
		}
		// An event's object has managedFields only where they are asked for.
		return need&^cache.ManagedFields | f.managedFields()
	})
}

// needs is what lists and events have in common: tables, names and sort keys.
func (f *Flags) needs(objects func(*output) cache.Representation) cache.Representation {
	out, err := f.resolve()
	if err != nil {
		return everything
	}
	sorter, err := f.Sorter()
	if err != nil {
		return everything
	}
	need := sorter.needs()
	switch out.format {
	case table:
		if !f.ServerPrint {
			return need | cache.Whole
		}
		return need | cache.Cells
	case names:
		return need
	}
	return need | objects(out)
}

func (f *Flags) managedFields() cache.Representation {
	if f.showManagedFields() {
		return cache.ManagedFields
	}
	return cache.Metadata
}

// readsInObject says which parts of an object a JSONPath template reads. It
// follows plain paths, and takes everything where it cannot.
func readsInObject(template string) cache.Representation {
	return reads(template, func(path []jsonpath.Node) cache.Representation {
		if isRange(path) {
			path = path[1:]
		}
		return readsBelow(path)
	})
}

// readsInList is readsInObject for a template that sees a List of objects, or
// one object.
func readsInList(template string) cache.Representation {
	return reads(template, func(path []jsonpath.Node) cache.Representation {
		need, loops := cache.Metadata, isRange(path)
		if loops {
			path = path[1:]
		}
		if len(path) > 0 && fieldOf(path[0]) == "items" {
			need, path = skipElements(path[1:])
			if loops && len(path) == 0 {
				return need
			}
		}
		return need | readsBelow(path)
	})
}

// readsInEvent is readsInObject for a template that sees an event.
func readsInEvent(template string) cache.Representation {
	return reads(template, func(path []jsonpath.Node) cache.Representation {
		if isRange(path) {
			path = path[1:]
		}
		if len(path) == 0 {
			return everything
		}
		switch fieldOf(path[0]) {
		case "object", "oldObject":
			return readsBelow(path[1:])
		case "":
			return everything
		}
		return cache.Metadata
	})
}

func reads(template string, one func(path []jsonpath.Node) cache.Representation) cache.Representation {
	parser, err := jsonpath.Parse("needs", template)
	if err != nil {
		return everything
	}
	need := cache.Metadata
	for _, node := range parser.Root.Nodes {
		action, isAction := node.(*jsonpath.ListNode)
		if isAction && !isSilent(action.Nodes) {
			need |= one(action.Nodes)
		}
	}
	return need
}

// readsBelow is what a path reads that starts at an object.
func readsBelow(path []jsonpath.Node) cache.Representation {
	if len(path) == 0 {
		return everything
	}
	switch fieldOf(path[0]) {
	case "kind", "apiVersion":
		return cache.Metadata
	case "metadata":
		if len(path) > 1 {
			if field := fieldOf(path[1]); field != "" && field != "managedFields" {
				return cache.Metadata
			}
		}
		return everything
	case "":
		return everything
	}
	return cache.Whole
}

// skipElements drops the nodes that pick elements of items, and says what
// filters among them read.
func skipElements(path []jsonpath.Node) (cache.Representation, []jsonpath.Node) {
	need := cache.Metadata
	for i, node := range path {
		switch node := node.(type) {
		case *jsonpath.ArrayNode, *jsonpath.WildcardNode:
		case *jsonpath.FilterNode:
			for _, side := range []*jsonpath.ListNode{node.Left, node.Right} {
				if !isSilent(side.Nodes) && !isConstant(side.Nodes) {
					need |= readsBelow(side.Nodes)
				}
			}
		default:
			return need, path[i:]
		}
	}
	return need, nil
}

// isSilent is true of {end} and of quoted text, which read nothing.
func isSilent(path []jsonpath.Node) bool {
	if len(path) != 1 {
		return false
	}
	if identifier, ok := path[0].(*jsonpath.IdentifierNode); ok {
		return identifier.Name == "end"
	}
	_, text := path[0].(*jsonpath.TextNode)
	return text
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

func isRange(path []jsonpath.Node) bool {
	if len(path) == 0 {
		return false
	}
	identifier, ok := path[0].(*jsonpath.IdentifierNode)
	return ok && identifier.Name == "range"
}

// fieldOf is the name of the field that a node selects; empty for other nodes.
func fieldOf(node jsonpath.Node) string {
	if field, ok := node.(*jsonpath.FieldNode); ok {
		return field.Value
	}
	return ""
}
