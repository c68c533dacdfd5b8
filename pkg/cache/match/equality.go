package match

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// Equality is a part of an expression without which the whole does not hold: it
// compares the text at a path with constants. Where it does not hold, the expression
// is false, whatever the rest of it is: an object of which that is known need not be
// asked.
type Equality struct {
	// Path are the members from the object on.
	Path []string
	// Values are those of which an object has to have one; with Not there is one, which
	// it must not have.
	Values []string
	Not    bool
	// Absent says that it holds, too, for an object that has nothing at Path.
	Absent bool
	// Fails says that there may be no answer for an object that has nothing at Path.
	Fails bool
}

// Equalities are those of all expressions. Of several expressions one is asked only
// where those before it hold: what is after one that may be without an answer, or
// cost something, cannot be used.
func (w *Where) Equalities() []Equality {
	var all []Equality
	for _, e := range w.expressions {
		all = append(all, e.equalities...)
		if !e.decided {
			break
		}
	}
	return all
}

// equalitiesOf are the equalities of a checked expression among the parts that && joins.
// decided says that they are all of it, and that none is ever without an answer.
//
// CEL evaluates the parts one after the other, up to the first that is false; a part
// without an answer does not count where another is false. So an equality can be
// used wherever it stands, but behind what has a cost: there it would spare the error of
// an object that costs too much.
func equalitiesOf(checked *cel.Ast) (found []Equality, decided bool) {
	decided = true
	for _, part := range conjuncts(checked.NativeRep().Expr()) {
		equality, ok := equalityOf(part)
		switch {
		case ok:
			found = append(found, equality)
			decided = decided && !equality.Fails
		case isFree(part):
			decided = false
		default:
			return found, false
		}
	}
	return found, decided
}

// conjuncts are the parts of an expression that && joins, in order.
func conjuncts(e ast.Expr) []ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.LogicalAnd {
		return []ast.Expr{e}
	}
	var parts []ast.Expr
	for _, side := range e.AsCall().Args() {
		parts = append(parts, conjuncts(side)...)
	}
	return parts
}

// isFree says that an expression is made of what has no cost: neither loops nor
// functions.
func isFree(e ast.Expr) bool {
	free := true
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind, ast.SelectKind, ast.LiteralKind:
		case ast.CallKind:
			switch e.AsCall().FunctionName() {
			case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
				operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Index, operators.OptIndex, operators.OptSelect:
			default:
				free = false
			}
		default:
			free = false
		}
	}))
	return free
}

// equalityOf reads PATH == "text", "text" == PATH, PATH != "text" and PATH in ["text", …].
func equalityOf(e ast.Expr) (found Equality, ok bool) {
	if e.Kind() != ast.CallKind || len(e.AsCall().Args()) != 2 || e.AsCall().IsMemberFunction() {
		return found, false
	}
	left, right := e.AsCall().Args()[0], e.AsCall().Args()[1]
	switch e.AsCall().FunctionName() {
	case operators.Equals, operators.NotEquals:
		if _, isText := textIn(left); isText {
			left, right = right, left
		}
		text, isText := textIn(right)
		found.Values, found.Not = []string{text}, e.AsCall().FunctionName() == operators.NotEquals
		ok = isText
	case operators.In:
		found.Values, ok = textsIn(right)
	}
	return found, ok && found.read(left)
}

func textIn(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().Value().(string)
	return text, ok
}

// textsIn are the elements of a list of constants that is not empty.
func textsIn(e ast.Expr) (texts []string, ok bool) {
	if e.Kind() != ast.ListKind || e.AsList().Size() == 0 || len(e.AsList().OptionalIndices()) > 0 {
		return nil, false
	}
	for _, element := range e.AsList().Elements() {
		text, ok := textIn(element)
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// read reads the path, and what is there for an object that has nothing at it: with
// PATH.orValue("text"), where a member may be missing after .? or [?, it is that text.
func (q *Equality) read(e ast.Expr) bool {
	fallback, hasFallback := "", false
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "orValue" && e.AsCall().IsMemberFunction() {
		if fallback, hasFallback = textIn(e.AsCall().Args()[0]); !hasFallback {
			return false
		}
		e = e.AsCall().Target()
	}
	optional := -1 // the first step that may lead to nothing
	for e.Kind() != ast.IdentKind {
		step, from, mayMiss, ok := stepOf(e)
		if !ok {
			return false
		}
		if q.Path = append(q.Path, step); mayMiss {
			optional = len(q.Path)
		}
		e = from
	}
	slices.Reverse(q.Path)
	if strings.TrimPrefix(e.AsIdent(), ".") != objectName || len(q.Path) == 0 || hasFallback != (optional >= 0) {
		return false
	}
	needed := q.Path
	if hasFallback {
		needed = q.Path[:len(q.Path)-optional]
		q.Absent = slices.Contains(q.Values, fallback) != q.Not
	}
	q.Fails = !isAlwaysThere(needed)
	return true
}

// isAlwaysThere says of a path that all objects have it; of a namespace, all that have one.
func isAlwaysThere(path []string) bool {
	return len(path) == 0 || path[0] == "metadata" &&
		(len(path) == 1 || len(path) == 2 && (path[1] == "name" || path[1] == "namespace"))
}

// stepOf is the last step of a path: .name, .?name, ["name"] or [?"name"].
func stepOf(e ast.Expr) (step string, from ast.Expr, mayMiss, ok bool) {
	switch e.Kind() {
	case ast.SelectKind:
		selected := e.AsSelect()
		return selected.FieldName(), selected.Operand(), false, !selected.IsTestOnly()
	case ast.CallKind:
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			step, ok = textIn(call.Args()[1])
			return step, call.Args()[0], call.FunctionName() != operators.Index, ok
		}
	}
	return "", nil, false, false
}
