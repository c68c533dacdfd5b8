package match

import (
	"maps"
	"math"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apiserver/pkg/cel/library"
)

// cel-go can count what an evaluation costs, but takes for it a time that grows
// with the square of the turns of a loop, and counts a call only when it has been
// made. So the expression itself is made to count: where it can take long or make
// much, calls that pay a meter are put into it, after it has been checked. An
// expression that has neither a loop nor a dear function stays as it is, and so
// does one without a limit.

const (
	// meterName is the variable that holds the meter. No expression can name it.
	meterName = "@meter"
	// payFunction pays for its argument and returns it: @pay(@meter, rate, x).
	payFunction = "@pay"
	// callPrefix is that of the functions that are called once they are paid for:
	// @paid.split(@meter, "split", text, separator).
	callPrefix = "@paid."
)

// meter adds up what an evaluation costs. It belongs to one evaluation.
type meter struct{ spent, limit uint64 }

// pay ends the evaluation, as cel-go itself does it, where the limit is exceeded.
func (m *meter) pay(cost uint64) {
	if m.spent = add(m.spent, cost); m.spent > m.limit {
		panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: errOverspent.Error()})
	}
}

// left is how much may still be spent.
func (m *meter) left() uint64 { return m.limit - m.spent }

// meterValue is a meter as an expression holds it: to cel-go, it is a null.
type meterValue struct {
	types.Null
	*meter
}

// What is paid for an argument. Other rates, from turn on, are for a turn of a
// loop that has so many parts.
const (
	// ofText is for each character.
	ofText = -iota - 1
	// ofSize is for each character or element.
	ofSize
	// ofAll is for all that is in it.
	ofAll
	// ofMatches is for each character, and for each that may be found there.
	ofMatches
)

// pay is the function @pay.
func pay(args ...ref.Val) ref.Val {
	m, rate, value := args[0].(meterValue), args[1].(types.Int), args[2]
	switch rate {
	case ofText:
		m.pay(1 + characters(len(textOf(value))))
	case ofSize:
		if text, ok := value.(types.String); ok {
			m.pay(1 + characters(len(text)))
		} else {
			m.pay(1 + sizeOf(value))
		}
	case ofAll:
		m.pay(weigh(value, m.left()))
	case ofMatches:
		m.pay(add(characters(len(textOf(value))), foundCost*uint64(len(textOf(value)))))
	default:
		m.pay(uint64(rate))
	}
	return value
}

// paid makes the function that pays the price of another and then calls it.
func paid(function *decls.FunctionDecl) (cel.EnvOption, error) {
	bindings, err := function.Bindings()
	if err != nil {
		return nil, err
	}
	price := priceOf(function.Name())
	at := slices.IndexFunc(bindings, func(b *functions.Overload) bool { return b.Operator == function.Name() })
	made := bindings[at]
	return cel.Function(callPrefix+function.Name(), cel.SingletonFunctionBinding(func(args ...ref.Val) ref.Val {
		m, args := args[0].(meterValue), args[2:]
		m.pay(price(args, m.left()))
		switch {
		case made.Function != nil:
			return made.Function(args...)
		case made.Unary != nil && len(args) == 1:
			return made.Unary(args[0])
		case made.Binary != nil && len(args) == 2:
			return made.Binary(args[0], args[1])
		}
		return decls.MaybeNoSuchOverload(function.Name(), args...)
	}), cel.Overload(callPrefix+function.Name(), []*cel.Type{cel.DynType, cel.DynType, cel.DynType}, cel.DynType)), nil
}

// newProgram makes a program of a checked expression, which pays and notes the
// time. Its environment has all
// functions of the one that the expression was checked in, and those that pay.
func newProgram(env *cel.Env, checked *cel.Ast, limit CostLimit) (cel.Program, error) {
	options := append(clockFunctions(),
		cel.CustomTypeAdapter(env.CELTypeAdapter()), cel.CustomTypeProvider(env.CELTypeProvider()),
		cel.FunctionDecls(slices.Collect(maps.Values(env.Functions()))...),
		// Part of it is not in functions, but in how programs are made.
		cel.OptionalTypes(),
		cel.Function(payFunction, cel.Overload(payFunction, []*cel.Type{cel.DynType, cel.IntType, cel.DynType}, cel.DynType,
			cel.FunctionBinding(pay), cel.OverloadIsNonStrict())),
	)
	for _, name := range pricedFunctions() {
		option, err := paid(env.Functions()[name])
		if err != nil {
			return nil, err
		}
		options = append(options, option)
	}
	own, err := cel.NewCustomEnv(options...)
	if err != nil {
		return nil, err
	}
	clocked(checked.NativeRep())
	if limit > 0 {
		meterExpression(checked.NativeRep())
	}
	return own.Program(checked, cel.EvalOptions(cel.OptOptimize),
		cel.OptimizeRegex(library.FindRegexOptimization, library.FindAllRegexOptimization),
		cel.InterruptCheckFrequency(interruptEvery))
}

