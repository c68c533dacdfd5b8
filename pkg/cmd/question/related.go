package question

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/related"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// Dependencies are what an answer depends on besides the objects asked for: their
// owners, and those that use them. It is related.Cluster for both.
type Dependencies struct {
	question *Question
	Owners   *related.Owners
	Users    *related.Users
	// silent says that nothing is said of owners that cannot be read.
	silent bool

	mu sync.Mutex // guards what follows, which the readers of related's queues use, too
	// follow says that the answer is kept up to date.
	follow bool
	// queue and connections are of the stream that learns of changes; nil before one is.
	queue       *informer.Queue
	connections *Connections
	targets     []cache.Target
	// pending says that the stream has been asked to reconsider and has not done so.
	pending bool
}

var _ related.Cluster = (*Dependencies)(nil)

// NewDependencies has none yet of a question.
func NewDependencies(q *Question) *Dependencies {
	d := &Dependencies{question: q}
	d.Owners, d.Users = related.NewOwners(d, d.ownersEnd), related.NewUsers(d)
	return d
}

// Keep says whether the answer is followed, before anything is started.
func (d *Dependencies) Keep(follow bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.follow = follow
}

// Find implements related.Cluster.
func (d *Dependencies) Find(ctx context.Context, resource, namespace string) ([]cache.Target, error) {
	request := resolve.Request{Args: []string{resource}, AllNamespaces: namespace == ""}
	if namespace != "" {
		request.Namespaces = []string{namespace}
	}
	resolved, err := d.question.find(ctx, request)
	return resolved.Targets, errors.Join(append(resolved.Unresolved, err)...)
}

// Start implements related.Cluster.
func (d *Dependencies) Start(ctx context.Context, specs []related.Spec) (*informer.Group, *informer.Queue, error) {
	q := d.question
	client, err := q.Connection.client()
	if err != nil {
		return nil, nil, err
	}
	targets := make([]cache.Target, len(specs))
	informers := make([]informer.Spec, len(specs))
	for n, spec := range specs {
		need := plan.Need{Reader: "what the answer depends on", Indexes: spec.Indexes, NoAnnotations: true}
		targets[n] = spec.Target
		if informers[n], err = specFor(plan.For(spec.Target, d.follow && spec.Target.Verbs.Watch, need), client, q.pageSize); err != nil {
			return nil, nil, err
		}
	}
	queue := informer.NewQueue(0)
	group, err := informer.Start(ctx, informers, informer.Options{SyncTimeout: q.syncTimeout, Events: queue, Objects: d.follow})
	if err != nil {
		return nil, nil, err
	}
	q.Recorder.Add(group)
	waiting := NewConnections(q.Streams.Console, false, targets)
	defer waiting.Close()
	if err := waiting.Await(ctx, queue); err != nil {
		group.Stop()
		return nil, nil, err
	}
	d.join(targets)
	return group, queue, nil
}

// Report implements related.Cluster: it passes on what happens to the stream.
func (d *Dependencies) Report(event cache.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.follow || d.queue == nil || event.Type == cache.Reconsider && d.pending {
		return
	}
	d.pending = d.pending || event.Type == cache.Reconsider
	d.queue.Push(event)
}

// attach is Question.Attach for one cluster.
func (d *Dependencies) attach(queue *informer.Queue, connections *Connections) {
	d.mu.Lock()
	d.queue, d.connections, d.pending = queue, connections, false
	targets := d.targets
	d.mu.Unlock()
	connections.join(targets)
}

// join adds related types, which have synced, to the stream's connections.
func (d *Dependencies) join(targets []cache.Target) {
	d.mu.Lock()
	d.targets = append(d.targets, targets...)
	connections := d.connections
	d.mu.Unlock()
	if connections != nil {
		connections.join(targets)
	}
}

// reconsidering notes that the stream looks at its objects again: it is to
// be asked again after what changes from now on.
func (d *Dependencies) reconsidering() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = false
}

// ownersEnd says at which owners chains end that may lead on.
func (d *Dependencies) ownersEnd(kind schema.GroupVersionKind, err error) {
	console := d.question.Streams.Console
	if d.silent {
		return
	}
	where := cache.Target{Context: d.question.context}.InContext()
	why := process.Words(err)
	if resolve.IsUnknownType(err) {
		why = "there is no such type in " + kind.GroupVersion().String()
	}
	console.WarnOnce(fmt.Sprintf("root: the chain of owners ends at %s%s: %s", kind.Kind, where, why))
	console.SayOnce(process.Hint(err, process.Asked{Follows: d.follow}))
}

// lost is Question.Lost for one cluster.
func (d *Dependencies) lost(event cache.Event, subjects []Subject) error {
	if event.Type != cache.Ended {
		return nil
	}
	for _, subject := range subjects {
		if subject.Target.Context != d.question.context {
			continue
		}
		if err := d.Users.Failure(subject.Users); err != nil {
			return process.Reported(err)
		}
	}
	return nil
}

// close ends the informers.
func (d *Dependencies) close() {
	d.Owners.Close()
	d.Users.Close()
}

// FollowOwners has the index root know the owners of a subject's objects.
func (q *Question) FollowOwners(ctx context.Context, i *informer.Informer) error {
	return q.In(i.Target).Dependencies.Owners.Follow(ctx, i.Target.Namespace, i.Rows(nil)...)
}

// matching is what --by, --used-by and --unused-by say of one object of a stream.
// Where the context has ended, so has the stream.
func (q *Question) matching(ctx context.Context, s Subject) func(*cache.Row) bool {
	if !s.By.FollowsOwners() {
		return s.By.Match
	}
	return func(row *cache.Row) bool {
		return q.In(s.Target).Dependencies.Owners.Follow(ctx, s.Target.Namespace, row) == nil && s.By.Match(row)
	}
}

// Selects returns the events that one of a stream's queue is to the selections.
func (q *Question) Selects(event cache.Event, filters map[cache.Target]*informer.Filter) []cache.Event {
	switch event.Type {
	case cache.Reconsider:
		return q.reconsider(filters)
	case cache.Elapsed:
		return q.elapsed(filters)
	}
	if q.In(event.Target).blind {
		return nil
	}
	if s := filters[event.Target]; s != nil {
		var ok bool
		if event, ok = s.Apply(event); !ok {
			return nil
		}
	}
	return []cache.Event{event}
}

// reconsider looks again at all objects of a stream, after a change of what they
// depend on.
func (q *Question) reconsider(filters map[cache.Target]*informer.Filter) (changes []cache.Event) {
	for _, one := range q.Clusters() {
		one.Dependencies.reconsidering()
	}
	for _, subject := range q.Subjects {
		if s := filters[subject.Target]; s != nil {
			changes = append(changes, s.Reconsider()...)
		}
	}
	return changes
}

// rootOf reads an index that follows the owners of one object, which are listed for
// that, once.
func (q *Question) rootOf(ctx context.Context, t cache.Target, name string, row *cache.Row) ([]string, error) {
	once := NewDependencies(q)
	defer once.close()
	if err := once.Owners.Follow(ctx, t.Namespace, row); err != nil {
		return nil, err
	}
	definition, err := q.Registry.WithOwners(once.Owners).Lookup(t, name)
	if err != nil {
		return nil, err
	}
	return definition.Values(row), nil
}
