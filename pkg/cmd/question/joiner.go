package question

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// joiners are what has each cluster join a group of informers, whose events go to a queue.
func (q *Question) joiners(follow bool, queue *informer.Queue, needs func(cache.Target) ([]plan.Need, error), joined Joined) (all []func(context.Context, *informer.Group)) {
	for _, connection := range q.Connection.contexts {
		own := *q.ResourceOptions
		own.Connection = connection
		ask := func(ctx context.Context, g *informer.Group, down *outage) error {
			part, specs, err := q.partOf(ctx, &own, follow, down.mayBeStarting(), needs)
			if err != nil {
				return err
			}
			err = g.Add(ctx, specs, func(informers []*informer.Informer) {
				if err := joined(part, informers); err != nil {
					part.Resolved.Unresolved = append(part.Resolved.Unresolved, err)
				}
				q.arrive(queue, arrival{part: part, context: part.context, down: down.lasted()})
			})
			if err != nil {
				part.Close()
			}
			return err
		}
		all = append(all, func(ctx context.Context, g *informer.Group) {
			q.joinOnceUp(ctx, connection, follow, queue, func(down *outage) error { return ask(ctx, g, down) })
		})
	}
	return all
}

// joinOnceUp asks a cluster until it joins, as long as what keeps it from that may pass
// and the stream goes on.
func (q *Question) joinOnceUp(ctx context.Context, connection *Connection, retries bool, queue *informer.Queue, ask func(*outage) error) {
	delays, down := guard.Delays(), outage{}
	for {
		err := ask(&down)
		if err == nil || ctx.Err() != nil {
			return
		}
		again := retries && (isDown(err) || connection.Reached() && down.mayBeStarting())
		if down.began.IsZero() || !again {
			q.arrive(queue, arrival{context: connection.context, err: err, retried: again})
		}
		if !again {
			return
		}
		down.goesOn(connection.Reached())
		select {
		case <-time.After(delays.Step()):
			connection.Redial()
		case <-ctx.Done():
			return
		}
	}
}

// outage is the time in which a cluster does not answer, or not as it will.
type outage struct {
	// began is when that was found, answered when the server first answered in spite of
	// it; zero before.
	began, answered time.Time
}

func (o *outage) goesOn(answers bool) {
	switch {
	case o.began.IsZero():
		o.began = time.Now()
	case answers && o.answered.IsZero():
		o.answered = time.Now()
	}
}

// mayBeStarting says whether a server that was down may have come up just now: then it
// refuses its users until it has read their rights.
func (o *outage) mayBeStarting() bool {
	return !o.began.IsZero() && (o.answered.IsZero() || time.Since(o.answered) < startGrace)
}

func (o *outage) lasted() time.Duration {
	if o.began.IsZero() {
		return 0
	}
	return time.Since(o.began)
}

// isDown says whether the cluster does not answer, and may later.
func isDown(err error) bool {
	return slices.ContainsFunc(process.Flatten(err), func(one error) bool {
		return errors.Is(one, process.ErrStalled) || client.IsDown(one)
	})
}

// partOf is the part of the question that is put to one cluster, and its informers.
func (q *Question) partOf(ctx context.Context, own *ResourceOptions, follow, starting bool, needs func(cache.Target) ([]plan.Need, error)) (*Question, []informer.Spec, error) {
	part, err := own.resolve(ctx)
	if err != nil {
		return nil, nil, err
	}
	specs, err := q.prepare(ctx, part, follow, starting, needs)
	if err != nil {
		part.Close()
		return nil, nil, err
	}
	return part, specs, nil
}

// prepare prepares what a part asks for, and makes sure that its server is there.
func (q *Question) prepare(ctx context.Context, part *Question, follow, starting bool, needs func(cache.Target) ([]plan.Need, error)) ([]informer.Spec, error) {
	if follow {
		part.Resolved.Unresolved = append(part.LeaveOutUnwatchable(), part.Resolved.Unresolved...)
	}
	if len(part.Subjects) == 0 {
		return nil, errors.Join(part.Resolved.Unresolved...)
	}
	if follow {
		if err := part.reach(ctx, starting); err != nil {
			return nil, err
		}
	}
	part.pushes = q.pushes
	if err := part.Prepare(ctx, follow); err != nil {
		return nil, err
	}
	q.joining.planning.Lock()
	defer q.joining.planning.Unlock()
	return part.specs(follow, needs)
}

// reach makes sure that the server is there. Where discovery was cached nothing has been
// asked yet; an informer that cannot make the first contact ends, as does one that a
// server which is starting refuses.
func (q *Question) reach(ctx context.Context, starting bool) error {
	path := "/version"
	switch {
	case starting:
		path = "/readyz"
	case q.Connection.Reached():
		return nil
	}
	discovery, err := q.Connection.Getter().ToDiscoveryClient()
	if err != nil {
		return err
	}
	return q.unlessStalled(ctx, func(ctx context.Context) error {
		err := discovery.RESTClient().Get().AbsPath(path).MaxRetries(0).Do(ctx).Error()
		if !starting && q.Connection.Reached() {
			return nil // with whatever answer
		}
		return err
	})
}
