package cmd

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
// notice, that cannot have what is asked for; it is an error where all are.
func (q *question) bind() error {
	q.subjects = nil
	var able ability
	for _, target := range q.resolved.Targets {
		bound, err := q.query.Bind(q.registry, target)
		if err == nil {
			err = q.uses.canBeAskedOf(target)
		}
		if !able.note(target, err) {
			continue
		}
		q.subjects = append(q.subjects, subject{target: target, by: bound})
	}
	if err := able.failure(len(q.subjects)); err != nil {
		return err
	}
	if notice := able.notice(); notice != "" {
		q.streams.Console.Warn(notice)
	}
	return nil
}

// narrowSubjects narrows each subject to --used-by and --unused-by, once the answer is
// known to be followed or not.
func (q *question) narrowSubjects(ctx context.Context) error {
	for n := range q.subjects {
		s := &q.subjects[n]
		if len(s.users) > 0 || q.uses.empty() {
			continue
		}
		users, err := q.narrowToUses(ctx, &q.uses, s.target, s.by)
		if err != nil {
			return err
		}
		s.users = users
	}
	return nil
}

// ability is which of several types can be asked a question.
type ability struct {
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

// note notes whether a Target can be asked; err is why not.
func (a *ability) note(t cache.Target, err error) bool {
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

// failure is why nothing can be answered where so many Targets can be asked.
func (a *ability) failure(able int) error {
	if a.wrong != nil || able > 0 {
		return a.wrong
	}
	return a.first
}

// notice names the types that are left out; it is empty if none are.
func (a *ability) notice() string {
	var why []string
	for _, l := range a.unable {
		why = append(why, fmt.Sprintf("%s (no %s)", strings.Join(l.types, ", "), l.what))
	}
	if len(why) == 0 {
		return ""
	}
	return "left out, since they cannot be asked this: " + strings.Join(why, "; ")
}
