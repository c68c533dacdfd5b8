package leader

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/ptr"
)

var leases = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// server has one Lease, as an API server has it.
type server struct {
	coordinationv1client.LeaseInterface
	mu       sync.Mutex
	lease    *coordinationv1.Lease
	version  int
	requests int
	// fails is what requests of a replica are answered with; nil is an answer.
	fails func(verb string) error
}

func (s *server) Leases(string) coordinationv1client.LeaseInterface { return s }

func (s *server) answer(verb string) error {
	s.requests++
	if s.fails == nil {
		return nil
	}
	return s.fails(verb)
}

func (s *server) Get(_ context.Context, name string, _ metav1.GetOptions) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.answer("get"); err != nil {
		return nil, err
	}
	if s.lease == nil {
		return nil, apierrors.NewNotFound(leases, name)
	}
	return s.lease.DeepCopy(), nil
}

func (s *server) Create(_ context.Context, lease *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.answer("create"); err != nil {
		return nil, err
	}
	if s.lease != nil {
		return nil, apierrors.NewAlreadyExists(leases, lease.Name)
	}
	return s.store(lease), nil
}

func (s *server) Update(_ context.Context, lease *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.answer("update"); err != nil {
		return nil, err
	}
	if s.lease == nil || lease.ResourceVersion != s.lease.ResourceVersion {
		return nil, apierrors.NewConflict(leases, lease.Name, errors.New("changed"))
	}
	return s.store(lease), nil
}

func (s *server) store(lease *coordinationv1.Lease) *coordinationv1.Lease {
	s.version++
	s.lease = lease.DeepCopy()
	s.lease.ResourceVersion = string(rune('a' + s.version))
	return s.lease.DeepCopy()
}

func (s *server) fail(fails func(verb string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = fails
}

func (s *server) holder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lease == nil {
		return ""
	}
	return ptr.Deref(s.lease.Spec.HolderIdentity, "")
}

// give gives the Lease to another replica, as an administrator can.
func (s *server) give(holder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lease.Spec.HolderIdentity = &holder
	s.store(s.lease)
}

// replica is one process; its words are what it has reported.
type replica struct {
	Options
	mu    sync.Mutex
	words []string
}

func (r *replica) say(words string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.words = append(r.words, words)
}

func (s *server) replica(identity string) *replica {
	r := &replica{}
	r.Options = Options{
		Client: s, Namespace: "shop", Name: "tail", Identity: identity,
		Asked:    func(bool) {},
		Waiting:  func(holder string) { r.say("waits for " + holder) },
		Leading:  func() { r.say("leads") },
		Retrying: func(err error) { r.say(err.Error()) },
	}
	return r
}

// run runs a replica whose work lasts until its context ends, and then for as long as
// it takes to stop.
func (r *replica) run(ctx context.Context, stopping time.Duration) <-chan error {
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, r.Options, func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(stopping)
			r.say("stopped")
			return ctx.Err()
		})
	}()
	return ended
}

func expectWords(t *testing.T, r *replica, want ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.words, want) {
		t.Errorf("%s: got %q, want %q", r.Identity, r.words, want)
	}
}

func TestTheLeaseIsHeldUntilTheWorkHasEndedAndThenReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		ctx, end := context.WithCancel(t.Context())
		a, b := s.replica("a"), s.replica("b")
		first := a.run(ctx, 30*time.Second)
		synctest.Wait()
		secondCtx, endSecond := context.WithCancel(t.Context())
		second := b.run(secondCtx, 0)
		time.Sleep(time.Minute)
		expectWords(t, a, "leads")
		expectWords(t, b, "waits for a")

		end()
		time.Sleep(29 * time.Second) // longer than the Lease lasts
		expectWords(t, b, "waits for a")
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		expectWords(t, a, "leads", "stopped")
		released := time.Now()
		time.Sleep(5 * time.Second)
		expectWords(t, b, "waits for a", "leads")
		if s.holder() != "b" {
			t.Errorf("%q holds the lease %v after its release", s.holder(), time.Since(released))
		}
		endSecond()
		<-second
		if s.holder() != "" {
			t.Errorf("%q holds the lease", s.holder())
		}
	})
}

func TestALeaseThatCannotBeRenewedEndsTheWorkBeforeAnotherReplicaLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		a := s.replica("a")
		ended := a.run(t.Context(), 0)
		synctest.Wait()
		s.fail(func(string) error { return apierrors.NewInternalError(errors.New("no etcd")) })
		began := time.Now()
		err := <-ended
		var lost *LostError
		if !errors.As(err, &lost) || lost.Holder != "" || !errors.Is(lost.Work, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took >= LeaseDuration {
			t.Errorf("the work ended %v after the last renewal", took)
		}
		expectWords(t, a, "leads", "Internal error occurred: no etcd", "stopped")
	})
}

func TestALeaseThatAnotherReplicaHoldsEndsTheWorkAndIsLeftToIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		a := s.replica("a")
		ended := a.run(t.Context(), 0)
		synctest.Wait()
		s.give("b")
		var lost *LostError
		if err := <-ended; !errors.As(err, &lost) || lost.Holder != "b" {
			t.Errorf("got %v", err)
		}
		if s.holder() != "b" {
			t.Errorf("%q holds the lease", s.holder())
		}
	})
}

func TestARefusalEndsTheWaiting(t *testing.T) {
	forbidden := apierrors.NewForbidden(leases, "tail", errors.New("no rights"))
	for verb, refusal := range map[string]error{
		"get":    forbidden,
		"create": apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "shop"),
		"update": forbidden,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{}
			if verb == "update" {
				s.lease = &coordinationv1.Lease{}
			}
			s.fail(func(asked string) error {
				if asked == verb {
					return refusal
				}
				return nil
			})
			a := s.replica("a")
			var refused *Error
			if err := <-a.run(t.Context(), 0); !errors.As(err, &refused) || refused.Verb != verb || !errors.Is(err, refusal) {
				t.Errorf("%s: got %v", verb, err)
			}
			expectWords(t, a)
		})
	}
}

func TestAServerThatWasNeverReachedEndsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{fails: func(string) error { return errors.New("connection refused") }}
		if err := <-s.replica("a").run(t.Context(), 0); err == nil || !errors.As(err, new(*Error)) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAServerThatIsAwayForAWhileIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{lease: &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
			HolderIdentity: ptr.To("gone"), LeaseDurationSeconds: ptr.To(int32(15)),
			RenewTime: &metav1.MicroTime{Time: time.Now()}, AcquireTime: &metav1.MicroTime{Time: time.Now()},
		}}}
		a := s.replica("a")
		ctx, end := context.WithCancel(t.Context())
		ended := a.run(ctx, 0)
		synctest.Wait()
		s.fail(func(string) error { return errors.New("connection refused") })
		time.Sleep(time.Minute)
		s.fail(func(string) error {
			return apierrors.NewGenericServerResponse(http.StatusServiceUnavailable, "get", leases, "tail", "", 1, true)
		})
		time.Sleep(time.Minute)
		expectWords(t, a, "waits for gone", "connection refused")
		s.fail(nil)
		time.Sleep(time.Minute)
		expectWords(t, a, "waits for gone", "connection refused", "leads")
		end()
		<-ended
	})
}
