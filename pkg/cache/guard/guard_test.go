package guard

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestListIsRetriedAtADoublingPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := slices.Repeat([]error{errUnavailable}, 7)
		server := &fakeServer{list: failThen(newList("1"), down...)}
		g, seen := guarded(server, Options{})
		listOnce(t, g)
		want := []time.Duration{
			0, 500 * time.Millisecond, 1500 * time.Millisecond, 3500 * time.Millisecond,
			7500 * time.Millisecond, 12500 * time.Millisecond, 17500 * time.Millisecond, 22500 * time.Millisecond,
		}
		if diff := cmp.Diff(want, times(server.listed())); diff != "" {
			t.Error(diff)
		}
		if got := seen.take(); got != "retrying: the server is starting" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestPaceStartsAnewAfterFiveHealthySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: failThen(newList("1"), errUnavailable, errUnavailable, errUnavailable)}
		g, _ := guarded(server, Options{})
		listOnce(t, g)
		time.Sleep(backoffReset)
		server.list = failThen(newList("2"), errUnavailable)
		before := time.Now()
		listOnce(t, g)
		if waited := time.Since(before); waited != backoffDuration {
			t.Errorf("waited %v after the first failure since long, want %v", waited, backoffDuration)
		}
	})
}

func TestServerThatAsksForTimeGetsIt(t *testing.T) {
	for _, test := range []struct {
		err  error
		want time.Duration
	}{{errBusy, 3 * time.Second}, {errVeryBusy, retryAfterCap}} {
		synctest.Test(t, func(t *testing.T) {
			server := &fakeServer{list: failThen(newList("1"), test.err)}
			g, _ := guarded(server, Options{})
			listOnce(t, g)
			if diff := cmp.Diff([]time.Duration{0, test.want}, times(server.listed())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// endsWith expects a call to end only with its context, after one request.
func endsWith(t *testing.T, server *fakeServer, options Options, want string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	g, seen := guarded(server, options)
	time.AfterFunc(time.Hour, cancel)
	if _, err := g.ListWithContext(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := seen.take(); got != want || len(server.listed()) != 1 {
		t.Errorf("emitted %q after %d requests, want %q after one", got, len(server.listed()), want)
	}
}

func TestFaultThatWillNotGoAwayEndsTheTargetWithoutAnotherRequest(t *testing.T) {
	for _, err := range []error{errForbidden, errPlugin, errMissing, errNoWatch, errSelector, errOverdue} {
		synctest.Test(t, func(t *testing.T) {
			endsWith(t, &fakeServer{list: failThen(newList("1"), err)}, Options{}, "ended: "+err.Error())
		})
	}
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: failThen(newList("1"), errRefused), unreached: true}
		endsWith(t, server, Options{}, "ended: "+errRefused.Error())
	})
}

func TestServerThatWasReachedIsRetriedWhenItRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, seen := guarded(&fakeServer{list: failThen(newList("1"), errRefused)}, Options{})
		listOnce(t, g)
		if got := seen.take(); got != "retrying: connection refused" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestFirstListWithoutProgressEndsTheTargetWithTheLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{list: func(metav1.ListOptions) (runtime.Object, error) { return nil, errUnavailable }}
		var ended cache.Event
		g, seen := guarded(server, Options{SyncTimeout: time.Minute})
		emit := g.options.Emit
		g.options.Emit = func(event cache.Event, after *cache.Row) {
			emit(event, after)
			if event.Type == cache.Ended {
				ended = event
				cancel()
			}
		}
		g.Start()
		defer g.Stop()
		before := time.Now()
		if _, err := g.ListWithContext(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if waited := time.Since(before); waited != time.Minute {
			t.Errorf("ended after %v", waited)
		}
		var failure *cache.SyncError
		if !errors.As(ended.Err, &failure) || !failure.TimedOut || !errors.Is(failure, errUnavailable) {
			t.Errorf("ended with %v; emitted %q", ended.Err, seen.take())
		}
	})
}

func TestPagesArePogressForTheSyncTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages := 0
		server := &fakeServer{list: func(metav1.ListOptions) (runtime.Object, error) {
			time.Sleep(40 * time.Second)
			list := newList("1", newRow("a", "1"))
			if pages++; pages < 4 {
				list.Continue, list.RemainingItemCount = "more", new(int64(4-pages))
			}
			return list, nil
		}}
		g, seen := guarded(server, Options{SyncTimeout: time.Minute, PageSize: 1})
		g.Start()
		defer g.Stop()
		listOnce(t, g)
		if objects, remaining := g.Progress(); objects != 1 || remaining != 3 {
			t.Errorf("%d objects, %d more", objects, remaining)
		}
		for range 3 {
			if _, err := g.ListWithContext(t.Context(), metav1.ListOptions{Continue: "more"}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		if got := seen.take(); got != "" || !g.Listed() {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestRequestCutOffByItsOwnContextIsNoFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &fakeServer{list: func(metav1.ListOptions) (runtime.Object, error) {
			cancel()
			return nil, context.Canceled
		}}
		g, seen := guarded(server, Options{})
		if _, err := g.ListWithContext(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if got := seen.take(); got != "" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestRelistsAreCountedAndFirstListsAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := guarded(&fakeServer{list: listing(newList("7"))}, Options{})
		for range 3 {
			listOnce(t, g)
		}
		if relists := g.Stats().Relisted(); relists != 2 {
			t.Errorf("%d re-lists counted, want 2", relists)
		}
	})
}

// The worst fault there is: a gateway that answers 404 makes no type gone.
func TestTypeThatDiscoveryHasIsNotGoneHoweverLongItsListsAreNotFound(t *testing.T) {
	for name, served := range map[string]func() (bool, error){
		"discovery has it":         func() (bool, error) { return true, nil },
		"discovery is cut off too": func() (bool, error) { return false, errMissing },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fakeServer{list: listing(newList("7", newRow("a", "1"))), served: served}
				g, seen := guarded(server, Options{})
				listOnce(t, g)
				server.list = failThen(newList("9", newRow("a", "1")), slices.Repeat([]error{errMissing}, 100)...)
				if rows := listOnce(t, g).Items; len(rows) != 1 {
					t.Errorf("the cache loses its objects, %d are left", len(rows))
				}
				if got := seen.take(); got[:5] != "lost:" {
					t.Errorf("emitted %q", got)
				}
			})
		})
	}
}

