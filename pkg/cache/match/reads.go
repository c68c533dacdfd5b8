package match

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

const (
	metadataField      = "metadata"
	managedFieldsField = "managedFields"
)

// reads is what an expression reads of an object.
type reads struct {
	form cache.Representation
	// old says that it reads the object's old state too.
	old bool
}

// readsOf walks a checked expression. When in doubt it says whole objects.
func readsOf(checked *cel.Ast) reads {
	var found reads
	root := ast.NavigateAST(checked.NativeRep())
	for _, node := range ast.MatchDescendants(root, ast.AllMatcher()) {
		switch node.Kind() {
		case ast.IdentKind:
			// A loop's variable of the same name is taken for the object: that
			// can only add to what is read.
			switch strings.TrimPrefix(node.AsIdent(), ".") {
			case oldName:
				found.old = true
				found.form |= formOf(stepsFrom(node))
			case nowName:
				found.form |= formOf(stepsFrom(node))
			}
		case ast.SelectKind, ast.LiteralKind:
			// However it is reached: .managedFields, ["managedFields"], "…" in object.metadata.
			if nameIn(node) == managedFieldsField {
				found.form |= cache.ManagedFields
			}
		}
	}
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

// formOf is the least representation that has the field to which steps lead.
// managedFields are kept only for who names them, as they are shown only then.
func formOf(steps []string) cache.Representation {
	switch {
	case len(steps) == 0:
		return cache.Whole
	case steps[0] == "apiVersion" || steps[0] == "kind":
		return cache.Metadata
	case steps[0] != metadataField || len(steps) == 1:
		return cache.Whole
	case steps[1] == managedFieldsField:
		return cache.ManagedFields
	case isMetadata(steps[1]):
		return cache.Metadata
	}
	return cache.Whole
}

// isMetadata says whether a field is one that ObjectMeta has.
func isMetadata(field string) bool {
	switch field {
	case "name", "generateName", "namespace", "uid", "resourceVersion", "generation",
		"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
		"labels", "annotations", "ownerReferences", "finalizers":
		return true
	}
	return false
}
