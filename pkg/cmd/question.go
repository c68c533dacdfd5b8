package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"

	"k8s.io/klog/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/related"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// subject is one Target and what narrows it in the cache.
type subject struct {
	target cache.Target
	by     *index.Bound
	// users are what by is narrowed to by --used-by and --unused-by, once it is.
	users []related.Spec
}

// question is what options ask, resolved against the cluster, and the informers
// that answer it.
type question struct {
	*resourceOptions
	resolver resolver
	// registry is that of the options, with an index root that follows owners.
	registry *index.Registry
	// query is --by, with the values of the objects that it refers to.
	query    index.Query
	resolved resolve.Result
	subjects []subject
	// keeper knows what earlier runs have reported, with --state; nil without.
	keeper *stateKeeper
	// dependencies are what the answer depends on besides.
	dependencies *dependencies
	// asked is the time of the question, of list or of a line of query: all of an
	// answer is as of that time.
	asked time.Time
	// pushes is how much of the question is left to the server, pushed that some was:
	// then the caches may lack objects that are no answer.
	pushes plan.Extent
	pushed atomic.Bool
}

// close ends what the question has started besides its own informers.
func (q *question) close() { q.dependencies.close() }

// start starts an informer for each subject, in the least form that serves
// --by and the needs of the command.
func (q *question) start(ctx context.Context, follow bool, options informer.Options, needs func(cache.Target) ([]plan.Need, error)) (*informer.Group, error) {
	q.dependencies.keep(follow)
	if err := q.narrowSubjects(ctx); err != nil {
		return nil, err
	}
	client, err := q.connection.client()
	if err != nil {
		return nil, err
	}
	options.SyncTimeout = q.syncTimeout
	specs := make([]informer.Spec, len(q.subjects))
	for n, subject := range q.subjects {
		p, err := q.plan(subject, follow, needs)
		if err != nil {
			return nil, err
		}
		if specs[n], err = q.specFor(p, subject, client); err != nil {
			return nil, err
		}
		if specs[n].Earlier, err = q.keeper.resume(subject.target, p.Kept); err != nil {
			return nil, err
		}
	}
	group, err := informer.Start(ctx, specs, options)
	if err != nil {
		return nil, err
	}
	q.recorder.Add(group)
	if q.streams.ErrIsTerminal && !q.quiet {
		process.ShowProgress(ctx, q.streams.Console, group)
	}
	return group, nil
}

// plan is how the objects of a subject are had: in the least form that serves --by,
// --where and the needs of the command.
func (q *question) plan(s subject, follow bool, needs func(cache.Target) ([]plan.Need, error)) (plan.Plan, error) {
	readers, err := needs(s.target)
	if err != nil {
		return plan.Plan{}, err
	}
	readers = append(readers,
		plan.Need{Reader: "--by", Indexes: s.by.Definitions(), NoAnnotations: true},
		plan.Need{Reader: "--where", Form: q.where.Needs(), NoAnnotations: q.where.Empty()})
	return plan.For(s.target, follow, readers...), nil
}

// specFor turns a plan into an informer to be run.
func specFor(p plan.Plan, client lister, pageSize int64) (informer.Spec, error) {
	for _, reason := range p.Reasons {
		klog.V(4).Info(reason)
	}
	source, err := client.ListerWatcher(p.Target, p.Form)
	return informer.Spec{
		Target:    p.Target,
		Source:    source,
		ListOnly:  p.ListOnly,
		PageSize:  pageSize,
		Transform: compress.After(p.Transform),
		Indexers:  p.Indexers,
	}, err
}

// scope is which namespaces are asked for, as the printers take it.
func (q *question) scope() printers.Scope {
	return printers.Scope{AllNamespaces: q.resolved.Namespaces == nil, Namespaces: q.resolved.Namespaces}
}

func (q *question) targets() []cache.Target {
	targets := make([]cache.Target, len(q.subjects))
	for i, subject := range q.subjects {
		targets[i] = subject.target
	}
	return targets
}

// joinFailures makes one error of all.
func joinFailures(failures []*cache.SyncError) error {
	errs := make([]error, len(failures))
	for i, failure := range failures {
		errs[i] = failure
	}
	return errors.Join(errs...)
}

// takeOutUnwatchable drops the subjects that the server cannot watch, and returns
// their Targets.
func (q *question) takeOutUnwatchable() (out []cache.Target) {
	q.subjects = slices.DeleteFunc(q.subjects, func(s subject) bool {
		if !s.target.Verbs.Watch {
			out = append(out, s.target)
		}
		return !s.target.Verbs.Watch
	})
	return out
}

// leaveOutUnwatchable drops what the server cannot watch from a stream. It returns
// an error for each Target that an argument names. Members of a category are left
// out with one notice, unless nothing is left.
func (q *question) leaveOutUnwatchable() (refused []error) {
	out := q.takeOutUnwatchable()
	if len(q.subjects) == 0 {
		return cannotWatch(out)
	}
	var named []cache.Target
	var skipped []string
	for _, target := range out {
		if resource := target.Resource.GroupResource().String(); !slices.Contains(q.resolved.FromCategory, target) {
			named = append(named, target)
		} else if !slices.Contains(skipped, resource) {
			skipped = append(skipped, resource)
		}
	}
	if len(skipped) > 0 {
		q.streams.Console.Warn("left out, since the server only lists them: " + strings.Join(skipped, ", "))
	}
	return cannotWatch(named)
}

// cannotWatch is an error for each Target that only a list can answer.
func cannotWatch(targets []cache.Target) (refused []error) {
	for _, target := range targets {
		resource := target.Resource.GroupResource()
		refused = append(refused, fmt.Errorf(
			"%s cannot be watched: the server only lists them; \"list %s\" answers once", resource, resource))
	}
	return refused
}
