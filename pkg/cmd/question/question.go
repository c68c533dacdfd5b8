package question

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/klog/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/related"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// Subject is one Target and what narrows it in the cache.
type Subject struct {
	Target cache.Target
	By     *index.Bound
	// Users are what by is narrowed to by --used-by and --unused-by, once it is.
	Users []related.Spec
}

// resumer knows what earlier runs have reported.
type resumer interface {
	// Resume returns that of a Target, and notes in which form its objects are kept now.
	Resume(target cache.Target, form cache.Representation) (*cache.Earlier, error)
}

// Question is what options ask, resolved against the cluster, and the informers
// that answer it.
type Question struct {
	*ResourceOptions
	// parts are the questions to the clusters of several contexts, which this one joins;
	// none where there is one cluster. What is of one cluster (resolver, Registry, Query
	// with the values of its objects, Dependencies) is theirs: see In.
	parts []*Question
	// joining, where set, has the parts join a stream that has begun.
	joining *joining
	// context is the one to whose cluster a part is put; lost says why contexts that are
	// asked for have no part. blind says that a part cannot judge objects any more.
	context  string
	lost     []error
	blind    bool
	resolver resolver
	// Registry is that of the options, with an index root that follows owners.
	Registry *index.Registry
	// Query is --by, with the values of the objects that it refers to.
	Query    index.Query
	Resolved resolve.Result
	Subjects []Subject
	// Keeper knows what earlier runs have reported, with --state; nil without.
	Keeper resumer
	// Dependencies are what the answer depends on besides.
	Dependencies *Dependencies
	// Asked is the time of the question, of list or of a line of query: all of an
	// answer is as of that time.
	Asked time.Time
	// pushes is how much of the question is left to the server, pushed that some was:
	// then the caches may lack objects that are no answer.
	pushes plan.Extent
	Pushed atomic.Bool
}

// Close ends what the question has started besides its own informers.
func (q *Question) Close() {
	q.joining.close()
	for _, one := range q.Clusters() {
		if one.Dependencies != nil {
			one.Dependencies.close()
		}
	}
}

// Start starts an informer for each subject, in the least form that serves
// --by and the needs of the command.
func (q *Question) Start(ctx context.Context, follow bool, options informer.Options, needs func(cache.Target) ([]plan.Need, error)) (*informer.Group, error) {
	return q.StartJoined(ctx, follow, options, needs, nil)
}

// StartJoined is Start of what Follow has resolved: joined gets the informers, which may
// join later.
func (q *Question) StartJoined(ctx context.Context, follow bool, options informer.Options, needs func(cache.Target) ([]plan.Need, error), joined Joined) (*informer.Group, error) {
	if q.joining != nil {
		options.Joining = q.joiners(follow, options.Events, needs, joined)
	}
	if err := q.Prepare(ctx, follow); err != nil {
		return nil, err
	}
	options.SyncTimeout = q.syncTimeout
	specs, err := q.specs(follow, needs)
	if err != nil {
		return nil, err
	}
	group, err := informer.Start(ctx, specs, options)
	if err != nil {
		return nil, err
	}
	if joined != nil && q.joining == nil {
		if err := joined(q, group.Informers()); err != nil {
			group.Stop()
			return nil, err
		}
	}
	q.Recorder.Add(group)
	if q.Streams.ErrIsTerminal && !q.Quiet {
		process.ShowProgress(ctx, q.Streams.Console, group)
	}
	return group, nil
}

// Prepare starts what the answer depends on besides the objects asked for. follow says
// that it is kept up to date.
func (q *Question) Prepare(ctx context.Context, follow bool) error {
	for _, one := range q.Clusters() {
		one.Dependencies.Keep(follow)
	}
	return q.narrowSubjects(ctx)
}

