package informer

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var pods = cache.Target{
	Resource:   schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Kind:       schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
	Namespaced: true,
	Namespace:  "ns",
}

// pod makes a row; uid and name are the same unless name has the form name#uid.
func pod(name, resourceVersion string, cells ...any) *cache.Row {
	name, uid, found := strings.Cut(name, "#")
	if !found {
		uid = name
	}
	row := &cache.Row{Cells: cells}
	row.APIVersion, row.Kind = "v1", "Pod"
	row.Name, row.Namespace, row.UID, row.ResourceVersion = name, "ns", types.UID(uid), resourceVersion
	return row
}

// fakeServer is a ListerWatcher under a test's control. As a guarded one does,
// it reports each request, and ends a request only with success, the end of
// its context, or Expired.
type fakeServer struct {
	mu      sync.Mutex
	version string
	rows    []*cache.Row
	// failing, where set, is what each request fails with until it is unset.
	failing *cache.Report
	// unwatchable, where set, is what each watch fails with.
	unwatchable *cache.Report
	changed     chan struct{}
	stream      *watch.FakeWatcher
	report      func(cache.Report)
	lists       int
}

func newFakeServer(version string, rows ...*cache.Row) *fakeServer {
	return &fakeServer{version: version, rows: rows, changed: make(chan struct{})}
}

func (s *fakeServer) source(report func(cache.Report)) (toolscache.ListerWatcher, error) {
	s.report = report
	return s, nil
}

func (s *fakeServer) IsWatchListSemanticsUnSupported() bool { return true }

func (s *fakeServer) List(o metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), o)
}

func (s *fakeServer) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), o)
}

func (s *fakeServer) ListWithContext(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
	if err := s.untilAnswered(ctx, cache.OpList); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	list := &cache.RowList{Items: s.rows}
	list.ResourceVersion = s.version
	list = list.DeepCopyObject().(*cache.RowList) // a list never holds cached objects
	s.report(cache.Report{Op: cache.OpList, Objects: len(s.rows), Done: true})
	return list, nil
}

func (s *fakeServer) WatchWithContext(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
	if s.unwatchable != nil {
		s.fail(s.unwatchable.Fault, s.unwatchable.Err)
	}
	if err := s.untilAnswered(ctx, cache.OpWatch); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream = watch.NewFakeWithChanSize(100, false)
	s.report(cache.Report{Op: cache.OpWatch, Done: true})
	return s.stream, nil
}

// untilAnswered waits while the server fails.
func (s *fakeServer) untilAnswered(ctx context.Context, op cache.Op) error {
	for {
		s.mu.Lock()
		failing, changed := s.failing, s.changed
		s.mu.Unlock()
		if failing == nil {
			return nil
		}
		report := *failing
		report.Op = op
		s.report(report)
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fail makes every request fail, from now on, until recover.
func (s *fakeServer) fail(fault cache.Fault, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = &cache.Report{Fault: fault, Err: err}
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *fakeServer) recover() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = nil
	close(s.changed)
	s.changed = make(chan struct{})
}

// become is what the next list shows.
func (s *fakeServer) become(version string, rows ...*cache.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.rows = version, rows
}

// expire ends the watch as a server does whose history no longer reaches back.
func (s *fakeServer) expire() {
	status := apierrors.NewResourceExpired("too old resource version").Status()
	s.stream.Error(&status)
}

// story runs informers over fake servers in a bubble of synthetic time.
type story struct {
	*testing.T
	group   *Group
	queue   *Queue
	mu      sync.Mutex
	notices []string
}

// tell runs a story and checks that all ends well.
func tell(t *testing.T, play func(s *story)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &story{T: t, queue: NewQueue(0)}
		defer func() {
			if s.group != nil {
				s.group.Stop()
			}
		}()
		play(s)
	})
}

// start starts one informer for each server.
func (s *story) start(o Options, servers ...*fakeServer) {
	s.Helper()
	o.Notify, o.Events = s.note, s.queue
	var specs []Spec
	for n, server := range servers {
		target := pods
		if n > 0 {
			target.Namespace = fmt.Sprintf("ns%d", n)
		}
		specs = append(specs, Spec{Target: target, Source: server.source})
	}
	group, err := Start(s.Context(), specs, o)
	if err != nil {
		s.Fatal(err)
	}
	s.group = group
}

func (s *story) note(n Notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[NoticeKind]string{Retrying: "retrying", Lost: "lost", Back: "back", Gone: "gone", Returned: "returned", Ended: "ended"}
	s.notices = append(s.notices, names[n.Kind])
}

// expectNotices checks what people have been told, in order, and forgets it.
func (s *story) expectNotices(want ...string) {
	s.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := strings.Join(s.notices, " "); got != strings.Join(want, " ") {
		s.Errorf("notices: got %q, want %q", got, want)
	}
	s.notices = nil
}

// skipEvents takes the events that wait, whatever they are.
func (s *story) skipEvents() {
	s.Helper()
	synctest.Wait()
	for s.queue.Len() > 0 {
		if _, _, err := s.queue.Next(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
}

// expectEvents checks exactly which events wait, and takes them.
func (s *story) expectEvents(want ...string) {
	s.Helper()
	synctest.Wait()
	var got []string
	for s.queue.Len() > 0 {
		event, _, err := s.queue.Next(s.Context())
		if err != nil {
			s.Fatal(err)
		}
		got = append(got, describe(event))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.Errorf("events:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// describe says an event in a line: type, name, uid where it is not the name,
// versions, marks.
func describe(e cache.Event) string {
	if e.Row == nil {
		return string(e.Type)
	}
	line := fmt.Sprintf("%s %s", e.Type, e.Row.Name)
	if string(e.Row.UID) != e.Row.Name {
		line += "#" + string(e.Row.UID)
	}
	if e.Old != nil {
		line += " " + e.Old.ResourceVersion + "->" + e.Row.ResourceVersion
	} else {
		line += " " + e.Row.ResourceVersion
	}
	if e.Initial {
		line += " initial"
	}
	if e.FinalStateUnknown {
		line += " finalStateUnknown"
	}
	return line
}
