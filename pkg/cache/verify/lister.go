package verify

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Lister lists the metadata of a Target, as the server has it.
type Lister struct {
	Target cache.Target
	// Page returns one page, a *cache.RowList.
	Page func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
	// PageSize is how many objects a page has; 0 is all.
	PageSize int64
}

var errNoVersion = errors.New("the server gives its list no resourceVersion to compare at")

// list returns all objects at exactly that resourceVersion; empty is at present.
func (l *Lister) list(ctx context.Context, resourceVersion string) (rows []*cache.Row, err error) {
	pages := pager.New(pager.ListPageFunc(l.Page))
	pages.PageSize = l.PageSize
	options := metav1.ListOptions{ResourceVersion: resourceVersion}
	if resourceVersion != "" {
		options.ResourceVersionMatch = metav1.ResourceVersionMatchExact
	}
	err = pages.EachListItem(ctx, options, func(item runtime.Object) error {
		row, ok := item.(*cache.Row)
		if !ok {
			return fmt.Errorf("the server sent %T in a list", item)
		}
		if l.Target.Shard.Holds(row) {
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// Once compares a cache that was listed at a resourceVersion with what the server has at
// the same. The error is an *Error, or says why nothing could be compared.
func (l *Lister) Once(ctx context.Context, cached []*cache.Row, resourceVersion string) error {
	served, err := []*cache.Row(nil), errNoVersion
	if resourceVersion != "" {
		served, err = l.list(ctx, resourceVersion)
	}
	if err != nil {
		return fmt.Errorf("cannot verify the cache of %s: %w", l.Target, err)
	}
	if differences := compare(cached, served); len(differences) > 0 {
		return &Error{l.Target, differences}
	}
	return nil
}
