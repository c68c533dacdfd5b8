package question

import (
	"context"

	"k8s.io/klog/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldlabel"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/narrow"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
)

// LeaveToServer sets how much of the question is left to the server. It is nothing where
// a dump is asked, and where all of the cache is to be compared with the server.
func (q *Question) LeaveToServer(extent plan.Extent) {
	q.pushes = extent
	q.Pushed.Store(false)
	if q.Connection.Dump != nil || q.Verifies {
		q.pushes = plan.Nothing
	}
}

// specFor turns the plan for a subject into an informer to be run, which asks the server
// for what it can select.
func (q *Question) specFor(p plan.Plan, s Subject, client lister) (informer.Spec, error) {
	var conditions []plan.Condition
	if q.pushes != plan.Nothing {
		conditions = plan.Conditions(s.By, q.Where)
	}
	p = p.PushedDown(plan.PushDown(p.Target, q.pushes, conditions))
	spec, err := specFor(p, client, q.pageSize)
	if err != nil {
		return spec, err
	}
	selection, err := q.selectionOf(p, client)
	if err != nil {
		return spec, err
	}
	var find func(context.Context) *narrow.Selection
	if q.pushes == plan.Listed && plan.Declares(p.Target, conditions) {
		find = func(ctx context.Context) *narrow.Selection { return q.declared(ctx, p, conditions, client) }
	}
	if selection == nil && find == nil {
		return spec, nil
	}
	source := narrow.New(spec.Source, selection, find)
	transform := spec.Transform
	spec.Source, spec.Transform = source, func(row *cache.Row) {
		source.Stamp(row)
		transform(row)
	}
	return spec, nil
}

// selectionOf is what the server is asked for by a plan; nil where that is all.
func (q *Question) selectionOf(p plan.Plan, client lister) (*narrow.Selection, error) {
	if !p.Pushed.Narrows() {
		return nil, nil
	}
	q.Pushed.Store(true)
	selected, err := client.ListerWatcher(p.Pushed.Asked, p.NarrowForm, !p.ListOnly)
	if err != nil {
		return nil, err
	}
	selection := &narrow.Selection{Selected: selected, Known: p.Pushed.Known}
	if p.Pushed.Unanswered != nil {
		selection.Unanswered, err = client.ListerWatcher(*p.Pushed.Unanswered, p.NarrowForm, !p.ListOnly)
	}
	return selection, err
}

// declared is what the server is asked for once it is known by which fields a type
// declares that it is selected; nil where that is no more than without.
func (q *Question) declared(ctx context.Context, p plan.Plan, conditions []plan.Condition, client lister) *narrow.Selection {
	fields, err := q.In(p.Target).Connection.selectableFields(ctx, p.Target)
	if err != nil {
		klog.V(4).Infof("%s: what fields are selectable is not known: %v", p.Target, err)
		return nil
	}
	pushed := plan.PushDown(p.Target, q.pushes, conditions, fields...)
	if pushed.Asked == p.Pushed.Asked {
		return nil
	}
	for _, reason := range pushed.Reasons {
		klog.V(4).Info(reason)
	}
	selection, err := q.selectionOf(p.PushedDown(pushed), client)
	if err != nil {
		klog.V(4).Infof("%s: %v", p.Target, err)
		return nil
	}
	return selection
}

// selectableFields asks the server what fields the type of a Target declares as selectable.
func (c *Connection) selectableFields(ctx context.Context, t cache.Target) ([]fieldlabel.Field, error) {
	client, err := c.Getter().ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	document, err := client.RESTClient().Get().AbsPath("/openapi/v3/apis", t.Kind.Group, t.Kind.Version).
		SetHeader("Accept", "application/json").MaxRetries(0).Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	return fieldlabel.Declared(document, t.Kind)
}
