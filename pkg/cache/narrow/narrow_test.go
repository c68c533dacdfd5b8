package narrow_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/narrow"
)

var (
	errSelector = errors.New("field label not supported")
	errGateway  = errors.New("<html>400</html>")
	errBusy     = errors.New("slow down")
)

// fakeSource has pages of names, and notes what it is asked for.
type fakeSource struct {
	name  string
	pages [][]string
	err   error
	asked *[]string
}

func (s *fakeSource) ListWithContext(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
	*s.asked = append(*s.asked, s.name+o.Continue)
	if s.err != nil {
		return nil, s.err
	}
	page := len(o.Continue)
	list := &cache.RowList{}
	for _, name := range s.pages[page] {
		row := &cache.Row{}
		row.Name = name
		list.Items = append(list.Items, row)
	}
	if page+1 < len(s.pages) {
		list.Continue = o.Continue + "+"
	}
	return list, nil
}

func (s *fakeSource) WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error) {
	*s.asked = append(*s.asked, "watch "+s.name)
	return watch.NewFake(), s.err
}

func (s *fakeSource) Diagnose(err error) guard.Diagnosis {
	switch {
	case errors.Is(err, errSelector):
		return guard.Diagnosis{Fault: cache.Invalid, Authoritative: true}
	case errors.Is(err, errGateway):
		return guard.Diagnosis{Fault: cache.Invalid}
	}
	return guard.Diagnosis{Fault: cache.Transient}
}

func (s *fakeSource) Reached() bool                        { return true }
func (s *fakeSource) Served(context.Context) (bool, error) { return true, nil }

func (s *fakeSource) LatestResourceVersion(context.Context) (string, error) { return s.name, nil }

// server has all objects, those that are selected, and those that are asked for besides.
type server struct {
	all, selected, besides *fakeSource
	asked                  []string
}

func newServer() *server {
	s := &server{}
	s.all = &fakeSource{name: "all", pages: [][]string{{"a", "b"}, {"c"}}, asked: &s.asked}
	s.selected = &fakeSource{name: "selected", pages: [][]string{{"b"}, {"c"}}, asked: &s.asked}
	s.besides = &fakeSource{name: "besides", pages: [][]string{{"x"}, {"y"}}, asked: &s.asked}
	return s
}

var onNode = []cache.IndexedValues{{Name: "node", Values: []string{"n"}}}

// list reads all pages, and stamps the rows as they come.
func list(t *testing.T, s *narrow.Source) (rows []*cache.Row, err error) {
	t.Helper()
	for options := (metav1.ListOptions{}); ; {
		page, err := s.ListWithContext(t.Context(), options)
		if err != nil {
			return nil, err
		}
		for _, row := range page.(*cache.RowList).Items {
			s.Stamp(row)
			s.Stamp(row) // twice is as once
			rows = append(rows, row)
		}
		if options.Continue = page.(*cache.RowList).Continue; options.Continue == "" {
			return rows, nil
		}
	}
}

func expect(t *testing.T, rows []*cache.Row, names string, stamped bool, asked []string, want string) {
	t.Helper()
	var got []string
	for _, row := range rows {
		got = append(got, row.Name)
		if values, there := row.IndexedValues("node"); there != stamped || there && !slices.Equal(values, []string{"n"}) {
			t.Errorf("of %s is known %v", row.Name, values)
		}
	}
	if strings.Join(got, " ") != names || strings.Join(asked, " ") != want {
		t.Errorf("got %q, asked for %q", got, asked)
	}
}