// specs are the informers of the subjects.
func (q *Question) specs(follow bool, needs func(cache.Target) ([]plan.Need, error)) ([]informer.Spec, error) {
	clientOf := q.clients()
	specs := make([]informer.Spec, len(q.Subjects))
	for n, subject := range q.Subjects {
		p, err := q.Plan(subject, follow, needs)
		if err != nil {
			return nil, err
		}
		client, err := clientOf(subject.Target)
		if err != nil {
			return nil, err
		}
		if specs[n], err = q.specFor(p, subject, client); err != nil {
			return nil, err
		}
		if q.Keeper == nil {
			continue
		}
		if specs[n].Earlier, err = q.Keeper.Resume(subject.Target, p.Kept); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// Plan is how the objects of a subject are had: in the least form that serves --by,
// --where and the needs of the command.
func (q *Question) Plan(s Subject, follow bool, needs func(cache.Target) ([]plan.Need, error)) (plan.Plan, error) {
	readers, err := needs(s.Target)
	if err != nil {
		return plan.Plan{}, err
	}
	readers = append(readers,
		plan.Need{Reader: "--by", Indexes: s.By.Definitions(), NoAnnotations: true},
		plan.Need{Reader: "--where", Form: q.Where.Needs(), NoAnnotations: q.Where.Empty()})
	return plan.For(s.Target, follow, readers...), nil
}

// specFor turns a plan into an informer to be run.
func specFor(p plan.Plan, client lister, pageSize int64) (informer.Spec, error) {
	for _, reason := range p.Reasons {
		klog.V(4).Info(reason)
	}
	source, err := client.ListerWatcher(p.Target, p.Form, !p.ListOnly)
	return informer.Spec{
		Target:    p.Target,
		Source:    source,
		ListOnly:  p.ListOnly,
		PageSize:  pageSize,
		Transform: placedIn(p.Target.Context, compress.After(p.Transform)),
		Indexers:  p.Indexers,
	}, err
}

// placedIn has rows know the context of their cluster, before an index asks for it.
func placedIn(context string, transform func(*cache.Row)) func(*cache.Row) {
	if context == "" {
		return transform
	}
	place := cache.Place(context)
	return func(row *cache.Row) {
		row.SetPlace(place)
		transform(row)
	}
}

// Scope is which namespaces are asked for, as the printers take it.
func (q *Question) Scope() printers.Scope {
	return printers.Scope{Contexts: q.joining != nil || len(q.parts) > 0, AllNamespaces: q.Resolved.Namespaces == nil, Namespaces: q.Resolved.Namespaces}
}

// Targets are those of the subjects, in their order.
func (q *Question) Targets() []cache.Target {
	targets := make([]cache.Target, len(q.Subjects))
	for i, subject := range q.Subjects {
		targets[i] = subject.Target
	}
	return targets
}

// JoinFailures makes one error of all.
func JoinFailures(failures []*cache.SyncError) error {
	errs := make([]error, len(failures))
	for i, failure := range failures {
		errs[i] = failure
	}
	return errors.Join(errs...)
}

// TakeOutUnwatchable drops the subjects that the server cannot watch, and returns
// their Targets.
func (q *Question) TakeOutUnwatchable() (out []cache.Target) {
	q.Subjects = slices.DeleteFunc(q.Subjects, func(s Subject) bool {
		if !s.Target.Verbs.Watch {
			out = append(out, s.Target)
		}
		return !s.Target.Verbs.Watch
	})
	return out
}

// LeaveOutUnwatchable drops what the server cannot watch from a stream. It returns
// an error for each Target that an argument names. Members of a category are left
// out with one notice, unless nothing is left.
func (q *Question) LeaveOutUnwatchable() (refused []error) {
	out := q.TakeOutUnwatchable()
	if len(q.Subjects) == 0 {
		return CannotWatch(out)
	}
	var named []cache.Target
	var skipped []string
	for _, target := range out {
		if resource := target.Type(); !slices.Contains(q.Resolved.FromCategory, target) {
			named = append(named, target)
		} else if !slices.Contains(skipped, resource) {
			skipped = append(skipped, resource)
		}
	}
	if len(skipped) > 0 {
		q.Streams.Console.Warn("left out, since the server only lists them: " + strings.Join(skipped, ", "))
	}
	return CannotWatch(named)
}

// CannotWatch is an error for each Target that only a list can answer.
func CannotWatch(targets []cache.Target) (refused []error) {
	for _, target := range targets {
		resource := target.Resource.GroupResource()
		err := fmt.Errorf("%s cannot be watched: the server only lists them; \"list %s\" answers once", resource, resource)
		if target.Context != "" {
			err = &cache.ContextError{Context: target.Context, Err: err}
		}
		refused = append(refused, err)
	}
	return refused
}

// Unsynced are the Targets whose first list is not complete, those left out that
// have ended.
func (q *Question) Unsynced() (targets []cache.Target) {
	for _, group := range q.Recorder.Groups() {
		for _, i := range group.Informers() {
			if !i.Synced() && i.Failure() == nil {
				targets = append(targets, i.Target)
			}
		}
	}
	return targets
}
