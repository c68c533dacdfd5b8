package informer

import (
	"cmp"
	"context"
	"errors"
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

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
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

// fakeServer is a Source under a test's control.
type fakeServer struct {
	mu      sync.Mutex
	version string
	rows    []*cache.Row
	// failing, where set, is what each request fails with, unwatchable each watch.
	failing, unwatchable error
	stream               *watch.FakeWatcher
	lists                int
}

// The faults of a fake server.
var (
	errDenied      = errors.New("pods is forbidden")
	errUnavailable = errors.New("too many requests")
	errMissing     = errors.New("could not find the requested resource")
)

func newFakeServer(version string, rows ...*cache.Row) *fakeServer {
	return &fakeServer{version: version, rows: rows}
}

func (s *fakeServer) ListWithContext(context.Context, metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing != nil {
		return nil, s.failing
	}
	s.lists++
	list := &cache.RowList{Items: s.rows}
	list.ResourceVersion = s.version
	return list.DeepCopyObject(), nil // a list never holds cached objects
}

func (s *fakeServer) WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := cmp.Or(s.unwatchable, s.failing); err != nil {
		return nil, err
	}
	s.stream = watch.NewFakeWithChanSize(100, false)
	return s.stream, nil
}

func (s *fakeServer) Diagnose(err error) guard.Diagnosis {
	faults := map[error]cache.Fault{errDenied: cache.Denied, errMissing: cache.Missing}
	d := guard.Diagnosis{Fault: faults[err], Authoritative: true}
	if apierrors.IsResourceExpired(err) {
		d.Fault = cache.Expired
	}
	return d
}

func (s *fakeServer) Reached() bool { return true }

func (s *fakeServer) Served(context.Context) (bool, error) { return false, nil }

func (s *fakeServer) LatestResourceVersion(context.Context) (string, error) { return "", nil }

// fail makes every request fail, from now on; nil makes an end of that.
func (s *fakeServer) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = err
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
	group *Group
	queue *Queue
}

// scenario runs a story and checks that all ends well.
func scenario(t *testing.T, play func(s *story)) {
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
	o.Events, o.Objects = s.queue, true
	var specs []Spec
	for n, server := range servers {
		target := pods
		if n > 0 {
			target.Namespace = fmt.Sprintf("ns%d", n)
		}
		specs = append(specs, Spec{Target: target, Source: server})
	}
	group, err := Start(s.Context(), specs, o)
	if err != nil {
		s.Fatal(err)
	}
	s.group = group
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
	if e.Row == nil && e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Type, e.Err)
	}
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
	if e.Since != "" {
		line += " since"
	}
	return line
}
