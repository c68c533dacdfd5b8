package question

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// Resolve turns arguments into Targets, and binds --by to each of them.
func (o *ResourceOptions) Resolve(ctx context.Context) (*Question, error) {
	if len(o.Connection.contexts) > 0 {
		return o.resolveEach(ctx)
	}
	return o.resolve(ctx)
}

// resolve does so in one cluster.
func (o *ResourceOptions) resolve(ctx context.Context) (*Question, error) {
	q := &Question{ResourceOptions: o, context: o.Connection.context, resolver: o.Connection.resolver(), Query: o.by}
	q.Dependencies = NewDependencies(q)
	q.Registry = o.registry.WithOwners(q.Dependencies.Owners)
	var err error
	if q.Resolved, err = q.find(ctx, o.request); err != nil {
		return nil, err
	}
	if err := o.validateShard(q.Resolved.Targets); err != nil {
		return nil, err
	}
	for _, warning := range q.Resolved.Warnings {
		q.warn(warning)
	}
	if err := q.lookUpReferences(ctx); err != nil {
		return nil, err
	}
	return q, q.bind()
}

// warn warns of what is so in the cluster that is asked.
func (q *Question) warn(text string) { q.Streams.Console.Warn(q.Named(text)) }

// Named has a warning name the cluster that it is about, where several are asked.
func (q *Question) Named(warning string) string {
	if q.context == "" {
		return warning
	}
	return fmt.Sprintf("context %q: %s", q.context, warning)
}

// validateShard refuses to divide what is asked for by name: which shard has it nobody
// can know beforehand.
func (o *ResourceOptions) validateShard(targets []cache.Target) error {
	if o.request.Shard.IsAll() {
		return nil
	}
	for _, target := range targets {
		if target.Name != "" {
			return fmt.Errorf("--shard divides all objects of a type, and cannot be used where %s is named", target)
		}
	}
	return nil
}

// ResolveAgain resolves with what discovery says now, not with what it said.
func (q *Question) ResolveAgain(ctx context.Context) (err error) {
	if len(q.parts) > 0 {
		return q.resolveEachAgain(ctx)
	}
	q.resolver.Refresh()
	if q.Resolved, err = q.find(ctx, q.request); err != nil {
		return err
	}
	return q.bind()
}

// TypeVanished says whether a type that cached discovery knows is not there.
func TypeVanished(failures []*cache.SyncError) bool {
	for _, failure := range failures {
		if failure.Fault == cache.Missing {
			return true
		}
	}
	return false
}

// find resolves a request, for as long as the server goes on answering: what
// --sync-timeout is for lists, it is for discovery. A dump takes the time it takes.
func (q *Question) find(ctx context.Context, request resolve.Request) (resolve.Result, error) {
	if q.Connection.Dump != nil {
		return q.resolver.Resolve(ctx, request)
	}
	var resolved resolve.Result
	err := q.unlessStalled(ctx, func(ctx context.Context) (err error) {
		resolved, err = q.retried(ctx, request)
		return err
	})
	return resolved, err
}

// unlessStalled asks the server something, and gives up after --sync-timeout without progress.
func (q *Question) unlessStalled(ctx context.Context, ask func(context.Context) error) error {
	if q.syncTimeout <= 0 {
		return ask(ctx)
	}
	limited, cancel := untilStalled(ctx, q.syncTimeout, q.Connection.Stats)
	defer cancel()
	err := ask(limited)
	if err != nil && errors.Is(context.Cause(limited), process.ErrStalled) {
		return process.NewTimedOut(process.ErrStalled, fmt.Sprintf("no progress for %v", q.syncTimeout))
	}
	return err
}

// retried resolves a request, again and again for --sync-timeout while the server,
// which has answered once, fails in ways that pass.
func (q *Question) retried(ctx context.Context, request resolve.Request) (resolve.Result, error) {
	connection := q.Connection
	backoff := guard.Delays()
	began := time.Now()
	for attempt := 0; ; attempt++ {
		pages := connection.Pages()
		resolved, err := q.resolver.Resolve(ctx, request)
		limit := q.syncTimeout
		switch {
		case !connection.Reached():
			return resolved, err
		case err != nil && connection.Pages() > pages:
			limit = gatewayGrace // it may be that no API server is there at all
		case !passes(err, resolved.Unresolved):
			return resolved, err
		}
		if limit > 0 && time.Since(began) >= limit {
			return resolved, err
		}
		if attempt == 0 {
			q.Streams.Console.Say("waiting for the resource types of %s: %s; trying again", q.server(),
				process.Words(cmp.Or(err, errors.Join(resolved.Unresolved...))))
		}
		select {
		case <-time.After(backoff.Step()):
			q.resolver.Refresh()
		case <-ctx.Done():
			return resolved, err
		}
	}
}

