package decode

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// JoinCells gives rows their cells. It reports whether it did: both pages must be the
// same part of the same list, and each row what its cells say it is.
func JoinCells(rows, cells *cache.RowList) bool {
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

// samePage reports whether two pages that go on from one token are of one list. Names
// do not prove it: the same name is in many namespaces, which most cells lack.
// The resourceVersion does, with the place where the next page begins.
func samePage(a, b *cache.RowList) bool {
	return a.ResourceVersion != "" && a.ResourceVersion == b.ResourceVersion &&
		a.Continue == b.Continue && len(a.Items) == len(b.Items)
}

// isCellsOf reports whether the cells can be those of the row. A few types have a
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