func TestTypeThatDiscoveryLacksForThreeSecondsIsAnEmptyList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7", newRow("a", "1")))}
		g, seen := guarded(server, Options{PageSize: 500})
		listOnce(t, g)
		server.list = failThen(nil, slices.Repeat([]error{errMissing}, 100)...)
		before := time.Now()
		if list := listOnce(t, g); len(list.Items) != 0 || list.ResourceVersion != "" {
			t.Errorf("got %+v", list)
		}
		if waited := time.Since(before); waited != goneGrace {
			t.Errorf("reported after %v", waited)
		}
		if got := seen.take(); got != "gone: could not find the requested resource" {
			t.Errorf("emitted %q", got)
		}
	})
}

func TestTimeInWhichNobodyCouldSayDoesNotMakeATypeGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7", newRow("a", "1")))}
		g, _ := guarded(server, Options{PageSize: 500})
		listOnce(t, g)
		server.list = failThen(newList("7", newRow("a", "1")),
			errMissing, errUnavailable, errRefused, errUnavailable, errRefused, errUnavailable, errMissing)
		if list := listOnce(t, g); len(list.Items) != 1 {
			t.Error(list)
		}
	})
}

func TestTypeUnknownForAMomentKeepsItsObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7", newRow("a", "1")))}
		g, _ := guarded(server, Options{PageSize: 500})
		for range 3 {
			if list := listOnce(t, g); len(list.Items) != 1 {
				t.Fatal(list)
			}
			time.Sleep(time.Minute)
			server.list = failThen(newList("7", newRow("a", "1")), errMissing, errMissing, errMissing)
		}
	})
}

// paged answers as an API server does, with tokens that name the page.
func paged(pages map[string]*cache.RowList) func(metav1.ListOptions) (runtime.Object, error) {
	return func(o metav1.ListOptions) (runtime.Object, error) {
		if o.Limit == 0 {
			return pages["all"], nil
		}
		if page := pages[o.Continue]; page != nil {
			return page, nil
		}
		return nil, errTooOld
	}
}

func pageOf(next string, remaining int64, rows ...*cache.Row) *cache.RowList {
	list := newList("7", rows...)
	list.Continue = next
	if remaining > 0 {
		list.RemainingItemCount = &remaining
	}
	return list
}

