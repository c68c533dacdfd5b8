package client

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/decode"
)

// morePages asks for the pages of a list that follow its first.
type morePages struct {
	objects, typed, cells *endpoint
}

func (c *Client) morePages(t cache.Target, m *moreEncodings) (pages *morePages, err error) {
	pages = &morePages{}
	if pages.objects, err = c.endpoint(t, &m.objects); err != nil {
		return nil, err
	}
	if pages.typed, err = c.endpoint(t, m.typed); err != nil {
		return nil, err
	}
	pages.cells, err = c.endpoint(t, m.cells)
	return pages, err
}

// continued asks for a page that is not the first. Where the server turns out not
// to give cells apart, this page and all later ones are asked for as the first is.
func (l *listerWatcher) continued(ctx context.Context, options metav1.ListOptions) (*cache.RowList, error) {
	if l.more.cells == nil {
		return l.page(ctx, l.more.objectsFor(ctx, l), options)
	}
	rows, err := l.apart(ctx, options)
	if errors.Is(err, errNotApart) {
		l.more = nil
		return l.page(ctx, l.pages, options)
	}
	return rows, err
}

var errNotApart = errors.New("the cells of a page cannot be had apart from its objects")

// apart asks for objects and cells in a request each. Both go on from one continue
// token, which stands for a place in the list as it was at one resourceVersion:
// so their rows are the same.
func (l *listerWatcher) apart(ctx context.Context, options metav1.ListOptions) (*cache.RowList, error) {
	cells, err := l.page(ctx, l.more.cells, options)
	if err != nil {
		if fault := classify(err); errors.Is(err, decode.ErrNoTable) || fault == cache.Invalid || fault == cache.Unsupported {
			return nil, errNotApart
		}
		return nil, err
	}
	rows, err := l.page(ctx, l.more.objectsFor(ctx, l), options)
	if err != nil {
		return nil, err
	}
	if !decode.JoinCells(rows, cells) {
		return nil, errNotApart
	}
	return rows, nil
}

// objectsFor is where to ask for objects.
func (p *morePages) objectsFor(ctx context.Context, l *listerWatcher) *endpoint {
	if p.typed != nil && l.server.isOurs(ctx, l.pages.client) {
		return p.typed
	}
	return p.objects
}
