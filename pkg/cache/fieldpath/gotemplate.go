package fieldpath

import (
	"slices"
	"text/template/parse"
)

// GoTemplateReads is JSONPathReads for a Go template: with, range, variables, $
// and named templates are followed. What a function returns is left out.
func GoTemplateReads(template string) ([][]string, error) {
	trees := map[string]*parse.Tree{}
	root := parse.New("")
	root.Mode = parse.SkipFuncCheck // kubectl's functions are not known here
	if _, err := root.Parse(template, "", "", trees); err != nil {
		return nil, err
	}
	w := &templateWalk{trees: trees}
	w.template("", position{})
	return w.paths, nil
}

// templateWalk goes through the nodes of a Go template.
type templateWalk struct {
	reads
	trees map[string]*parse.Tree
	// calls are the templates being walked: one that calls itself is not followed.
	calls     []string
	variables []variable
}

type variable struct {
	name string
	at   position
}

// template walks a template that is handed what is at dot.
func (w *templateWalk) template(name string, dot position) {
	tree := w.trees[name]
	if tree == nil || tree.Root == nil || slices.Contains(w.calls, name) {
		return
	}
	variables := w.variables
	w.calls, w.variables = append(w.calls, name), []variable{{name: "$", at: dot}}
	w.list(tree.Root, dot)
	w.calls, w.variables = w.calls[:len(w.calls)-1], variables
}

// list walks the nodes of a block, whose variables end with it.
func (w *templateWalk) list(list *parse.ListNode, dot position) {
	if list == nil {
		return
	}
	outside := len(w.variables)
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.ActionNode:
			w.declare(node.Pipe, w.pipe(node.Pipe, dot))
		case *parse.IfNode:
			w.branch(&node.BranchNode, dot)
		case *parse.WithNode:
			w.branch(&node.BranchNode, dot)
		case *parse.RangeNode:
			w.branch(&node.BranchNode, dot)
		case *parse.TemplateNode:
			w.template(node.Name, w.pipe(node.Pipe, dot))
		}
	}
	w.variables = w.variables[:outside]
}

// branch walks what is between if, with or range, and its end.
func (w *templateWalk) branch(node *parse.BranchNode, dot position) {
	outside := len(w.variables)
	at, inner := w.pipe(node.Pipe, dot), dot
	switch node.NodeType {
	case parse.NodeRange:
		at = at.elements()
		inner = at
	case parse.NodeWith:
		inner = at
	}
	w.declare(node.Pipe, at)
	w.list(node.List, inner)
	w.list(node.ElseList, dot)
	w.variables = w.variables[:outside]
}

// declare sets the variables of a pipeline. Of two, the first is a range's index.
// A variable that is set again can be what it was or what it is now.
func (w *templateWalk) declare(pipe *parse.PipeNode, at position) {
	for i, decl := range pipe.Decl {
		v := variable{name: decl.Ident[0], at: at}
		v.at.unknown = at.unknown || pipe.IsAssign || i < len(pipe.Decl)-1
		if old := w.lookup(v.name); pipe.IsAssign && old != nil {
			*old = v
		} else {
			w.variables = append(w.variables, v)
		}
	}
}

func (w *templateWalk) lookup(name string) *variable {
	for i := len(w.variables) - 1; i >= 0; i-- {
		if w.variables[i].name == name {
			return &w.variables[i]
		}
	}
	return nil
}

// pipe adds what a pipeline reads, and returns where its value is.
func (w *templateWalk) pipe(pipe *parse.PipeNode, dot position) position {
	at := position{unknown: true}
	if pipe == nil {
		return at
	}
	for _, command := range pipe.Cmds {
		for _, argument := range command.Args {
			at = w.argument(argument, dot)
			w.add(at)
		}
	}
	at.unknown = at.unknown || len(pipe.Cmds) > 1 || len(pipe.Cmds[0].Args) > 1
	return at
}

// argument is where the value of an operand is.
func (w *templateWalk) argument(node parse.Node, dot position) position {
	switch node := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return dot.member(node.Ident...)
	case *parse.VariableNode:
		if v := w.lookup(node.Ident[0]); v != nil {
			return v.at.member(node.Ident[1:]...)
		}
	case *parse.ChainNode:
		return w.argument(node.Node, dot).member(node.Field...)
	case *parse.PipeNode:
		return w.pipe(node, dot)
	}
	return position{unknown: true}
}
