package question

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// joining are the clusters of a stream over several contexts, each of which joins it when
// it has answered: one that is slow, or down, keeps no other waiting.
//
// Each cluster has a goroutine of the group of informers, which hands over what came of
// it; all else is of the one that reads the stream.
type joining struct {
	// namespaces are those in which is looked, whoever answers; none which means all.
	namespaces []string
	// undecided are the contexts of which nothing is known yet, in their order.
	undecided []string
	// retried are those that are down, and asked again.
	retried map[string]bool
	// reportBy is when errors are reported though nobody has joined.
	reportBy time.Time
	// missing is how many are not followed.
	missing atomic.Int64

	// planning is held while informers are planned, of which flags are read.
	planning sync.Mutex

	mu      sync.Mutex // guards what follows
	arrived []arrival
}

// arrival is what came of a cluster: its part of the question, or why there is none.
type arrival struct {
	context string
	part    *Question
	err     error
	// retried says that the cluster is asked again, down for how long it was down.
	retried bool
	down    time.Duration
}

// Joined gets the informers of a cluster when they are part of a stream.
type Joined func(part *Question, informers []*informer.Informer) error

// Follow resolves what a stream asks for. Of several contexts it waits for none: they
// join the stream once it is started, see Admit.
func (o *ResourceOptions) Follow(ctx context.Context) (*Question, error) {
	contexts := o.Connection.contexts
	if len(contexts) == 0 {
		return o.resolve(ctx)
	}
	j := &joining{namespaces: o.Namespaces(), retried: map[string]bool{}, reportBy: time.Now().Add(lossWindow)}
	j.missing.Store(int64(len(contexts)))
	for _, one := range contexts {
		j.undecided = append(j.undecided, one.context)
		if len(o.request.Namespaces) > 0 || o.request.AllNamespaces {
			continue
		}
		// What is wrong with a kubeconfig is reported when its cluster is to be asked.
		if own, _, err := one.Getter().ToRawKubeConfigLoader().Namespace(); err == nil && !slices.Contains(j.namespaces, own) {
			j.namespaces = append(j.namespaces, own)
		}
	}
	q := &Question{ResourceOptions: o, Query: o.by, Registry: o.registry, joining: j}
	q.join()
	return q, nil
}

// arrive hands over what came of a cluster.
func (q *Question) arrive(queue *informer.Queue, came arrival) {
	q.joining.mu.Lock()
	q.joining.arrived = append(q.joining.arrived, came)
	q.joining.mu.Unlock()
	queue.Push(cache.Event{Type: cache.Answered, Time: time.Now()})
}

// take takes what has arrived.
func (j *joining) take() []arrival {
	j.mu.Lock()
	defer j.mu.Unlock()
	arrived := j.arrived
	j.arrived = nil
	return arrived
}

// close ends the parts that have come when nobody read the stream any more.
func (j *joining) close() {
	if j == nil {
		return
	}
	for _, came := range j.take() {
		if came.part != nil {
			came.part.Close()
		}
	}
}

// Admit takes up what came of clusters since it was last called, and reports it. It
// returns the parts that have joined. No event of theirs comes before.
func (q *Question) Admit(queue *informer.Queue, connections *Connections) (joined []*Question) {
	if q.joining == nil {
		return nil
	}
	arrived := q.joining.take()
	for _, came := range arrived {
		q.joining.undecided = slices.DeleteFunc(q.joining.undecided, func(name string) bool { return name == came.context })
		q.lost = slices.DeleteFunc(q.lost, func(err error) bool { return isOfContext(err, came.context) })
		q.joining.retried[came.context] = came.retried
		if came.part == nil {
			q.lost = append(q.lost, contextErrors(came.context, came.err)...)
			continue
		}
		q.joining.missing.Add(-1)
		q.parts, joined = append(q.parts, came.part), append(joined, came.part)
		connections.add(came.part.Targets())
		if came.down > 0 {
			connections.back(came.part.Targets(), came.down)
		}
		for _, err := range contextErrors(came.context, came.part.Resolved.Unresolved...) {
			q.Streams.Console.Ended(err)
		}
		came.part.Dependencies.attach(queue, connections)
	}
	if len(q.parts) > 0 || !time.Now().Before(q.joining.reportBy) {
		q.ReportLost()
	}
	if len(arrived) > 0 {
		q.join()
	}
	return joined
}

func isOfContext(err error, name string) bool {
	var of *cache.ContextError
	return errors.As(err, &of) && of.Context == name
}

// ReportLost reports why contexts are not followed, once. Before one is, Admit waits for
// what the others say: a mistake in the question is the same in all.
func (q *Question) ReportLost() {
	if q.joining == nil {
		return
	}
	for n, err := range q.lost {
		var of *cache.ContextError
		switch {
		case process.IsReported(err):
			continue
		case errors.As(err, &of) && q.joining.retried[of.Context]:
			q.Streams.Console.Say("%s; trying again", process.Words(err))
		default:
			q.Streams.Console.Ended(err)
		}
		q.lost[n] = process.Reported(err)
	}
}

// ReportBy is when Admit has something to report though nothing comes; zero is never.
func (q *Question) ReportBy() time.Time {
	if q.joining == nil || !slices.ContainsFunc(q.lost, func(err error) bool { return !process.IsReported(err) }) {
		return time.Time{}
	}
	return q.joining.reportBy
}

// JoinsLater says whether clusters join later than the stream begins.
func (q *Question) JoinsLater() bool { return q.joining != nil }

// Undecided are the contexts whose clusters have neither answered nor failed to.
func (q *Question) Undecided() []string {
	if q.joining == nil {
		return nil
	}
	return q.joining.undecided
}

// Complete says whether all contexts are followed; others than the reader of the stream
// may ask.
func (q *Question) Complete() bool { return q.joining == nil || q.joining.missing.Load() == 0 }

// IsAbandoned says whether nothing is followed, and only clusters could still join that
// are down: those are not waited for alone, as one cluster is not.
func (q *Question) IsAbandoned(connections *Connections) bool {
	return q.joining != nil && len(q.joining.undecided) == 0 &&
		!slices.ContainsFunc(q.Subjects, func(s Subject) bool { return connections.Ended[s.Target] == nil })
}

// Unanswered is why there is no cluster that could be followed; nil where there is one.
func (q *Question) Unanswered() error {
	switch {
	case q.joining == nil || len(q.parts) > 0:
		return nil
	case slices.ContainsFunc(q.lost, process.IsReported):
		return errors.Join(q.lost...)
	}
	return ofAll(q.lost)
}
