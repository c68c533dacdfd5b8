package match

import (
	"context"
	"errors"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// errSecretValue stands for an error that only a Secret's own values lead to.
var errSecretValue = errors.New("the error is about a value of the Secret, which is not shown")

// checkRow is t.check of a row's objects.
func checkRow(ctx context.Context, t term, row *cache.Row, in input) (finding, error) {
	if display.IsSecret(row.GroupVersionKind()) {
		return checkSecret(ctx, t, in)
	}
	return t.check(ctx, in)
}

// checkSecret is t.check of a Secret. What the Secret has instead is taken from a
// copy whose values are masked: then no text can quote them, or what an
// expression has made of them.
func checkSecret(ctx context.Context, t term, in input) (finding, error) {
	if expression, ok := t.(celTerm); ok {
		met, err := expression.evalSecret(ctx, in)
		return expression.answer(ctx, met, err)
	}
	found, err := t.check(ctx, in)
	if found.met || ctx.Err() != nil {
		return found, ctx.Err()
	}
	masked, maskedErr := t.check(ctx, in.masked())
	path, isPath := t.(pathCondition)
	switch {
	case err != nil && maskedErr == nil:
		return finding{}, errSecretValue
	case err != nil:
		return finding{}, maskedErr
	case isPath && (masked.met || maskedErr != nil):
		return finding{what: path.path.String() + " is " + display.Mask}, nil
	case maskedErr != nil:
		return finding{what: maskedErr.Error()}, nil
	}
	return masked, nil
}

// evalFor is eval of a row's objects.
func (e *expression) evalFor(ctx context.Context, row *cache.Row, in input) (bool, error) {
	if display.IsSecret(row.GroupVersionKind()) {
		return e.evalSecret(ctx, in)
	}
	return e.eval(ctx, in)
}

// evalSecret is eval of a Secret, with an error that shows none of its values.
func (e *expression) evalSecret(ctx context.Context, in input) (bool, error) {
	met, err := e.eval(ctx, in)
	if err == nil || ctx.Err() != nil {
		return met, err
	}
	_, err = e.eval(ctx, in.masked())
	if err == nil {
		err = errSecretValue
	}
	return false, err
}
