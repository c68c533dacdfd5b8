package match

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Condition is what every --for together asks of an object.
type Condition struct {
	terms []term
	anyOf bool
	limit CostLimit
}

// term is one --for, asked of an object that exists.
type term interface {
	// check says whether the term holds and, if not, what the object has
	// instead. An error means that no object of this kind can ever be asked.
	check(ctx context.Context, in input) (met bool, why string, err error)
	reads() reads
}

// verdict is a Condition's answer about one object.
type verdict struct {
	met bool
	why string
	// deletable says that only the object's deletion is still waited for.
	deletable bool
	// next is when the answer may be another one by time alone; zero is never.
	next time.Time
}

// Needs is the least form in which objects can be asked.
func (c *Condition) Needs() cache.Representation {
	var form cache.Representation
	for _, t := range c.terms {
		form |= t.reads().form
	}
	return form
}

// Terms is how many of its --for an object is known to meet that meets the
// condition: all of them, or one with anyOf.
func (c *Condition) Terms() int {
	if c.anyOf {
		return 1
	}
	return len(c.terms)
}

// Check says whether the condition holds for an object that exists, old being
// its state before the change or nil. why says, of an object that does not meet
// it, what it has instead: `Ready=False (ContainersNotReady)`. An error is the
// context's, or kubectl's words for a condition that cannot be asked of such an
// object: a path to more than one value, for one; or a CostError. It ends the wait.
func (c *Condition) Check(ctx context.Context, now, old *cache.Row) (met bool, why string, err error) {
	v, err := c.judge(ctx, now, old, time.Now())
	return v.met, v.why, err
}

// judge is Check at a time.
func (c *Condition) judge(ctx context.Context, now, old *cache.Row, at time.Time) (verdict, error) {
	if err := ctx.Err(); err != nil {
		return verdict{}, err
	}
	in := input{clock: &clock{at: at}}
	if c.asksState() {
		var err error
		if in, err = decode(now, old, c.readsOld(), in.clock); err != nil {
			return verdict{why: printable(err.Error())}, nil
		}
	}
	v := verdict{deletable: c.awaitsDeletion()}
	var unmet []string
	for _, t := range c.terms {
		met, why, err := checkRow(ctx, t, now, in)
		if errors.Is(err, errOverspent) {
			err = &CostError{Flag: "--for=cel", Object: fullName(now), Limit: c.limit}
		}
		if err != nil {
			return verdict{}, err
		}
		if met && c.anyOf {
			v.met, v.next = true, in.clock.next
			return v, nil
		}
		if !met {
			unmet = append(unmet, why)
			v.deletable = v.deletable && (c.anyOf || t == term(deleted{}))
		}
	}
	v.met, v.why, v.next = len(unmet) == 0, strings.Join(unmet, ", "), in.clock.next
	return v, nil
}

func (c *Condition) readsOld() bool {
	return slices.ContainsFunc(c.terms, func(t term) bool { return t.reads().old })
}

// awaitsDeletion says whether --for=delete is among the terms: then there being
// nothing is what is waited for.
func (c *Condition) awaitsDeletion() bool {
	return slices.Contains(c.terms, term(deleted{}))
}

// asksState says whether anything is asked of an object but to be there or not.
func (c *Condition) asksState() bool {
	return slices.ContainsFunc(c.terms, func(t term) bool {
		return t != term(deleted{}) && t != term(created{})
	})
}

// created is --for=create.
type created struct{}

func (created) check(context.Context, input) (bool, string, error) {
	return true, "", nil
}

func (created) reads() reads { return reads{} }

// deleted is --for=delete, which no object meets as long as it exists.
type deleted struct{}

func (deleted) check(context.Context, input) (bool, string, error) {
	return false, "still exists", nil
}

func (deleted) reads() reads { return reads{} }

// celTerm is --for=cel=EXPR.
type celTerm struct{ *expression }

func (c celTerm) check(ctx context.Context, in input) (bool, string, error) {
	met, err := c.eval(ctx, in)
	return c.answer(ctx, met, err)
}

// answer says what an evaluation came to.
func (c celTerm) answer(ctx context.Context, met bool, err error) (bool, string, error) {
	switch {
	case ctx.Err() != nil:
		return false, "", ctx.Err()
	case errors.Is(err, errOverspent):
		return false, "", err
	case err != nil:
		return false, printable(err.Error()), nil
	case !met:
		return false, printable(c.text) + " is false", nil
	}
	return true, "", nil
}

func (c celTerm) reads() reads { return c.expression.reads }
