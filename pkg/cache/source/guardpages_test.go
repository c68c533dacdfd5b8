package source

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// paged answers as an API server does for n objects, with tokens that hold a number.
func paged(pages map[string]*cache.RowList) func(metav1.ListOptions) (runtime.Object, error) {
	return func(o metav1.ListOptions) (runtime.Object, error) {
		if o.Limit == 0 {
			return pages["all"], nil
		}
		if page := pages[o.Continue]; page != nil {
			return page, nil
		}
		return nil, apierrors.NewResourceExpired("The provided continue parameter is too old")
	}
}

func page(next string, remaining int64, rows ...*cache.Row) *cache.RowList {
	list := newList("7", rows...)
	list.Continue = next
	if remaining > 0 {
		list.RemainingItemCount = &remaining
	}
	return list
}

// listPages lists as a reflector does, through its pager, and returns the names.
func listPages(t *testing.T, g *guard, o metav1.ListOptions) []string {
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
				"":   page("p2", 3, newRow("a", "1"), newRow("b", "2")),
				"p2": page("p3", 1, newRow("c", "3"), newRow("d", "4")),
				"p3": page("", 0, newRow("e", "5")),
			})}
			g, seen := guarded(server, Options{PageSize: 2})
			names := listPages(t, g, metav1.ListOptions{ResourceVersion: resourceVersion})
			if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, names); diff != "" {
				t.Error(diff)
			}
			for _, r := range server.listed() {
				if r.options.Limit != 2 || r.options.ResourceVersion != "" {
					t.Errorf("asked for %+v", r.options)
				}
			}
			want := []cache.Report{
				{Op: cache.OpList, Objects: 2, Remaining: 3},
				{Op: cache.OpList, Objects: 4, Remaining: 1},
				{Op: cache.OpList, Objects: 5, Done: true},
			}
			if diff := cmp.Diff(want, seen.all); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPageSizeZeroAsksForAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{list: paged(map[string]*cache.RowList{"all": page("", 0, newRow("a", "1"))})}
		g, _ := guarded(server, Options{PageSize: 0})
		if names := listPages(t, g, metav1.ListOptions{ResourceVersion: "0"}); len(names) != 1 {
			t.Errorf("got %v", names)
		}
	})
}

// The pager takes the answer to its second try for the whole list: if that were
// a page, the informer would tell the deletion of every object not on it.
func TestListWhoseTokenExpiresIsNotCutShort(t *testing.T) {
	for _, resourceVersion := range []string{"0", "1234"} {
		synctest.Test(t, func(t *testing.T) {
			server := &fakeServer{list: paged(map[string]*cache.RowList{
				"":    page("gone", 2, newRow("a", "1")),
				"all": page("", 0, newRow("a", "1"), newRow("b", "2"), newRow("c", "3")),
			})}
			g, seen := guarded(server, Options{PageSize: 1})
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
			last := seen.all[len(seen.all)-1]
			if len(seen.failures()) != 1 || last.Objects != 3 || !last.Done {
				t.Errorf("reported %+v", seen.all)
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
		gone := false
		server := &fakeServer{list: func(o metav1.ListOptions) (runtime.Object, error) {
			if gone = gone || o.Continue != ""; gone {
				return nil, noType
			}
			return page("p2", 1, newRow("a", "1")), nil
		}}
		g, _ := guarded(server, Options{PageSize: 1})
		g.listed = true
		if names := listPages(t, g, metav1.ListOptions{}); len(names) != 0 {
			t.Errorf("got %v of a type that is gone", names)
		}
		server.list = paged(map[string]*cache.RowList{"": page("", 0, newRow("a", "1"))})
		if names := listPages(t, g, metav1.ListOptions{}); len(names) != 1 {
			t.Errorf("got %v of a type that is back, want it in pages", names)
		}
	})
}
