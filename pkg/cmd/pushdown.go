package cmd

import (
	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/narrow"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
)

// leaveToServer sets how much of the question is left to the server. There is none where
// a dump is asked.
func (q *question) leaveToServer(extent plan.Extent) {
	q.pushes, q.pushed = extent, false
	if q.connection.dump != nil {
		q.pushes = plan.Nothing
	}
}

// specFor turns the plan for a subject into an informer to be run, which asks the server
// for what it can select.
func (q *question) specFor(p plan.Plan, s subject, client lister) (informer.Spec, error) {
	var conditions []plan.Condition
	if q.pushes != plan.Nothing {
		conditions = plan.Conditions(s.by, q.where)
	}
	p = p.PushedDown(plan.PushDown(p.Target, q.pushes, conditions))
	spec, err := specFor(p, client, q.pageSize)
	if err != nil {
		return spec, err
	}
	var selection *narrow.Selection
	if p.Pushed.Narrows() {
		q.pushed = true
		if selection, err = selectionOf(p, client); err != nil {
			return spec, err
		}
	}
	if selection == nil {
		return spec, nil
	}
	source := narrow.New(spec.Source, selection, nil)
	spec.Source, spec.Transform = source, func(row *cache.Row) {
		source.Stamp(row)
		p.Transform(row)
	}
	return spec, nil
}

// selectionOf is what the server is asked for by a plan that leaves something to it.
func selectionOf(p plan.Plan, client lister) (*narrow.Selection, error) {
	selected, err := client.ListerWatcher(p.Pushed.Asked, p.NarrowForm)
	if err != nil {
		return nil, err
	}
	selection := &narrow.Selection{Selected: selected, Known: p.Pushed.Known}
	if p.Pushed.Unanswered != nil {
		selection.Unanswered, err = client.ListerWatcher(*p.Pushed.Unanswered, p.NarrowForm)
	}
	return selection, err
}