func TestWhatIsSelectedIsAllThatIsAskedFor(t *testing.T) {
	server := newServer()
	s := narrow.New(server.all, &narrow.Selection{Selected: server.selected, Known: onNode}, nil)
	rows, err := list(t, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.WatchWithContext(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	expect(t, rows, "b c", true, server.asked, "selected selected+ watch selected")
	if version, _ := s.LatestResourceVersion(t.Context()); version != "selected" {
		t.Errorf("the version is that of %s", version)
	}
}

// An object that came to be selected meanwhile is in both: then what comes later counts.
func TestWhatIsAskedForBesidesComesFirst(t *testing.T) {
	server := newServer()
	rows, err := list(t, narrow.New(server.all, &narrow.Selection{Selected: server.selected, Unanswered: server.besides}, nil))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, rows, "x y b c", false, server.asked, "besides besides+ selected selected+")
	server.besides.err = errBusy
	if _, err := list(t, narrow.New(server.all, &narrow.Selection{Selected: server.selected, Unanswered: server.besides}, nil)); !errors.Is(err, errBusy) {
		t.Errorf("got %v", err)
	}
}

func TestAllIsAskedForWhereTheServerCannotSelect(t *testing.T) {
	for name, refuse := range map[string]func(*server) *fakeSource{
		"what is selected":      func(s *server) *fakeSource { return s.selected },
		"what is asked besides": func(s *server) *fakeSource { return s.besides },
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer()
			refuse(server).err = errSelector
			s := narrow.New(server.all, &narrow.Selection{Selected: server.selected, Unanswered: server.besides, Known: onNode}, nil)
			rows, err := list(t, s)
			if err != nil {
				t.Fatal(err)
			}
			asked := slices.DeleteFunc(server.asked, func(name string) bool { return !strings.HasPrefix(name, "all") })
			expect(t, rows, "a b c", false, asked, "all all+")
			server.asked = nil
			if _, err := s.WatchWithContext(t.Context(), metav1.ListOptions{}); err != nil || server.asked[0] != "watch all" {
				t.Errorf("watched %q, %v", server.asked, err)
			}
			if version, _ := s.LatestResourceVersion(t.Context()); version != "all" {
				t.Errorf("the version is that of %s", version)
			}
		})
	}
}

func TestAnyOtherFaultIsTheServersOwn(t *testing.T) {
	for _, fault := range []error{errGateway, errBusy} {
		server := newServer()
		server.selected.err = fault
		s := narrow.New(server.all, &narrow.Selection{Selected: server.selected}, nil)
		if _, err := list(t, s); !errors.Is(err, fault) {
			t.Errorf("got %v", err)
		}
		if _, err := s.WatchWithContext(t.Context(), metav1.ListOptions{}); !errors.Is(err, fault) {
			t.Errorf("got %v", err)
		}
		if slices.Contains(server.asked, "all") {
			t.Errorf("asked for %q", server.asked)
		}
	}
}

// A watch of all, from where a list of some has ended, would miss the others.
func TestAWatchThatIsRefusedHasAllListedAnew(t *testing.T) {
	server := newServer()
	s := narrow.New(server.all, &narrow.Selection{Selected: server.selected, Known: onNode}, nil)
	if _, err := list(t, s); err != nil {
		t.Fatal(err)
	}
	server.selected.err = errSelector
	if _, err := s.WatchWithContext(t.Context(), metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
		t.Errorf("got %v", err)
	}
	server.asked = nil
	rows, err := list(t, s)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, rows, "a b c", false, server.asked, "all all+")
}

// What a type declares costs a request: less than a page is not worth it.
func TestASelectionIsFoundForMoreThanAPage(t *testing.T) {
	server := newServer()
	found := 0
	find := func(context.Context) *narrow.Selection {
		found++
		return &narrow.Selection{Selected: server.selected, Known: onNode}
	}
	rows, err := list(t, narrow.New(server.all, nil, find))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, rows, "b c", true, server.asked, "all selected selected+")

	server = newServer()
	rows, err = list(t, narrow.New(server.all, &narrow.Selection{Selected: server.besides}, find))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, rows, "b c", true, server.asked, "besides selected selected+")

	server = newServer()
	server.all.pages = [][]string{{"a", "b"}}
	rows, err = list(t, narrow.New(server.all, nil, find))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, rows, "a b", false, server.asked, "all")
	if found != 2 {
		t.Errorf("looked for %d times", found)
	}

	server = newServer()
	rows, err = list(t, narrow.New(server.all, nil, func(context.Context) *narrow.Selection { return nil }))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, rows, "a b c", false, server.asked, "all all+")
}
