package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var pods = cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespaced: true}

// rows reads "name@resourceVersion" and "name/uid@resourceVersion".
func rows(texts ...string) (rows []*cache.Row) {
	for _, text := range texts {
		identity, version, _ := strings.Cut(text, "@")
		name, uid, _ := strings.Cut(identity, "/")
		rows = append(rows, &cache.Row{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(uid), ResourceVersion: version}})
	}
	return rows
}

func TestDifferencesNameTheObjects(t *testing.T) {
	for _, test := range []struct {
		name           string
		cached, served []*cache.Row
		want           []string
	}{
		{"the same, in another order", rows("a/1@5", "b/2@6"), rows("b/2@6", "a/1@5"), nil},
		{"a lost deletion", rows("a/1@5", "b/2@6"), rows("a/1@5"), []string{"shop/b is in the cache, and not on the server"}},
		{"a lost addition", rows("a/1@5"), rows("a/1@5", "b/2@6"), []string{"shop/b is on the server, and not in the cache"}},
		{"a lost change", rows("a/1@5"), rows("a/1@7"), []string{"shop/a has resourceVersion 5 in the cache, and 7 on the server"}},
		{"recreated", rows("a/1@5"), rows("a/2@7"), []string{
			"shop/a is in the cache, and not on the server", "shop/a is on the server, and not in the cache"}},
		{"namesakes without uid", rows("a@1", "a@2"), rows("a@2", "a@1"), nil},
		{"one of the namesakes is lost", rows("a@1"), rows("a@2", "a@1"), []string{"shop/a has resourceVersion 1 in the cache, and 1,2 on the server"}},
		{"without resourceVersions", rows("a", "b"), rows("a"), []string{"shop/b is in the cache, and not on the server"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range compare(test.cached, test.served) {
				got = append(got, d.String())
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAnErrorNamesTenObjects(t *testing.T) {
	var cached []*cache.Row
	for n := range 12 {
		cached = append(cached, rows(fmt.Sprintf("pod-%02d/%d@1", n, n))...)
	}
	err := &Error{pods, compare(cached, nil)}
	if got := err.Error(); !strings.HasPrefix(got, "the cache of pods differs from the server in 12 objects:\n  shop/pod-00 is") ||
		!strings.Contains(got, "shop/pod-09") || strings.Contains(got, "shop/pod-10") || !strings.HasSuffix(got, "\n  and 2 more") {
		t.Error(got)
	}
}

// server is a list that changes as time passes.
type server struct {
	lists   []metav1.ListOptions
	answers func() ([]*cache.Row, error)
}

func (s *server) page(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	s.lists = append(s.lists, options)
	rows, err := s.answers()
	return &cache.RowList{Items: rows}, err
}

func TestAListIsComparedAtItsResourceVersion(t *testing.T) {
	s := &server{answers: func() ([]*cache.Row, error) { return rows("a/1@5"), nil }}
	l := &Lister{Target: pods, Page: s.page}
	if err := l.Once(t.Context(), rows("a/1@5"), "9"); err != nil {
		t.Error(err)
	}
	if o := s.lists[0]; o.ResourceVersion != "9" || o.ResourceVersionMatch != metav1.ResourceVersionMatchExact {
		t.Errorf("asked for %+v", o)
	}
	var differs *Error
	if err := l.Once(t.Context(), rows("a/1@4"), "9"); !errors.As(err, &differs) {
		t.Errorf("got %v, want the difference", err)
	}
	if err := l.Once(t.Context(), rows("a/1@5"), ""); err == nil || err.Error() != "cannot verify the cache of pods: "+errNoVersion.Error() {
		t.Errorf("got %v", err)
	}
}

// memory is a cache under a test's control.
type memory struct {
	rows      []*cache.Row
	lost      bool
	relisted  []error
	relisting func()
}

func (m *memory) Rows() ([]*cache.Row, bool) { return m.rows, !m.lost }

func (m *memory) Relist(reason error) {
	m.relisted = append(m.relisted, reason)
	m.relisting()
}

func TestOnlyADifferenceThatLastsHasACacheListedAnew(t *testing.T) {
	late := errors.New("the server is down")
	for _, test := range []struct {
		name    string
		cached  func(since time.Duration) []*cache.Row
		served  func(since time.Duration) ([]*cache.Row, error)
		lost    bool
		relists int
		reports int
	}{
		{name: "the same", cached: always("a/1@5"), served: answer("a/1@5")},
		{name: "a deletion that was lost", cached: always("a/1@5", "b/2@6"), served: answer("a/1@5"), relists: 1, reports: 1},
		{name: "a change that comes late", cached: until(65*time.Second, rows("a/1@5"), rows("a/1@6")), served: answer("a/1@6")},
		{name: "a connection that is lost", cached: always("a/1@5", "b/2@6"), served: answer("a/1@5"), lost: true},
		{name: "a server that cannot be asked", cached: always("a/1@5"), served: func(time.Duration) ([]*cache.Row, error) { return nil, late }, reports: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				held := &memory{lost: test.lost}
				s := &server{answers: func() ([]*cache.Row, error) {
					held.rows = test.cached(time.Since(began))
					return test.served(time.Since(began))
				}}
				var reports []error
				ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
				defer cancel()
				held.relisting = cancel
				keeper := &Keeper{Lister: &Lister{Target: pods, Page: s.page}, Cache: held, Every: time.Minute,
					Report: func(err error) { reports = append(reports, err) }}
				keeper.Run(ctx)
				if len(held.relisted) != test.relists || len(reports) != test.reports {
					t.Errorf("listed anew for %v, reported %v", held.relisted, reports)
				}
			})
		})
	}
}

func always(texts ...string) func(time.Duration) []*cache.Row {
	return func(time.Duration) []*cache.Row { return rows(texts...) }
}

func answer(texts ...string) func(time.Duration) ([]*cache.Row, error) {
	return func(time.Duration) ([]*cache.Row, error) { return rows(texts...), nil }
}

func until(when time.Duration, before, after []*cache.Row) func(time.Duration) []*cache.Row {
	return func(since time.Duration) []*cache.Row {
		if since < when {
			return before
		}
		return after
	}
}
