package source

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeServer stands where the raw ListerWatcher is. It answers as told and
// remembers what was asked, and when, counted from its first request.
type fakeServer struct {
	list  func(metav1.ListOptions) (runtime.Object, error)
	watch func(metav1.ListOptions) (watch.Interface, error)

	mu             sync.Mutex
	start          time.Time
	lists, watches []request
}

type request struct {
	at      time.Duration
	options metav1.ListOptions
}

func (s *fakeServer) ListWithContext(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
	s.note(&s.lists, o)
	return s.list(o)
}

func (s *fakeServer) WatchWithContext(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
	s.note(&s.watches, o)
	return s.watch(o)
}

func (s *fakeServer) note(requests *[]request, o metav1.ListOptions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.start.IsZero() {
		s.start = time.Now()
	}
	*requests = append(*requests, request{at: time.Since(s.start), options: o})
}

func (s *fakeServer) listed() []request  { return s.copy(&s.lists) }
func (s *fakeServer) watched() []request { return s.copy(&s.watches) }

func (s *fakeServer) copy(requests *[]request) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), *requests...)
}

func times(requests []request) []time.Duration {
	out := make([]time.Duration, 0, len(requests))
	for _, r := range requests {
		out = append(out, r.at)
	}
	return out
}

// reports collects what a guard reports.
type reports struct {
	mu  sync.Mutex
	all []cache.Report
	// then, if set, is called with each report.
	then func(cache.Report)
}

func (r *reports) add(report cache.Report) {
	r.mu.Lock()
	r.all = append(r.all, report)
	r.mu.Unlock()
	if r.then != nil {
		r.then(report)
	}
}

func (r *reports) failures() []cache.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []cache.Report
	for _, report := range r.all {
		if report.Err != nil {
			out = append(out, report)
		}
	}
	return out
}

// guarded returns a guard without jitter, and what it reports.
func guarded(server *fakeServer, options Options) (*guard, *reports) {
	seen := &reports{}
	options.Report = seen.add
	g := newGuard(server, options, &counters{})
	g.pace.jitter = 0
	return g, seen
}

func newRow(name, resourceVersion string) *cache.Row {
	row := &cache.Row{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}}
	row.Namespace, row.Name, row.ResourceVersion = "ns", name, resourceVersion
	return row
}

func newList(resourceVersion string, rows ...*cache.Row) *cache.RowList {
	list := &cache.RowList{Items: rows}
	list.ResourceVersion = resourceVersion
	return list
}

// listing always answers with the same list, as new objects.
func listing(list *cache.RowList) func(metav1.ListOptions) (runtime.Object, error) {
	return func(metav1.ListOptions) (runtime.Object, error) { return list.DeepCopyObject(), nil }
}

// failThen fails with the errors in turn, then answers with the list.
func failThen(list *cache.RowList, failures ...error) func(metav1.ListOptions) (runtime.Object, error) {
	return func(metav1.ListOptions) (runtime.Object, error) {
		if len(failures) == 0 {
			return list, nil
		}
		err := failures[0]
		failures = failures[1:]
		return nil, err
	}
}

func watching(w watch.Interface) func(metav1.ListOptions) (watch.Interface, error) {
	return func(metav1.ListOptions) (watch.Interface, error) { return w, nil }
}

// script is a watch that sends its events, each after the wait before it, and
// then ends.
type script struct {
	result chan watch.Event
	stop   context.CancelFunc
}

type step struct {
	after time.Duration
	event watch.Event
}

func play(steps ...step) *script {
	ctx, cancel := context.WithCancel(context.Background())
	s := &script{result: make(chan watch.Event), stop: cancel}
	go func() {
		defer close(s.result)
		for _, step := range steps {
			if sleep(ctx, step.after) != nil {
				return
			}
			if step.event.Type == "" {
				continue
			}
			select {
			case s.result <- step.event:
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

func (s *script) Stop()                          { s.stop() }
func (s *script) ResultChan() <-chan watch.Event { return s.result }

func pause(d time.Duration) step { return step{after: d} }

func event(t watch.EventType, object runtime.Object) step {
	return step{event: watch.Event{Type: t, Object: object}}
}

func failure(err *apierrors.StatusError) step { return event(watch.Error, &err.ErrStatus) }

const ever = 1000 * time.Hour

var (
	configMaps = schema.GroupResource{Resource: "configmaps"}

	refused = &url.Error{Op: "Get", URL: "https://api", Err: &net.OpError{
		Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED),
	}}
	forbidden   = apierrors.NewForbidden(configMaps, "", errors.New("no such right"))
	unavailable = apierrors.NewServiceUnavailable("the server is starting")
	tooOld      = apierrors.NewResourceExpired("too old resource version: 1 (9)")
	noType      = apierrors.NewGenericServerResponse(404, "get", configMaps, "", "404 page not found", 0, true)
	noWatch     = apierrors.NewMethodNotSupported(configMaps, "watch")
	badSelector = apierrors.NewBadRequest("field label not supported: spec.size")
)

// errGone is what servers before 1.18 said of a resourceVersion that is too old.
func errGone() *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonGone, Message: "gone",
	}}
}