// listPages lists as a reflector does, through its pager, and returns the names.
func listPages(t *testing.T, g *Guard, o metav1.ListOptions) []string {
	t.Helper()
	p := pager.New(pager.SimplePageFunc(func(o metav1.ListOptions) (runtime.Object, error) {
		return g.ListWithContext(t.Context(), o)
	}))
	if o.ResourceVersion != "0" {
		p.PageSize = 0 // as the reflector does to list anew
	}
	list, _, err := p.ListWithAlloc(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := meta.ExtractList(list)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, o := range objects {
		row := o.(*cache.Row)
		names = append(names, row.Name)
		if row.Position != i+1 {
			t.Errorf("%s is number %d of the list, not %d", row.Name, row.Position, i+1)
		}
	}
	return names
}

func TestEveryListIsConsistentAndPaged(t *testing.T) {
	for _, resourceVersion := range []string{"0", "1234", ""} {
		synctest.Test(t, func(t *testing.T) {
			server := &fakeServer{list: paged(map[string]*cache.RowList{
				"":   pageOf("p2", 3, newRow("a", "1"), newRow("b", "2")),
				"p2": pageOf("p3", 1, newRow("c", "3"), newRow("d", "4")),
				"p3": pageOf("", 0, newRow("e", "5")),
			})}
			g, _ := guarded(server, Options{PageSize: 2})
			names := listPages(t, g, metav1.ListOptions{ResourceVersion: resourceVersion})
			if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, names); diff != "" {
				t.Error(diff)
			}
			for _, r := range server.listed() {
				if r.options.Limit != 2 || r.options.ResourceVersion != "" {
					t.Errorf("asked for %+v", r.options)
				}
			}
			if objects, remaining := g.Progress(); objects != 5 || remaining != 0 {
				t.Errorf("%d objects, %d more", objects, remaining)
			}
		})
	}
}

func TestPageSizeZeroAsksForAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: paged(map[string]*cache.RowList{"all": pageOf("", 0, newRow("a", "1"))})}
		g, _ := guarded(server, Options{PageSize: 0})
		if names := listPages(t, g, metav1.ListOptions{ResourceVersion: "0"}); len(names) != 1 {
			t.Errorf("got %v", names)
		}
	})
}

// The pager takes the answer to its second try for the whole list: if that were
// a page, the informer would report the deletion of every object not on it.
func TestListWhoseTokenExpiresIsNotCutShort(t *testing.T) {
	for _, resourceVersion := range []string{"0", "1234"} {
		synctest.Test(t, func(t *testing.T) {
			server := &fakeServer{list: paged(map[string]*cache.RowList{
				"":    pageOf("gone", 2, newRow("a", "1")),
				"all": pageOf("", 0, newRow("a", "1"), newRow("b", "2"), newRow("c", "3")),
			})}
			g, _ := guarded(server, Options{PageSize: 1})
			names := listPages(t, g, metav1.ListOptions{ResourceVersion: resourceVersion})
			if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
				t.Error(diff)
			}
			var asked []metav1.ListOptions
			for _, r := range server.listed() {
				asked = append(asked, r.options)
			}
			want := []metav1.ListOptions{{Limit: 1}, {Limit: 1, Continue: "gone"}, {}}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Error(diff)
			}
			listPages(t, g, metav1.ListOptions{})
			if n := server.listed()[3].options.Limit; n != 1 {
				t.Errorf("the next list has limit %d, want pages again", n)
			}
		})
	}
}

func TestTypeGoneBetweenPagesLeavesNoObjectOfTheFirstPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7"))}
		g, _ := guarded(server, Options{PageSize: 1})
		listOnce(t, g)
		away := false
		server.list = func(o metav1.ListOptions) (runtime.Object, error) {
			if away = away || o.Continue != ""; away {
				return nil, errMissing
			}
			return pageOf("p2", 1, newRow("a", "1")), nil
		}
		if names := listPages(t, g, metav1.ListOptions{}); len(names) != 0 {
			t.Errorf("got %v of a type that is gone", names)
		}
		server.list = paged(map[string]*cache.RowList{"": pageOf("", 0, newRow("a", "1"))})
		if names := listPages(t, g, metav1.ListOptions{}); len(names) != 1 {
			t.Errorf("got %v of a type that is back, want it in pages", names)
		}
	})
}

func TestRowsAreGivenToTheTransformBeforeTheNextPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: listing(newList("7", newRow("a", "1"), newRow("b", "2")))}
		g, _ := guarded(server, Options{Transform: func(row *cache.Row) { row.Annotations = map[string]string{"seen": row.Name} }})
		for _, row := range listOnce(t, g).Items {
			if row.Annotations["seen"] != row.Name {
				t.Errorf("%s was not transformed", row.Name)
			}
		}
	})
}

func TestOnlyExpiredReachesTheReflector(t *testing.T) {
	for _, err := range []error{errTooOld, errors.New("gone")} {
		if got := expired(err); !apierrors.IsResourceExpired(got) {
			t.Errorf("%v became %v", err, got)
		}
	}
}
