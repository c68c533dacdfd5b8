package match

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/kubectl/pkg/polymorphichelpers"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Condition is what every --for together asks of an object, or every --fail-for.
type Condition struct {
	// flag is which of the two it is.
	flag  string
	terms []givenTerm
	anyOf bool
	limit CostLimit
}

// givenTerm is a term and the value of the flag that it comes from.
type givenTerm struct {
	term
	given string
}

// term is one value of the flag, asked of an object that exists.
type term interface {
	// check says what the term comes to. An error means that no object of this kind
	// can ever be asked.
	check(ctx context.Context, in input) (finding, error)
	reads() reads
}

// verdict is a Condition's answer about one object.
type verdict struct {
	met bool
	why string
	// found are the terms that are met; with anyOf it is the first of them.
	found []finding
	// failure is the term for which waiting will not help, unless others are met; nil
	// where there is none.
	failure *finding
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

// Several says whether there are several terms, of which an object may meet one and
// not another.
func (c *Condition) Several() bool { return len(c.terms) > 1 }

// Refuses says why the objects of a Target cannot be asked; nil is that they can.
func (c *Condition) Refuses(target cache.Target) error {
	for _, t := range c.terms {
		if t.term != term(rolledOut{}) {
			continue
		}
		if _, err := polymorphichelpers.StatusViewerFor(target.Kind.GroupKind()); err != nil {
			return errors.New(c.flag + "=" + t.given + " is for deployments, statefulsets and daemonsets, not for " +
				target.Resource.GroupResource().String())
		}
	}
	return nil
}

// judge says whether the condition holds for an object that exists, old being
// its state before the change or nil. why says, of an object that does not meet
// it, what it has instead: `Ready=False (ContainersNotReady)`. An error is the
// context's, or kubectl's words for a condition that cannot be asked of such an
// object: a path to more than one value, for one; or a CostError. It ends the wait.
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
	var v verdict
	var unmet, failed []finding
	for _, t := range c.terms {
		found, err := checkRow(ctx, t.term, now, in)
		if errors.Is(err, errOverspent) {
			err = &CostError{Flag: c.flag + "=cel", Object: fullName(now), Limit: c.limit}
		}
		if err != nil {
			return verdict{}, err
		}
		found.given = t.given
		switch {
		case found.met && c.anyOf:
			return verdict{met: true, found: []finding{found}, next: in.clock.next}, nil
		case found.met:
			v.found = append(v.found, found)
		default:
			unmet = append(unmet, found)
		}
		if found.failed {
			failed = append(failed, found)
		}
	}
	// Where one term will do, there is hope as long as one has not failed.
	if len(failed) > 0 && (!c.anyOf || len(failed) == len(c.terms)) {
		v.failure = &failed[0]
	}
	v.met, v.why, v.next = len(unmet) == 0 && !c.anyOf, briefly(unmet), in.clock.next
	v.deletable = !c.anyOf && c.AwaitsDeletion() && len(v.found) == len(c.terms)-c.deletions()
	return v, nil
}

func briefly(findings []finding) string {
	texts := make([]string, len(findings))
	for i, f := range findings {
		texts[i] = f.brief()
	}
	return strings.Join(texts, ", ")
}

func (c *Condition) readsOld() bool {
	return slices.ContainsFunc(c.terms, func(t givenTerm) bool { return t.reads().old })
}

// Empty says whether nothing is asked.
func (c *Condition) Empty() bool { return len(c.terms) == 0 }

// AwaitsDeletion says whether delete is among the terms: then there being nothing is
// what is waited for, whatever else is.
func (c *Condition) AwaitsDeletion() bool { return c.deletions() > 0 }

func (c *Condition) deletions() (times int) {
	for _, t := range c.terms {
		if t.term == term(deleted{}) {
			times++
		}
	}
	return times
}

// deletion is what the deletion of an object comes to: the terms that it had met
// before, where all of them count, and delete itself.
func (c *Condition) deletion(before []finding) verdict {
	v := verdict{met: true}
	if !c.anyOf {
		v.found = slices.Clone(before)
	}
	for _, t := range c.terms {
		if t.term == term(deleted{}) && !(c.anyOf && len(v.found) > 0) {
			v.found = append(v.found, finding{met: true, what: "delete", given: t.given})
		}
	}
	return v
}

// asksState says whether anything is asked of an object but to be there or not.
func (c *Condition) asksState() bool {
	return slices.ContainsFunc(c.terms, func(t givenTerm) bool {
		return t.term != term(deleted{}) && t.term != term(created{})
	})
}

// created is --for=create.
type created struct{}

func (created) check(context.Context, input) (finding, error) {
	return finding{met: true, what: "create"}, nil
}

func (created) reads() reads { return reads{} }

// deleted is --for=delete, which no object meets as long as it exists.
type deleted struct{}

func (deleted) check(context.Context, input) (finding, error) {
	return finding{what: "still exists"}, nil
}

func (deleted) reads() reads { return reads{} }

// celTerm is --for=cel=EXPR.
type celTerm struct{ *expression }

func (c celTerm) check(ctx context.Context, in input) (finding, error) {
	met, err := c.eval(ctx, in)
	return c.answer(ctx, met, err)
}

// answer says what an evaluation came to.
func (c celTerm) answer(ctx context.Context, met bool, err error) (finding, error) {
	switch {
	case ctx.Err() != nil:
		return finding{}, ctx.Err()
	case errors.Is(err, errOverspent):
		return finding{}, err
	case err != nil:
		return finding{what: err.Error()}, nil
	case !met:
		return finding{what: printable(c.text) + " is false"}, nil
	}
	return finding{met: true, what: c.text}, nil
}

func (c celTerm) reads() reads { return c.expression.reads }
