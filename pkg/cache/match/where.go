package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Where is what every --where together asks of an object.
type Where struct {
	expressions []*expression
	limit       CostLimit

	mu     sync.Mutex
	misses int
	first  string
}

// Compile makes one Where of CEL expressions, all of which have to hold; none
// at all hold for everything. Each may cost as much as the limit for an object. An
// error points at the column, in cel-go's words.
func (l CostLimit) Compile(variables Variables, expressions ...string) (*Where, error) {
	w := &Where{limit: l}
	for _, text := range expressions {
		compiled, err := compileExpression(text, variables, l)
		if err != nil {
			return nil, fmt.Errorf("--where: %w", err)
		}
		w.expressions = append(w.expressions, compiled)
	}
	return w, nil
}

// Empty says whether there is no expression, so that every object matches.
func (w *Where) Empty() bool { return len(w.expressions) == 0 }

// Needs is the least form in which objects can be asked.
func (w *Where) Needs() cache.Representation {
	var form cache.Representation
	for _, e := range w.expressions {
		form |= e.reads.form
	}
	return form
}

// ReadsClock says that the answer can change by time alone.
func (w *Where) ReadsClock() bool {
	return slices.ContainsFunc(w.expressions, func(e *expression) bool { return e.reads.clock })
}

// ReadsOld says that the answer depends on the old state too: it is about a
// change, not about the object.
func (w *Where) ReadsOld() bool {
	for _, e := range w.expressions {
		if e.reads.old {
			return true
		}
	}
	return false
}

// Eval says whether every expression holds for now, old being its state before
// the change or nil, and when that may change by time alone: zero is never. An object that an expression cannot be evaluated for does
// not match, and counts as a miss. The error is the context's, or a CostError:
// then nobody knows whether the object matches.
func (w *Where) Eval(ctx context.Context, at time.Time, now, old *cache.Row) (holds bool, next time.Time, err error) {
	if ctx.Err() != nil {
		return false, next, ctx.Err()
	}
	if len(w.expressions) == 0 {
		return true, next, nil
	}
	c := &clock{at: at}
	in, err := decode(now, old, w.ReadsOld(), c)
	if err != nil {
		w.miss(now, err)
		return false, next, nil
	}
	for _, e := range w.expressions {
		met, err := e.evalFor(ctx, now, in)
		if ctx.Err() != nil {
			return false, next, ctx.Err()
		}
		if errors.Is(err, errOverspent) {
			return false, next, &CostError{Flag: "--where", Object: fullName(now), Limit: w.limit}
		}
		if err != nil && (old != nil || !e.reads.old) {
			w.miss(now, err) // where nothing was before, nobody expects an answer about it
		}
		if !met {
			return false, c.next, nil
		}
	}
	return true, c.next, nil
}

// Misses says how many evaluations failed, and of the first which object it was
// and why: `pod/web-1 in namespace "shop": no such key: nodeName`.
func (w *Where) Misses() (count int, first string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.misses, w.first
}

func (w *Where) miss(row *cache.Row, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.misses == 0 {
		w.first = fmt.Sprintf("%s: %s", fullName(row), printable(err.Error()))
	}
	w.misses++
}
