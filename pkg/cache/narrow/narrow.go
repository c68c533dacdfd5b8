// Package narrow asks a server for less than a Target has: for what it can select of
// it. Where a server refuses to, it is asked for all, and nobody learns of it but the
// log.
package narrow

import (
	"context"
	"slices"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// Selection is what a server selects of a Target.
type Selection struct {
	// Selected has what is selected.
	Selected guard.Source
	// Unanswered, where it is not nil, has objects that are listed besides. It is for
	// what is listed and not watched.
	Unanswered guard.Source
	// Known are the values of indexes that each of the objects has.
	Known []cache.IndexedValues
}

// Source lists and watches a Target as far as the server selects of it. It is for one
// guard, and the rows are to be given to Stamp before anything else reads them.
type Source struct {
	// Source has all.
	guard.Source
	// selection is nil where all is asked for.
	selection atomic.Pointer[Selection]
	// find, where set, finds a selection for a list that has more than one page.
	find func(context.Context) *Selection
}

var _ guard.Source = (*Source)(nil)

// New returns a Source of what is selected, or of all where the selection is nil. One
// that selects more, and costs something to find, is found by find, which may be nil,
// once there is more than a page of objects.
func New(all guard.Source, selection *Selection, find func(context.Context) *Selection) *Source {
	s := &Source{Source: all, find: find}
	s.selection.Store(selection)
	return s
}

// Stamp notes on a row what is known of it. It can be called twice, and from several
// goroutines.
func (s *Source) Stamp(row *cache.Row) {
	selection := s.selection.Load()
	if selection == nil {
		return
	}
	for _, known := range selection.Known {
		if _, there := row.IndexedValues(known.Name); !there {
			row.AddIndexedValues(known)
		}
	}
}

// ListWithContext returns one page.
func (s *Source) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	list, err := s.list(ctx, options)
	rows, _ := list.(*cache.RowList)
	if err != nil || options.Continue != "" || rows == nil || rows.Continue == "" || s.find == nil {
		return list, err
	}
	find := s.find
	s.find = nil
	selection := find(ctx)
	if selection == nil {
		return list, nil
	}
	s.selection.Store(selection)
	return s.list(ctx, options)
}

func (s *Source) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	selection := s.selection.Load()
	if selection == nil {
		return s.Source.ListWithContext(ctx, options)
	}
	list, err := selection.list(ctx, options)
	if err != nil && s.refuses(err) && options.Continue == "" {
		s.widen(err)
		return s.Source.ListWithContext(ctx, options)
	}
	return list, err
}

// list returns one page of what is selected, and before the first all of what is listed
// besides: of an object that is in both, the newer state is the one that is selected.
func (n *Selection) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	var besides []*cache.Row
	if n.Unanswered != nil && options.Continue == "" {
		var err error
		if besides, err = all(ctx, n.Unanswered, options); err != nil {
			return nil, err
		}
	}
	list, err := n.Selected.ListWithContext(ctx, options)
	if rows, ok := list.(*cache.RowList); ok && err == nil {
		rows.Items = slices.Concat(besides, rows.Items)
	}
	return list, err
}

// all returns the rows of all pages.
func all(ctx context.Context, source guard.Source, options metav1.ListOptions) (rows []*cache.Row, err error) {
	for {
		list, err := source.ListWithContext(ctx, options)
		if err != nil {
			return nil, err
		}
		page, ok := list.(*cache.RowList)
		if !ok {
			return rows, nil
		}
		rows = append(rows, page.Items...)
		if options.Continue = page.Continue; options.Continue == "" {
			return rows, nil
		}
	}
}

// WatchWithContext opens a watch of what is selected. Where it is refused, all has to be
// listed anew: the error says so.
func (s *Source) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	selection := s.selection.Load()
	if selection == nil {
		return s.Source.WatchWithContext(ctx, options)
	}
	w, err := selection.Selected.WatchWithContext(ctx, options)
	if err != nil && s.refuses(err) {
		s.widen(err)
		return nil, apierrors.NewResourceExpired(err.Error())
	}
	return w, err
}

// LatestResourceVersion asks for the present resourceVersion of what is selected.
func (s *Source) LatestResourceVersion(ctx context.Context) (string, error) {
	if selection := s.selection.Load(); selection != nil {
		return selection.Selected.LatestResourceVersion(ctx)
	}
	return s.Source.LatestResourceVersion(ctx)
}

// refuses says whether the server did not understand what it is to select by. Whether
// it understands the rest is found out by asking for all.
func (s *Source) refuses(err error) bool {
	d := s.Diagnose(err)
	return d.Fault == cache.Invalid && d.Authoritative
}

func (s *Source) widen(err error) {
	klog.V(4).Infof("the server cannot select by it, all is asked for: %v", err)
	s.selection.Store(nil)
}
