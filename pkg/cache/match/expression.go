package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Variables are the names an expression can use.
type Variables int

const (
	// ObjectOnly is for questions about objects as they are: `object`.
	ObjectOnly Variables = iota
	// ObjectAndOld is for changes: `object`, and `oldObject`, the object before
	// the change; null where there is none.
	ObjectAndOld
)

const (
	objectName = "object"
	oldName    = "oldObject"
)

// interruptEvery is after how many turns of an expression's loops it is checked
// whether the context has ended.
const interruptEvery = 100

// expression is one compiled CEL expression that answers yes or no.
type expression struct {
	text    string
	program cel.Program
	reads   reads
	limit   CostLimit
	// equalities are those that the expression cannot hold without, decided says that
	// they are all of it and always have an answer.
	equalities []Equality
	decided    bool
}

// compileExpression compiles text in the API server's own environment: the one
// for expressions that are stored already, which has every library this release
// knows, whatever an older server lacks. An error is cel-go's first complaint,
// with the line it is about and a caret under the column.
func compileExpression(text string, variables Variables, limit CostLimit) (*expression, error) {
	env, err := variables.environment()
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(text)
	if issues.Err() == nil {
		issues = mustBeBool(text, checked)
	}
	if issues.Err() != nil {
		// Err has put the errors in order; the others mostly follow from the first.
		complaint := issues.Errors()[0].ToDisplayString(common.NewTextSource(text))
		if variables == ObjectOnly && readsOldState(text) {
			complaint += "\n" + whereOldIs
		}
		return nil, errors.New(complaint)
	}
	e := &expression{text: text, limit: limit, reads: readsOf(checked)}
	e.equalities, e.decided = equalitiesOf(checked)
	e.program, err = newProgram(env, checked, limit)
	return e, err
}

// whereOldIs says where an expression can speak of the object before a change.
const whereOldIs = oldName + " is known where objects change: in --where of tail and of list --watch, and in --for=cel of wait"

// readsOldState says whether an expression is one about a change.
func readsOldState(text string) bool {
	env, err := ObjectAndOld.environment()
	if err != nil {
		return false
	}
	checked, issues := env.Compile(text)
	return issues.Err() == nil && readsOf(checked).old
}

func (v Variables) environment() (*cel.Env, error) {
	names := append(clockOptions(), cel.Variable(objectName, cel.DynType))
	if v == ObjectAndOld {
		names = append(names, cel.Variable(oldName, cel.DynType))
	}
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	return base.StoredExpressionsEnv().Extend(names...)
}

// mustBeBool refuses what can only be something else. A field's type is not
// known before there is an object, so fields pass.
func mustBeBool(text string, checked *cel.Ast) *cel.Issues {
	issues := cel.NewIssuesWithSourceInfo(common.NewErrors(common.NewTextSource(text)), checked.NativeRep().SourceInfo())
	if is := checked.OutputType(); !is.IsExactType(cel.BoolType) && !is.IsExactType(cel.DynType) {
		issues.ReportErrorAtID(checked.NativeRep().Expr().ID(), "must be bool, but is %s", cel.FormatCELType(is))
	}
	return issues
}

// eval answers for one object, and for its old state where there is one, at the
// time of the clock, which notes when the answer may be another one. An error is the context's where that has ended, errOverspent where the cost limit
// was exceeded, else a fault of this object: a field it lacks, a value of another
// type.
func (e *expression) eval(ctx context.Context, in input) (bool, error) {
	variables := map[string]any{objectName: in.object, oldName: nil, meterName: meterValue{meter: &meter{limit: uint64(e.limit)}}}
	if e.reads.clock {
		variables[nowVariable], variables[laterVariable], variables[clockVariable] = in.clock.at, in.clock.at.Add(time.Second), clockValue{clock: in.clock}
	}
	if in.old != nil {
		variables[oldName] = in.old
	}
	out, _, err := e.program.ContextEval(ctx, variables)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if overspent(err) {
		return false, errOverspent
	}
	if err != nil {
		return false, err
	}
	met, ok := out.Value().(bool)
	if !ok {
		return false, fmt.Errorf("the expression is %s, not bool", out.Type().TypeName())
	}
	return met, nil
}
