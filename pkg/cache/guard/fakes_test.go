package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
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

var configMaps = cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}}

// The faults of a fake server, and what it says of them when asked.
var (
	errRefused     = fault("connection refused", Diagnosis{Fault: cache.Unreachable})
	errForbidden   = fault("configmaps is forbidden", Diagnosis{Fault: cache.Denied, Authoritative: true})
	errGateway403  = fault("<html>403</html>", Diagnosis{Fault: cache.Denied})
	errPlugin      = fault("getting credentials: exec failed", Diagnosis{Fault: cache.NoCredentials})
	errMissing     = fault("could not find the requested resource", Diagnosis{Fault: cache.Missing})
	errNoWatch     = fault("the server does not allow this method", Diagnosis{Fault: cache.Unsupported, Authoritative: true})
	errSelector    = fault("field label not supported", Diagnosis{Fault: cache.Invalid, Authoritative: true})
	errGateway400  = fault("<html>400</html>", Diagnosis{Fault: cache.Invalid})
	errUnavailable = fault("the server is starting", Diagnosis{Fault: cache.Transient, Authoritative: true})
	errBusy        = fault("slow down", Diagnosis{Fault: cache.Transient, RetryAfter: 3 * time.Second})
	errVeryBusy    = fault("slow down for hours", Diagnosis{Fault: cache.Transient, RetryAfter: 2 * time.Hour})
	errOverdue     = fault("the time for the request is over", Diagnosis{Fault: cache.Overdue})
	errTooOld      = fault("too old resource version", Diagnosis{Fault: cache.Expired, Authoritative: true})
	errAhead       = fault("too large resource version", Diagnosis{Fault: cache.Ahead, Authoritative: true})
	errCut         = fault("stream error", Diagnosis{Fault: cache.Transient, Interrupted: true})
	errPingLost    = fault("client connection lost", Diagnosis{Fault: cache.Transient, Interrupted: true, Unnoticed: true})
)

var diagnoses = map[string]Diagnosis{}

func fault(text string, d Diagnosis) error {
	diagnoses[text] = d
	return errors.New(text)
}

// fakeServer is a Source under a test's control. It remembers what it was asked,
// and when, counted from its first request.
type fakeServer struct {
	list  func(metav1.ListOptions) (runtime.Object, error)
	watch func(metav1.ListOptions) (watch.Interface, error)
	// served answers for discovery; nil lacks every type.
	served func() (bool, error)
	// latest is the present resourceVersion, unreached a server that never answered.
	latest    string
	unreached bool

	mu                      sync.Mutex
	start                   time.Time
	lists, watches, compare []request
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

func (s *fakeServer) Diagnose(err error) Diagnosis {
	if _, ok := asExpired(err); ok {
		return Diagnosis{Fault: cache.Expired}
	}
	return diagnoses[err.Error()]
}

func (s *fakeServer) Reached() bool { return !s.unreached }

func (s *fakeServer) Served(context.Context) (bool, error) {
	if s.served == nil {
		return false, nil
	}
	return s.served()
}

func (s *fakeServer) LatestResourceVersion(context.Context) (string, error) {
	s.note(&s.compare, metav1.ListOptions{})
	return s.latest, nil
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

// transitions collects what a guard emits, a line each.
type transitions struct {
	mu  sync.Mutex
	all []string
}

func (s *transitions) emit(event cache.Event, _ *cache.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, describe(event))
}

// take returns what was emitted since the last call, joined by semicolons.
func (s *transitions) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all = nil
	return strings.Join(all, "; ")
}

func describe(event cache.Event) string {
	line := strings.ToLower(string(event.Type))
	if event.Gap > 0 {
		line += fmt.Sprintf(" after %v", event.Gap)
	}
	if event.Err != nil {
		line += ": " + event.Err.Error()
	}
	return line
}

// guarded returns a guard without jitter, and what it emits.
func guarded(server *fakeServer, options Options) (*Guard, *transitions) {
	seen := &transitions{}
	options.Emit, options.Target = seen.emit, configMaps
	g := New(server, options)
	g.backoff.jitter = 0
	return g, seen
}

// listOnce has a guard list as a reflector that begins does.
func listOnce(t *testing.T, g *Guard) *cache.RowList {
	t.Helper()
	list, err := g.ListWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list.(*cache.RowList)
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

func opening(w watch.Interface) func(metav1.ListOptions) (watch.Interface, error) {
	return func(metav1.ListOptions) (watch.Interface, error) { return w, nil }
}

// openAfter fails with the errors in turn, then opens the watch.
func openAfter(w func() watch.Interface, failures ...error) func(metav1.ListOptions) (watch.Interface, error) {
	return func(metav1.ListOptions) (watch.Interface, error) {
		if len(failures) == 0 {
			return w(), nil
		}
		err := failures[0]
		failures = failures[1:]
		return nil, err
	}
}

func silent() watch.Interface { return play(pause(ever)) }

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

// failure is an error that comes as an event.
func failure(err error) step {
	return event(watch.Error, &metav1.Status{Status: metav1.StatusFailure, Message: err.Error(), Code: 500})
}

// expires is the event of a resourceVersion that is too old.
func expires() step {
	return event(watch.Error, &apierrors.NewResourceExpired(errTooOld.Error()).ErrStatus)
}

const ever = 1000 * time.Hour