// server names the server that is asked, in a notice.
func (q *Question) server() string {
	return "the server" + cache.Target{Context: q.context}.InContext()
}

// passes says whether discovery is worth trying again: it failed as a whole, or a
// connection broke while one group was read. A group whose server is down is not
// waited for.
func passes(err error, unresolved []error) bool {
	var discovery *resolve.DiscoveryError
	for _, one := range append([]error{err}, unresolved...) {
		switch {
		case one == nil:
		case !errors.As(one, &discovery):
			if client.IsPassing(one) {
				return true
			}
		default:
			for _, reason := range discovery.Failed {
				if !errors.As(reason, new(apierrors.APIStatus)) && client.IsPassing(reason) {
					return true
				}
			}
		}
	}
	return false
}

// untilStalled returns a context that ends, by errStalled, when the server has been
// asked and nothing has been received for so long. What is done without the server,
// such as reading cached discovery, takes the time it takes.
func untilStalled(ctx context.Context, timeout time.Duration, stats func() client.Stats) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		ticker := time.NewTicker(max(timeout/8, time.Millisecond))
		defer ticker.Stop()
		last, since := stats(), time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				switch seen := stats(); {
				case seen.Discovery == 0, seen.BytesReceived != last.BytesReceived:
					last, since = seen, now
				case now.Sub(since) >= timeout:
					cancel(process.ErrStalled)
				}
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// lookUpReferences replaces every @TYPE/OBJECT of --by by the values that the
// object has.
func (q *Question) lookUpReferences(ctx context.Context) error {
	values, err := q.ValuesOf(ctx, q.Query.References(), q.Namespaces())
	for _, warning := range Valueless(values) {
		q.warn(warning)
	}
	q.Query = q.Query.Resolve(values)
	return err
}

// Namespaces are those of -n; none, which means that of the context, with -A.
func (o *ResourceOptions) Namespaces() []string {
	if o.request.AllNamespaces {
		return nil
	}
	return o.request.Namespaces
}

// ValuesOf looks up the values of objects. One whose namespace is not given is
// looked for in namespaces.
func (q *Question) ValuesOf(ctx context.Context, references []index.Reference, namespaces []string) (map[index.Reference][]string, error) {
	values := map[index.Reference][]string{}
	for _, reference := range references {
		found, err := q.lookUp(ctx, reference, namespaces)
		if err != nil {
			return nil, err
		}
		values[reference] = found
	}
	return values, nil
}

// lookUp lists one object and reads its values in the index.
func (q *Question) lookUp(ctx context.Context, reference index.Reference, namespaces []string) ([]string, error) {
	if reference.Namespace != "" {
		namespaces = []string{reference.Namespace}
	}
	request := resolve.Request{Args: []string{reference.Type + "/" + reference.Object}, Namespaces: namespaces}
	resolved, err := q.find(ctx, request)
	if err != nil {
		return nil, err
	}
	if len(resolved.Targets) != 1 {
		return nil, fmt.Errorf("%s can be in several namespaces: write @%s/NAMESPACE/%s", reference, reference.Type, reference.Object)
	}
	target := resolved.Targets[0]
	definition, err := q.Registry.Lookup(target, reference.Index)
	if err != nil {
		return nil, err
	}
	row, err := q.get(ctx, target, definition)
	if err != nil {
		return nil, err
	}
	if definition.FollowsOwners {
		return q.rootOf(ctx, target, reference.Index, row)
	}
	return definition.Values(row), nil
}

// get lists the one object of a Target in the form that an index reads.
func (q *Question) get(ctx context.Context, target cache.Target, reader index.Definition) (*cache.Row, error) {
	rows, err := q.LookIn(ctx, target, reader.Needs)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, apierrors.NewNotFound(target.Resource.GroupResource(), target.Name)
	case len(rows) == 1:
		return rows[0], nil
	}
	// In a dump a name alone means all namespaces.
	return nil, fmt.Errorf("%s is in several namespaces: write @TYPE/NAMESPACE/NAME", target)
}
