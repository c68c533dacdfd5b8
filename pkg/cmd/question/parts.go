package question

import (
	"context"
	"errors"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// resolveEach resolves what is asked in the cluster of each context, side by side. What
// makes it impossible in one of them is among the unresolved, unless it is so in all.
func (o *ResourceOptions) resolveEach(ctx context.Context) (*Question, error) {
	contexts := o.Connection.contexts
	q := &Question{ResourceOptions: o, Query: o.by, Registry: o.registry, parts: make([]*Question, len(contexts))}
	errs := q.eachPart(func(n int) error {
		own := *o
		own.Connection = contexts[n]
		var err error
		if q.parts[n], err = own.resolve(ctx); err != nil {
			q.parts[n] = &Question{context: contexts[n].context, ResourceOptions: &own}
		}
		return err
	})
	return q, q.answerWithout(ctx, errs)
}

// resolveEachAgain resolves each part with what its server says now.
func (q *Question) resolveEachAgain(ctx context.Context) error {
	return q.answerWithout(ctx, q.eachPart(func(n int) error { return q.parts[n].ResolveAgain(ctx) }))
}

// eachPart does something with all parts, side by side, and returns what came of each.
func (q *Question) eachPart(do func(n int) error) []error {
	errs := make([]error, len(q.parts))
	var running sync.WaitGroup
	for n := range q.parts {
		running.Go(func() { errs[n] = do(n) })
	}
	running.Wait()
	return errs
}

// answerWithout gives up the parts that have an error, and puts the others together. It
// is an error where none is left.
func (q *Question) answerWithout(ctx context.Context, errs []error) error {
	if ctx.Err() != nil {
		return errors.Join(append(errs, ctx.Err())...)
	}
	var kept []*Question
	for n, part := range q.parts {
		if errs[n] == nil {
			kept = append(kept, part)
			continue
		}
		part.Close()
		q.lost = append(q.lost, contextErrors(part.context, errs[n])...)
	}
	q.parts = kept
	if len(kept) == 0 {
		return ofAll(q.lost)
	}
	q.join()
	return nil
}

// contextErrors names the context of each error that is to be reported.
func contextErrors(name string, errs ...error) (named []error) {
	for _, err := range errs {
		for _, one := range process.Flatten(err) {
			if !errors.As(one, new(*cache.ContextError)) {
				one = &cache.ContextError{Context: name, Err: one}
			}
			named = append(named, one)
		}
	}
	return named
}

// ofAll is the error where there is no cluster to answer: a mistake of the question
// itself is said once, not of each context.
func ofAll(errs []error) error {
	causes := make([]error, len(errs))
	for n, err := range errs {
		causes[n] = errors.Unwrap(err)
	}
	same := !slices.ContainsFunc(causes, func(cause error) bool { return cause.Error() != causes[0].Error() })
	if same && len(causes) > 1 && causes[0].Error() != "" {
		return causes[0]
	}
	return errors.Join(errs...)
}

// join puts together what has come of the parts: type by type, and the contexts of one
// type as they are asked for.
func (q *Question) join() {
	all := resolve.Result{Unresolved: slices.Clone(q.lost)}
	everywhere := false
	if q.joining != nil {
		all.Namespaces = slices.Clone(q.joining.namespaces)
	}
	q.Subjects = nil
	for _, part := range q.parts {
		of := part.Resolved
		all.Targets, all.Visits = append(all.Targets, of.Targets...), append(all.Visits, of.Visits...)
		all.FromCategory = append(all.FromCategory, of.FromCategory...)
		all.Unresolved = append(all.Unresolved, contextErrors(part.context, of.Unresolved...)...)
		everywhere = everywhere || of.Namespaces == nil
		for _, namespace := range of.Namespaces {
			if !slices.Contains(all.Namespaces, namespace) {
				all.Namespaces = append(all.Namespaces, namespace)
			}
		}
		q.Subjects = append(q.Subjects, part.Subjects...)
	}
	if everywhere {
		all.Namespaces = nil
	}
	byType(all.Targets, func(t cache.Target) cache.Target { return t })
	byType(all.Visits, func(t cache.Target) cache.Target { return t })
	byType(q.Subjects, func(s Subject) cache.Target { return s.Target })
	q.Resolved = all
}

// byType puts together what is of one type, in the order in which types come first.
func byType[T any](all []T, targetOf func(T) cache.Target) {
	first := map[schema.GroupResource]int{}
	for n, one := range all {
		resource := targetOf(one).Resource.GroupResource()
		if _, known := first[resource]; !known {
			first[resource] = n
		}
	}
	slices.SortStableFunc(all, func(a, b T) int {
		return first[targetOf(a).Resource.GroupResource()] - first[targetOf(b).Resource.GroupResource()]
	})
}

// In returns the question to the cluster that a Target is in: what it knows of types,
// owners, users and values is of that cluster alone.
func (q *Question) In(t cache.Target) *Question {
	for _, part := range q.parts {
		if part.context == t.Context {
			return part
		}
	}
	return q
}

// clients returns what makes the ListerWatchers for Targets: one for each cluster.
func (q *Question) clients() func(cache.Target) (lister, error) {
	made := map[string]lister{}
	return func(t cache.Target) (lister, error) {
		if made[t.Context] != nil {
			return made[t.Context], nil
		}
		client, err := q.In(t).Connection.client()
		if err == nil {
			made[t.Context] = client
		}
		return client, err
	}
}

// Context is that of the cluster that a part of a question is put to.
func (q *Question) Context() string { return q.context }

// LostContexts are why there is no answer from contexts that are asked.
func (q *Question) LostContexts() []error { return q.lost }

// Clusters are the questions to each cluster: the question itself where there is one.
func (q *Question) Clusters() []*Question {
	if q.joining == nil && len(q.parts) == 0 {
		return []*Question{q}
	}
	return q.parts
}

// Attach has a stream learn of what its answers depend on. Its connections are those of
// the related types, too.
func (q *Question) Attach(queue *informer.Queue, connections *Connections) {
	for _, one := range q.Clusters() {
		one.Dependencies.attach(queue, connections)
	}
}

// Lost is why a stream cannot go on, after an event that is not of an object: whether
// objects are used is not known any more. Of several clusters it goes on without this one.
func (q *Question) Lost(event cache.Event) error {
	for _, one := range q.Clusters() {
		err := one.Dependencies.lost(event, q.Subjects)
		switch {
		case err == nil || one.blind:
		case len(q.parts) == 0:
			return err
		default:
			one.blind = true
			q.lose(one.context, err)
		}
	}
	if len(q.parts) > 0 && len(q.Undecided()) == 0 && !slices.ContainsFunc(q.parts, func(one *Question) bool { return !one.blind }) {
		return process.Reported(errors.Join(q.lost...))
	}
	return nil
}

// lose reports that the answer goes on without a context.
func (q *Question) lose(name string, err error) {
	for _, one := range contextErrors(name, err) {
		q.Streams.Console.Ended(one)
		q.lost, q.Resolved.Unresolved = append(q.lost, one), append(q.Resolved.Unresolved, process.Reported(one))
	}
}

// giveUp goes on without the subjects of a context, where there are others.
func (q *Question) giveUp(name string, err error) error {
	if len(q.parts) == 0 {
		return err
	}
	q.lose(name, err)
	q.Subjects = slices.DeleteFunc(q.Subjects, func(s Subject) bool { return s.Target.Context == name })
	if len(q.Subjects) == 0 {
		return errors.Join(q.Resolved.Unresolved...)
	}
	return nil
}
