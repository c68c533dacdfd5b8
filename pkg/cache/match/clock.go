package match

import (
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// An expression that reads the clock can begin or cease to hold although nothing
// happens to the object. When that may be is what its comparisons say: of two times,
// or two durations, of which one moves with the clock, it is known when they meet.
// So where an expression compares with the clock, it is made to note that moment;
// where it does something else with the clock, it may change each second.

const (
	// nowVariable is the time at which an expression is evaluated.
	nowVariable = "now"
	// laterVariable is the time a second later. No expression can name it.
	laterVariable = "@later"
	// clockVariable holds the clock. No expression can name it.
	clockVariable = "@clock"
	// meetsFunction returns a comparison, and notes when its two sides meet:
	// @meets(@clock, a < b, a, b, what a is later, what b is later).
	meetsFunction = "@meets"
	// ticksFunction returns its argument, which may be another each second.
	ticksFunction = "@ticks"
	// ageMacro is the time since an object was created: age(object).
	ageMacro = "age"
)

// clock is the time of one evaluation, and when its answer may be another one.
type clock struct{ at, next time.Time }

// note keeps the earliest moment that is still to come.
func (c *clock) note(moment time.Time) {
	if moment.After(c.at) && (c.next.IsZero() || moment.Before(c.next)) {
		c.next = moment
	}
}

// clockValue is a clock as an expression holds it: to cel-go, it is a null.
type clockValue struct {
	types.Null
	*clock
}

// clockOptions declare what users can name of the clock.
func clockOptions() []cel.EnvOption {
	return []cel.EnvOption{
		cel.Variable(nowVariable, cel.TimestampType),
		cel.Macros(cel.GlobalMacro(ageMacro, 1, expandAge)),
	}
}

// expandAge makes of age(x): now - timestamp(x.metadata.creationTimestamp).
func expandAge(f cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
	created := f.NewSelect(f.NewSelect(args[0], "metadata"), "creationTimestamp")
	return f.NewCall(operators.Subtract, f.NewIdent(nowVariable), f.NewCall("timestamp", created)), nil
}

// clockFunctions declare what is put into expressions.
func clockFunctions() []cel.EnvOption {
	dyn := cel.DynType
	return []cel.EnvOption{
		cel.Function(meetsFunction, cel.Overload(meetsFunction, []*cel.Type{dyn, dyn, dyn, dyn, dyn, dyn}, dyn,
			cel.FunctionBinding(meets), cel.OverloadIsNonStrict())),
		cel.Function(ticksFunction, cel.Overload(ticksFunction, []*cel.Type{dyn, dyn}, dyn, cel.BinaryBinding(ticks))),
	}
}

// ticks is the function @ticks.
func ticks(clock, value ref.Val) ref.Val {
	c := clock.(clockValue)
	c.note(c.at.Truncate(time.Second).Add(time.Second))
	return value
}

// meets is the function @meets. What has failed has no moment.
func meets(args ...ref.Val) ref.Val {
	c, answer := args[0].(clockValue), args[1]
	apart, ok := between(args[2], args[3])
	later, known := between(args[4], args[5])
	if !ok || !known || later == apart {
		return answer
	}
	// Each second they come nearer by so much, or go away from each other.
	speed := float64(later-apart) / float64(time.Second)
	if in := -float64(apart) / speed; in >= 0 {
		// Where they have just met, they part at the next moment.
		c.note(c.at.Add(max(time.Duration(in), 1)))
	}
	return answer
}

// between is how far apart two times, or two durations, are.
func between(a, b ref.Val) (time.Duration, bool) {
	switch a := a.(type) {
	case types.Timestamp:
		if b, ok := b.(types.Timestamp); ok {
			return a.Sub(b.Time), true
		}
	case types.Duration:
		if b, ok := b.(types.Duration); ok {
			return a.Duration - b.Duration, true
		}
	}
	return 0, false
}

// readsClock says whether a checked expression reads the clock.
func readsClock(checked *ast.AST) bool { return len(clockReads(checked)) > 0 }

func clockReads(checked *ast.AST) []ast.NavigableExpr {
	return ast.MatchDescendants(ast.NavigateAST(checked), func(e ast.NavigableExpr) bool {
		return e.Kind() == ast.IdentKind && e.AsIdent() == nowVariable
	})
}

// clocked has an expression note when its answer may change by time alone.
func clocked(checked *ast.AST) {
	f := ast.NewExprFactory()
	lastID := ast.MaxID(checked)
	id := func(int64) int64 { lastID++; return lastID }
	clock := func() ast.Expr { return f.NewIdent(id(0), clockVariable) }
	compared := map[int64]ast.Expr{}
	for _, read := range clockReads(checked) {
		if comparison, ok := comparisonOf(read); ok {
			compared[comparison.ID()] = comparison
		} else {
			e := ast.Expr(read)
			e.SetKindCase(f.NewCall(e.ID(), ticksFunction, clock(), f.NewIdent(id(0), nowVariable)))
		}
	}
	for _, comparison := range compared {
		sides := comparison.AsCall().Args()
		args := []ast.Expr{clock(), copied(f, comparison, id), copied(f, sides[0], id), copied(f, sides[1], id)}
		for _, side := range sides {
			side = copied(f, side, id)
			ast.PostOrderVisit(side, ast.NewExprVisitor(func(e ast.Expr) {
				if e.Kind() == ast.IdentKind && e.AsIdent() == nowVariable {
					e.SetKindCase(f.NewIdent(e.ID(), laterVariable))
				}
			}))
			args = append(args, side)
		}
		comparison.SetKindCase(f.NewCall(comparison.ID(), meetsFunction, args...))
	}
}

// copied is a copy of an expression under other ids: functions are then found by
// what they are called with.
func copied(f ast.ExprFactory, e ast.Expr, id ast.IDGenerator) ast.Expr {
	e = f.CopyExpr(e)
	e.RenumberIDs(id)
	return e
}

// comparisonOf is the comparison that a reading of the clock goes into by sums and
// differences alone: its sides then move with the clock, or stand still.
func comparisonOf(read ast.NavigableExpr) (ast.NavigableExpr, bool) {
	for node, ok := read.Parent(); ok && node.Kind() == ast.CallKind; node, ok = node.Parent() {
		switch node.AsCall().FunctionName() {
		case operators.Add, operators.Subtract:
		case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.Equals, operators.NotEquals:
			return node, true
		default:
			return nil, false
		}
	}
	return nil, false
}
