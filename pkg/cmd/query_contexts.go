package cmd

import (
	"context"
	"errors"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
)

// lookUpReferences puts the values of objects into a line's --by, for each cluster those
// of its own. An object is looked for where the line looks. Of several clusters those are
// left out, with a warning, that do not have it.
func (s *session) lookUpReferences(ctx context.Context, flags *lineFlags) error {
	namespaces := flags.namespaces
	if len(namespaces) == 0 {
		namespaces = s.question.Namespaces()
	}
	flags.asked = map[string]askedIn{}
	var failed error
	for _, cluster := range s.question.Clusters() {
		values, err := cluster.ValuesOf(ctx, flags.query.References(), namespaces)
		switch {
		case err != nil && cluster.Context() == "":
			return err
		case err != nil:
			failed = &cache.ContextError{Context: cluster.Context(), Err: err}
			flags.lacks(failed)
			continue
		}
		for _, warning := range question.Valueless(values) {
			flags.warnings = append(flags.warnings, cluster.Named(warning))
		}
		flags.asked[cluster.Context()] = askedIn{flags.query.Resolve(values), flags.within.Resolve(values)}
	}
	if len(flags.asked) > 0 {
		return nil
	}
	return failed
}

// eachAnswering does something with each informer that a line is answered from. Of several
// clusters it goes on, with a warning, without one in which it fails; it is an error where
// it fails in all.
func (s *session) eachAnswering(flags *lineFlags, do func(n int, i *informer.Informer) error) error {
	var failed error
	answered := false
	for n, i := range s.caches.Informers() {
		if !s.answers(i, flags) {
			continue
		}
		err := do(n, i)
		switch {
		case err == nil:
			answered = true
		case errors.As(err, new(*cache.ContextError)):
			failed = err
			flags.lacks(err)
		default:
			return err
		}
	}
	if answered {
		return nil
	}
	return failed
}

// lacks warns that the answer is without one of several clusters.
func (f *lineFlags) lacks(err error) {
	f.warnings = append(f.warnings, "the answer lacks a cluster: "+process.Words(err))
}
