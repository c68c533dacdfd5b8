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
	if !joinCells(rows, cells) {
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

// joinCells gives rows their cells. It says whether it did: both pages must be the
// same part of the same list, and each row what its cells say it is.
func joinCells(rows, cells *cache.RowList) bool {
	if !samePage(rows, cells) {
		return false
	}
	for i, row := range rows.Items {
		if !isCellsOf(row, cells.Items[i]) {
			return false
		}
	}
	for i, row := range rows.Items {
		row.Columns, row.Cells = cells.Items[i].Columns, cells.Items[i].Cells
	}
	return true
}

// samePage says whether two pages that go on from one token are of one list. Names
// do not prove it: the same name is in many namespaces, of which cells say nothing.
// The resourceVersion does, with the place where the next page begins.
func samePage(a, b *cache.RowList) bool {
	return a.ResourceVersion != "" && a.ResourceVersion == b.ResourceVersion &&
		a.Continue == b.Continue && len(a.Items) == len(b.Items)
}

// isCellsOf says whether the cells can be those of the row. A few types have a
// column for the namespace.
func isCellsOf(row, cells *cache.Row) bool {
	if cellOf(cells, nameColumn(cells.Columns)) != row.Name {
		return false
	}
	namespace := cellOf(cells, namespaceColumn(cells.Columns))
	return namespace == nil || namespace == row.Namespace
}

// cellOf is the cell in a column; nil where there is none.
func cellOf(row *cache.Row, column int) any {
	if column < 0 || column >= len(row.Cells) {
		return nil
	}
	return row.Cells[column]
}

// nameColumn finds the column that servers mark as the name; -1 if there is none.
func nameColumn(columns *cache.Columns) int {
	if columns == nil {
		return -1
	}
	return slices.IndexFunc(*columns, func(c metav1.TableColumnDefinition) bool { return c.Format == "name" })
}

// namespaceColumn finds a column that shows the namespace; -1 if there is none. One
// that only seems to costs the joining of cells, and nothing else.
func namespaceColumn(columns *cache.Columns) int {
	if columns == nil {
		return -1
	}
	return slices.IndexFunc(*columns, func(c metav1.TableColumnDefinition) bool { return c.Name == "Namespace" })
}
