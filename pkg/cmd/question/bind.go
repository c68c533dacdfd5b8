package question

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
)

// bind binds --by to each Target. Of several types those are left out, with one
// notice, that cannot have what is asked for, or counted by; it is an error where all are.
func (q *Question) bind() error {
	q.Subjects = nil
	var able Ability
	for _, target := range q.Resolved.Targets {
		bound, err := q.Query.Bind(q.Registry, target)
		if err == nil {
			err = q.uses.CanBeAskedOf(target)
		}
		if err == nil && q.CountBy != "" {
			_, err = q.Counted(target, q.CountBy)
		}
		if !able.Note(target, err) {
			continue
		}
		q.Subjects = append(q.Subjects, Subject{Target: target, By: bound})
	}
	if err := able.Failure(len(q.Subjects)); err != nil {
		return err
	}
	if notice := able.Notice(); notice != "" {
		q.warn(notice)
	}
	return nil
}

// narrowSubjects narrows each subject to --used-by and --unused-by, once the answer is
// known to be followed or not.
func (q *Question) narrowSubjects(ctx context.Context) error {
	if q.uses.Empty() {
		return nil
	}
	failed := map[string]error{}
	for n := range q.Subjects {
		s := &q.Subjects[n]
		if len(s.Users) > 0 || failed[s.Target.Context] != nil {
			continue
		}
		users, err := q.In(s.Target).NarrowToUses(ctx, &q.uses, s.Target, s.By)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.Users, failed[s.Target.Context] = users, err
	}
	for _, one := range q.Clusters() {
		if err := failed[one.context]; err != nil {
			if err := q.giveUp(one.context, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// Ability is which of several types can be asked a question.
type Ability struct {
	// unable are those that cannot, by what they lack, in the order of their first.
	unable []lacking
	// first is why the first one cannot, wrong what makes no sense of any type.
	first, wrong error
}

// lacking are types, and what they have not.
type lacking struct {
	what  string
	types []string
}

// Note notes whether a Target can be asked; err is why not.
func (a *Ability) Note(t cache.Target, err error) bool {
	what := "known users"
	var missing *index.NoIndexError
	switch {
	case err == nil:
		return true
	case errors.As(err, &missing):
		what = fmt.Sprintf("index %q", missing.Name)
	case !errors.As(err, new(*index.NotUsedError)):
		a.wrong = cmp.Or(a.wrong, err)
		return false
	}
	a.first = cmp.Or(a.first, err)
	at := slices.IndexFunc(a.unable, func(l lacking) bool { return l.what == what })
	if at < 0 {
		at, a.unable = len(a.unable), append(a.unable, lacking{what: what})
	}
	if name := t.Resource.GroupResource().String(); !slices.Contains(a.unable[at].types, name) {
		a.unable[at].types = append(a.unable[at].types, name)
	}
	return false
}

// Failure is why nothing can be answered where so many Targets can be asked.
func (a *Ability) Failure(able int) error {
	if a.wrong != nil || able > 0 {
		return a.wrong
	}
	return a.first
}

// Notice names the types that are left out; it is empty if none are.
func (a *Ability) Notice() string {
	var why []string
	for _, l := range a.unable {
		why = append(why, fmt.Sprintf("%s (no %s)", strings.Join(l.types, ", "), l.what))
	}
	if len(why) == 0 {
		return ""
	}
	return "left out, since they cannot be asked this: " + strings.Join(why, "; ")
}
