package match

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// CostLimit is how much one expression may cost for one object, in the API
// server's units of CEL cost: it bounds the time and the memory that it takes.
// 0 is no limit.
type CostLimit uint64

// DefaultCostLimit is ten times what the API server allows an expression: about
// a second, and a few hundred megabytes.
const DefaultCostLimit CostLimit = 10 * celconfig.PerCallLimit

// CostLimitFlag is the flag that sets the limit, which errors name.
const CostLimitFlag = "cel-cost-limit"

// CostError says that an expression has cost too much for one object, of which
// it is therefore not known whether the expression holds.
type CostError struct {
	// Flag is the one that the expression was given with.
	Flag string
	// Object is which object it was: `pod/web-1 in namespace "shop"`.
	Object string
	Limit  CostLimit
}

// Error says what to do about it.
func (e *CostError) Error() string {
	return fmt.Sprintf("%s costs more than %d for %s, so whether it holds is not known; write a cheaper expression, or raise the limit with --%s (0 is no limit)",
		e.Flag, e.Limit, e.Object, CostLimitFlag)
}

// errOverspent is what eval returns where the limit was exceeded.
var errOverspent = errors.New("the cost limit is exceeded")

// overspent says whether an evaluation was ended by its limit.
func overspent(err error) bool {
	var cancelled interpreter.EvalCancelledError
	return errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded
}
