package source

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// morePages asks for the pages of a list that follow its first.
type morePages struct {
	objects, typed, cells *endpoint
}

func (c *Client) morePages(t cache.Target, m *more) (pages *morePages, err error) {
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
func (r *resource) continued(ctx context.Context, options metav1.ListOptions) (*cache.RowList, error) {
	if r.more.cells == nil {
		return r.page(ctx, r.more.objectsFor(ctx, r), options)
	}
	rows, err := r.apart(ctx, options)
	if errors.Is(err, errNotApart) {
		r.more = nil
		return r.page(ctx, r.pages, options)
	}
	return rows, err
}

var errNotApart = errors.New("the cells of a page cannot be had apart from its objects")

// apart asks for objects and cells in a request each. Both go on from one continue
// token, which stands for a place in the list as it was at one resourceVersion:
// so their rows are the same.
func (r *resource) apart(ctx context.Context, options metav1.ListOptions) (*cache.RowList, error) {
	cells, err := r.page(ctx, r.more.cells, options)
	if err != nil {
		if fault := classify(err); errors.Is(err, errNoTable) || fault == cache.Invalid || fault == cache.Unsupported {
			return nil, errNotApart
		}
		return nil, err
	}
	rows, err := r.page(ctx, r.more.objectsFor(ctx, r), options)
	if err != nil {
		return nil, err
	}
	if !joinCells(rows.Items, cells.Items) {
		return nil, errNotApart
	}
	return rows, nil
}

// objectsFor is where to ask for objects.
func (p *morePages) objectsFor(ctx context.Context, r *resource) *endpoint {
	if p.typed != nil && r.server.isOurs(ctx, r.pages.client) {
		return p.typed
	}
	return p.objects
}

// joinCells gives rows their cells. It says whether it did: each row's name must
// be the one that is among the cells.
func joinCells(rows, cells []*cache.Row) bool {
	if len(rows) != len(cells) {
		return false
	}
	for i, row := range rows {
		name := nameColumn(cells[i].Columns)
		if name < 0 || name >= len(cells[i].Cells) || cells[i].Cells[name] != row.Name {
			return false
		}
	}
	for i, row := range rows {
		row.Columns, row.Cells = cells[i].Columns, cells[i].Cells
	}
	return true
}

// nameColumn finds the column that servers mark as the name; -1 if there is none.
func nameColumn(columns *cache.Columns) int {
	if columns == nil {
		return -1
	}
	return slices.IndexFunc(*columns, func(c metav1.TableColumnDefinition) bool { return c.Format == "name" })
}
