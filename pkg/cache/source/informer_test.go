package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// informed is an informer over a guard over a fake server, and what its handler is told.
type informed struct {
	server *fakeServer
	seen   *reports
	mu     sync.Mutex
	told   []string
	done   chan struct{}
	// errors are what the reflector saw fail.
	errors []error
}

func inform(ctx context.Context, t *testing.T, server *fakeServer) *informed {
	t.Helper()
	g, seen := guarded(server, Options{PageSize: DefaultPageSize})
	out := &informed{server: server, seen: seen, done: make(chan struct{})}
	informer := toolscache.NewSharedIndexInformerWithOptions(g, &cache.Row{}, toolscache.SharedIndexInformerOptions{})
	if err := informer.SetWatchErrorHandlerWithContext(out.fails); err != nil {
		t.Fatal(err)
	}
	if _, err := informer.AddEventHandler(out); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(out.done)
		informer.RunWithContext(ctx)
	}()
	return out
}

func (i *informed) fails(_ context.Context, _ *toolscache.Reflector, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.errors = append(i.errors, err)
}

func (i *informed) tell(format string, args ...any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.told = append(i.told, fmt.Sprintf(format, args...))
}

func (i *informed) OnAdd(o any, _ bool) { i.tell("add %s", o.(*cache.Row).Name) }

func (i *informed) OnUpdate(before, after any) {
	i.tell("update %s %s to %s", after.(*cache.Row).Name, before.(*cache.Row).ResourceVersion, after.(*cache.Row).ResourceVersion)
}

func (i *informed) OnDelete(o any) {
	if unknown, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		i.tell("delete %s, last state unknown", unknown.Obj.(*cache.Row).Name)
		return
	}
	i.tell("delete %s", o.(*cache.Row).Name)
}

// heard returns what was told since the last call, in the order of names where
// one list told it.
func (i *informed) heard() []string {
	synctest.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	out := i.told
	i.told = nil
	slices.Sort(out)
	return out
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWatchesThatCloseAtOnceCostOneRequestASecondAndNoList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		i := inform(ctx, t, &fakeServer{
			list:  listing(newList("7", newRow("a", "1"))),
			watch: func(metav1.ListOptions) (watch.Interface, error) { return play(), nil },
		})
		time.Sleep(time.Minute + 500*time.Millisecond)
		expect(t, i.heard(), "add a")
		if lists, watches := len(i.server.listed()), len(i.server.watched()); lists != 1 || watches != 61 {
			t.Errorf("%d lists and %d watches in a minute, want 1 and 61", lists, watches)
		}
		if len(i.errors) != 0 || len(i.seen.failures()) != 0 {
			t.Errorf("the reflector saw %v, reported %v", i.errors, i.seen.failures())
		}
	})
}

// At 0, 1, 2, 3, 4.6 and 7.8 seconds, and then every 5.
func TestEventThatCanNeverBeReadIsFetchedAtADoublingPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		i := inform(ctx, t, &fakeServer{
			list:  listing(newList("7")),
			watch: func(metav1.ListOptions) (watch.Interface, error) { return play(failure(decodeError("garbage"))), nil },
		})
		time.Sleep(time.Minute)
		if lists, watches := len(i.server.listed()), len(i.server.watched()); lists != 1 || watches != 16 {
			t.Errorf("%d lists and %d watches in a minute, want 1 and 16", lists, watches)
		}
	})
}

func TestServerThatCallsEveryVersionExpiredMeetsNoStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		i := inform(ctx, t, &fakeServer{
			list:  listing(newList("7", newRow("a", "1"))),
			watch: func(metav1.ListOptions) (watch.Interface, error) { return play(failure(tooOld)), nil },
		})
		time.Sleep(time.Minute)
		// The reflector waits at least 0.8 s, doubling to 30 s and more, between lists.
		lists, watches := len(i.server.listed()), len(i.server.watched())
		if lists > 7 || watches > 7 || lists < 2 {
			t.Errorf("%d lists and %d watches in a minute", lists, watches)
		}
		for _, told := range i.heard()[1:] {
			if told != "update a 1 to 1" {
				t.Errorf("told %q", told)
			}
		}
	})
}

