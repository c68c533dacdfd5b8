package match

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

const managedFieldsField = "managedFields"

// reads is what an expression reads of an object.
type reads struct {
	form cache.Representation
	// old says that it reads the object's old state too.
	old bool
	// clock says that its answer can change by time alone.
	clock bool
}

// readsOf walks a checked expression. When in doubt it says whole objects, with
// managedFields only for who names them, as they are shown only then.
func readsOf(checked *cel.Ast) reads {
	found := reads{clock: readsClock(checked.NativeRep())}
	var fields fieldpath.Tree
	root := ast.NavigateAST(checked.NativeRep())
	for _, node := range ast.MatchDescendants(root, ast.AllMatcher()) {
		switch node.Kind() {
		case ast.IdentKind:
			// A loop's variable of the same name is taken for the object: that
			// can only add to what is read.
			switch strings.TrimPrefix(node.AsIdent(), ".") {
			case oldName:
				found.old = true
				fields.Add(stepsFrom(node)...)
			case objectName:
				fields.Add(stepsFrom(node)...)
			}
		case ast.SelectKind, ast.LiteralKind:
			// However it is reached: .managedFields, ["managedFields"], "…" in object.metadata.
			if nameIn(node) == managedFieldsField {
				found.form |= cache.ManagedFields
			}
		}
	}
	found.form |= fields.Needs() &^ cache.ManagedFields
	return found
}

// stepsFrom returns the fields that are selected from a variable one after
// another: `object.metadata.?name` is metadata, name.
func stepsFrom(variable ast.NavigableExpr) []string {
	var steps []string
	for node := variable; ; {
		parent, ok := node.Parent()
		if !ok {
			return steps
		}
		step, ok := selectedBy(parent)
		if !ok {
			return steps
		}
		steps, node = append(steps, step), parent
	}
}

// selectedBy says which field an expression selects, if it does: by .name or by .?name.
func selectedBy(selection ast.NavigableExpr) (string, bool) {
	switch selection.Kind() {
	case ast.SelectKind:
		return selection.AsSelect().FieldName(), true
	case ast.CallKind:
		if call := selection.AsCall(); call.FunctionName() == operators.OptSelect {
			field, ok := call.Args()[1].AsLiteral().Value().(string)
			return field, ok
		}
	}
	return "", false
}

func nameIn(node ast.NavigableExpr) string {
	if node.Kind() == ast.SelectKind {
		return node.AsSelect().FieldName()
	}
	name, _ := node.AsLiteral().Value().(string)
	return name
}