// metering puts calls that pay into an expression.
type metering struct {
	ast.ExprFactory
	checked *ast.AST
	lastID  int64
}

func meterExpression(checked *ast.AST) {
	m := &metering{ast.NewExprFactory(), checked, ast.MaxID(checked)}
	// First the inner ones: what is put round an expression is not to be metered.
	var all []ast.Expr
	ast.PostOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) { all = append(all, e) }))
	for _, e := range all {
		switch e.Kind() {
		case ast.CallKind:
			m.meterCall(e)
		case ast.ComprehensionKind:
			m.meterLoop(e)
		}
	}
}

// meterLoop has each turn of a loop pay for the parts that it has. Loops in it
// pay for themselves.
func (m *metering) meterLoop(e ast.Expr) {
	loop := e.AsComprehension()
	parts := 0
	for _, part := range []ast.Expr{loop.LoopCondition(), loop.LoopStep()} {
		ast.PreOrderVisit(part, ast.NewExprVisitor(func(ast.Expr) { parts++ }))
	}
	e.SetKindCase(m.NewComprehensionTwoVar(e.ID(), loop.IterRange(), loop.IterVar(), loop.IterVar2(), loop.AccuVar(),
		loop.AccuInit(), loop.LoopCondition(), m.paying(parts, loop.LoopStep()), loop.Result()))
}

// meterCall has a call pay for what it goes through, or makes.
func (m *metering) meterCall(e ast.Expr) {
	call := e.AsCall()
	args := slices.Clone(call.Args())
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	function := call.FunctionName()
	if priceOf(function) != nil && !isSearch(function, args) {
		name := m.NewLiteral(m.id(), types.String(function))
		m.checked.SetReference(e.ID(), ast.NewFunctionReference(callPrefix+function))
		e.SetKindCase(m.NewCall(e.ID(), callPrefix+function, append([]ast.Expr{m.meter(), name}, args...)...))
		return
	}
	switch function {
	case operators.Equals, operators.NotEquals:
		// With a literal beside it, no more is looked at than the literal has.
		if args[0].Kind() != ast.LiteralKind && args[1].Kind() != ast.LiteralKind {
			args[0], args[1] = m.paying(ofAll, args[0]), m.paying(ofAll, args[1])
		}
	case operators.In:
		args[1] = m.paying(ofAll, args[1])
	case operators.Add:
		// Lists that are joined share their parts. The right one pays, so that a
		// list joined to itself again and again does not grow for nothing, and one
		// that a loop adds to does not pay for all that it has each time.
		args[0], args[1] = m.payingUnlessLiteral(ofText, args[0]), m.payingUnlessLiteral(ofSize, args[1])
	case "sum", "min", "max", "isSorted", "indexOf", "lastIndexOf", "reverse", "slice", "@sortByAssociatedKeys", "sort":
		args[0] = m.paying(ofSize, args[0])
	case "findAll":
		args[0] = m.payingUnlessLiteral(ofMatches, args[0])
	case "matches", "find", "contains", "startsWith", "endsWith", "lowerAscii", "upperAscii", "substring", "trim",
		"charAt", "quantity", "isQuantity", "url", "isURL", "bytes", "string", "strings.quote", "ip", "isIP", "cidr", "isCIDR",
		"semver", "isSemver", "timestamp", "duration", "int", "double":
		args[0] = m.payingUnlessLiteral(ofText, args[0])
	default:
		return
	}
	if call.IsMemberFunction() {
		e.SetKindCase(m.NewMemberCall(e.ID(), function, args[0], args[1:]...))
	} else {
		e.SetKindCase(m.NewCall(e.ID(), function, args...))
	}
}

// isSearch says whether a call is one whose expression is compiled once, since it
// is a literal: then it must stay what it is.
func isSearch(function string, args []ast.Expr) bool {
	return function == "findAll" && args[1].Kind() == ast.LiteralKind
}

func (m *metering) payingUnlessLiteral(rate int, e ast.Expr) ast.Expr {
	if e.Kind() == ast.LiteralKind {
		return e
	}
	return m.paying(rate, e)
}

func (m *metering) paying(rate int, e ast.Expr) ast.Expr {
	return m.NewCall(m.id(), payFunction, m.meter(), m.NewLiteral(m.id(), types.Int(rate)), e)
}

func (m *metering) meter() ast.Expr { return m.NewIdent(m.id(), meterName) }

func (m *metering) id() int64 {
	m.lastID++
	return m.lastID
}

// characters is what it costs to go through a text of so many bytes.
func characters(n int) uint64 {
	return uint64(math.Ceil(float64(n) * common.StringTraversalCostFactor))
}

func add(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

func multiply(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}