func TestUnreachableServerIsPickedUpWhereItWasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		down := slices.Repeat([]error{refused}, 20)
		streams := []watch.Interface{
			play(event(watch.Modified, newRow("a", "8")), pause(time.Minute)),
			play(event(watch.Added, newRow("b", "9")), pause(ever)),
		}
		server := &fakeServer{list: listing(newList("7", newRow("a", "1")))}
		server.watch = func(metav1.ListOptions) (watch.Interface, error) {
			if len(streams) == 2 || len(down) == 0 {
				s := streams[0]
				streams = streams[1:]
				return s, nil
			}
			err := down[0]
			down = down[1:]
			return nil, err
		}
		i := inform(ctx, t, server)
		time.Sleep(3 * time.Minute)
		expect(t, i.heard(), "add a", "add b", "update a 1 to 8")
		if n := len(i.server.listed()); n != 1 {
			t.Errorf("%d lists, want the first alone", n)
		}
		for _, r := range i.server.watched()[1:] {
			if r.options.ResourceVersion != "8" {
				t.Errorf("watched from %q, want where the first watch ended", r.options.ResourceVersion)
			}
		}
		if n := len(i.seen.failures()); n != 20 || len(i.errors) != 0 {
			t.Errorf("%d failures reported, the reflector saw %v", n, i.errors)
		}
	})
}

// kubernetes/kubernetes#81638: objects that did not change are offered again as
// updates with one resourceVersion, never as adds.
func TestObjectsUnchangedOverARelistAreNotAddedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		server := &fakeServer{}
		server.list = func(metav1.ListOptions) (runtime.Object, error) {
			if len(server.listed()) == 1 {
				return newList("7", newRow("a", "1"), newRow("b", "2"), newRow("c", "3")), nil
			}
			return newList("12", newRow("a", "1"), newRow("b", "9")), nil
		}
		server.watch = func(metav1.ListOptions) (watch.Interface, error) {
			if len(server.watched()) == 1 {
				return play(pause(time.Minute), failure(tooOld)), nil
			}
			return silent(), nil
		}
		i := inform(ctx, t, server)
		time.Sleep(30 * time.Second)
		expect(t, i.heard(), "add a", "add b", "add c")
		time.Sleep(time.Minute)
		expect(t, i.heard(), "delete c, last state unknown", "update a 1 to 1", "update b 2 to 9")
		if n := len(server.listed()); n != 2 {
			t.Errorf("%d lists", n)
		}
	})
}

// kubernetes/kubernetes#84494: the definition of a type is removed while the
// connection is down, and comes back later.
func TestDeletesAreToldOfATypeThatIsGoneAndAddsWhenItReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var mu sync.Mutex
		gone := false
		set := func(to bool) { mu.Lock(); defer mu.Unlock(); gone = to }
		isGone := func() bool { mu.Lock(); defer mu.Unlock(); return gone }
		i := inform(ctx, t, &fakeServer{
			list: func(metav1.ListOptions) (runtime.Object, error) {
				if isGone() {
					return nil, noType
				}
				return newList("7", newRow("a", "1"), newRow("b", "2")), nil
			},
			watch: func(metav1.ListOptions) (watch.Interface, error) {
				if isGone() {
					return nil, noType
				}
				return play(pause(time.Minute)), nil
			},
		})
		time.Sleep(30 * time.Second)
		expect(t, i.heard(), "add a", "add b")
		set(true)
		time.Sleep(time.Minute)
		expect(t, i.heard(), "delete a, last state unknown", "delete b, last state unknown")
		requests := len(i.server.listed()) + len(i.server.watched())
		time.Sleep(10 * time.Minute)
		expect(t, i.heard())
		if n := len(i.server.listed()) + len(i.server.watched()) - requests; n > 61 {
			t.Errorf("%d requests in ten minutes for a type that is gone", n)
		}
		set(false)
		time.Sleep(30 * time.Second)
		expect(t, i.heard(), "add a", "add b")
	})
}

func TestInformerStopsAtOnceWhateverTheGuardWaitsFor(t *testing.T) {
	never := func(metav1.ListOptions) (watch.Interface, error) { return nil, refused }
	for _, test := range []struct {
		name   string
		server *fakeServer
	}{
		{"list fails", &fakeServer{
			list: func(metav1.ListOptions) (runtime.Object, error) { return nil, refused },
		}},
		{"watch fails", &fakeServer{list: listing(newList("7")), watch: never}},
		{"watch is silent", &fakeServer{list: listing(newList("7")),
			watch: func(metav1.ListOptions) (watch.Interface, error) { return silent(), nil }}},
		{"young stream is held", &fakeServer{list: listing(newList("7")),
			watch: func(metav1.ListOptions) (watch.Interface, error) { return play(), nil }}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				i := inform(ctx, t, test.server)
				time.Sleep(2*time.Minute + 50*time.Millisecond)
				cancel()
				before := time.Now()
				<-i.done
				if late := time.Since(before); late != 0 {
					t.Errorf("stopped %v late", late)
				}
				for _, err := range i.errors {
					if !errors.Is(err, context.Canceled) {
						t.Errorf("the reflector saw %v", err)
					}
				}
			})
		})
	}
}
