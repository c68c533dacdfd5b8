package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/liveview/terminal"
)

// tryTail is the hint where there is no terminal to look at.
const tryTail = `"tail" reports changes line by line`

// validateLive says why there cannot be a view: for want of a terminal, or since other
// flags ask for what it does not show.
func (f *listFlags) validateLive(flags *pflag.FlagSet) error {
	output := flags.Lookup("output").Value.String()
	switch {
	case f.watch || f.watchOnly:
		return errors.New("--live cannot be used with --watch: it shows changes where they happen in the table, a stream reports each")
	case f.resources.Connection.Dump != nil:
		return errors.New("--live cannot be used with --from: nothing changes in a dump")
	case output != "" && output != "wide" || flags.Changed("template"):
		return fmt.Errorf("--live shows a table: it can only be used with -o wide, got %q; \"tail -o json\" and others report changes as data", cmp.Or(output, "--template"))
	case f.verify:
		return errors.New(`--verify cannot be used with --live: "tail --verify-every" compares while it goes on`)
	case f.exitStatus:
		return errors.New("--exit-status cannot be used with --live: what does not match now may match later")
	case f.resources.Request.Subresource != "":
		return errors.New("--subresource cannot be used with --live: a subresource cannot be watched")
	case !f.streams.OutIsTerminal:
		return errors.New("--live needs a terminal, and stdout is none: " + tryTail)
	case os.Getenv("TERM") == "dumb":
		return errors.New("--live needs a terminal that can move its cursor, and TERM is \"dumb\": " + tryTail)
	}
	return nil
}

// liveOptions are a list that stays on the screen.
type liveOptions struct{ *listOptions }

func (o *liveOptions) Run(ctx context.Context) error {
	q, err := o.resources.Resolve(ctx)
	if err != nil {
		return err
	}
	defer q.Close()
	refused := append(q.LeaveOutUnwatchable(), q.Resolved.Unresolved...)
	if len(q.Subjects) == 0 {
		return errors.Join(refused...)
	}
	for _, err := range refused {
		o.streams.Console.Ended(err)
	}
	q.LeaveToServer(plan.Lasting)
	queue := informer.NewQueue(0)
	group, err := q.Start(ctx, true, informer.Options{Events: queue, Objects: true}, o.needs(q))
	if err != nil {
		return err
	}
	costs := &question.CostReport{Console: o.streams.Console}
	err = o.show(ctx, q, group, queue, costs)
	group.Stop()
	q.WarnMisses()
	q.ReportStats()
	refused = append(refused, q.Resolved.Unresolved...)
	return errors.Join(err, process.Reported(errors.Join(refused...)), question.JoinFailures(group.Failures()), costs.Err())
}

// needs are those of the table, and of what keys show: what has changed, and the
// object as YAML.
func (o *liveOptions) needs(q *question.Question) func(cache.Target) ([]plan.Need, error) {
	table := o.listOptions.needs(q)
	return func(t cache.Target) ([]plan.Need, error) {
		needs, err := table(t)
		if o.resources.CountBy == "" {
			needs = append(needs, plan.Need{Reader: "keys of --live", Form: cache.Whole})
		}
		return needs, err
	}
}

// show lists, and then has the view on the terminal until it is ended.
func (o *liveOptions) show(ctx context.Context, q *question.Question, group *informer.Group, queue *informer.Queue, costs *question.CostReport) error {
	v, err := o.newView(ctx, q, queue, costs)
	if err != nil {
		return err
	}
	v.ended = group.Ended()
	defer v.connections.Close()
	if err := v.sync(ctx); err != nil {
		return err
	}
	if len(group.Failures()) == len(q.Subjects) {
		return nil // which are the error
	}
	colours, err := o.print.Colour(true, os.Getenv)
	if err != nil {
		return err
	}
	return process.WriteOutput(ctx, o.streams.Out, func(ctx context.Context) error {
		screen, err := terminal.Open(colours)
		if err != nil {
			return fmt.Errorf("--live: %w: %s", err, tryTail)
		}
		defer screen.Close()
		restore := o.streams.Console.Divert(v.notices.put, o.streams.ErrIsTerminal)
		defer func() {
			screen.Close()
			restore()
		}()
		return v.run(ctx, screen)
	})
}

// newView makes the view of a question's answer.
func (o *liveOptions) newView(ctx context.Context, q *question.Question, queue *informer.Queue, costs *question.CostReport) (*view, error) {
	v := &view{
		question: q, queue: queue, connections: question.NewConnections(o.streams.Console, false, q.Targets()),
		notices: newNotices(), opened: time.Now(),
	}
	q.Attach(queue, v.connections)
	v.filters = q.Filters(ctx, costs.Exceeded)
	if o.resources.CountBy == "" {
		return v, v.objects(o)
	}
	return v, v.counts(ctx, o)
}

// counted are the indexes of --count-by, for each type that is asked for.
func (o *liveOptions) counted(q *question.Question) (map[cache.Target][]index.Definition, error) {
	all := map[cache.Target][]index.Definition{}
	for _, subject := range q.Subjects {
		definitions, err := q.Counted(subject.Target, o.resources.CountBy)
		if err != nil {
			return nil, err
		}
		all[subject.Target] = definitions
	}
	return all, nil
}
