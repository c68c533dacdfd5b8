package printers

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// sideBySide has rows of several clusters in one table, which has the columns of all:
// servers of other versions have others, and words of their own for what is the same.
type sideBySide struct {
	wide  bool
	bare  *cache.Columns
	union cache.Union[metav1.TableColumnDefinition]
	// places are, by the columns of rows, where among all each is; hidden is none.
	places map[*cache.Columns][]int
}

const hidden = -1

func (f *Flags) newSideBySide() *sideBySide {
	return &sideBySide{
		wide: *f.kubectl.OutputFormat == "wide", bare: bareColumns(), places: map[*cache.Columns][]int{},
	}
}

// add makes the columns of a row a part of the table; nil are those of a row without.
func (s *sideBySide) add(columns *cache.Columns) []int {
	if places, known := s.places[columns]; known {
		return places
	}
	own := columns
	if own == nil {
		own = s.bare
	}
	var shown cache.Columns
	for _, column := range *own {
		if s.shows(column) {
			shown = append(shown, asShown(column))
		}
	}
	among := s.union.Add(shown)
	places := make([]int, len(*own))
	for i, column := range *own {
		places[i] = hidden
		if s.shows(column) {
			places[i], among = among[0], among[1:]
		}
	}
	s.places[columns] = places
	return places
}

func (s *sideBySide) shows(column metav1.TableColumnDefinition) bool {
	return s.wide || column.Priority == 0
}

// asShown is what of a column can be seen in a table: no description, and its type only
// where kubectl's printer looks at it.
func asShown(column metav1.TableColumnDefinition) metav1.TableColumnDefinition {
	if isName(column) {
		return metav1.TableColumnDefinition{Name: column.Name, Type: column.Type, Format: column.Format}
	}
	return metav1.TableColumnDefinition{Name: column.Name}
}

// columns are those of all rows, as they are now.
func (s *sideBySide) columns() cache.Columns { return s.union.All }

// cells are the cells of a row with these columns, each where its column is; one that the
// row does not have is empty.
func (s *sideBySide) cells(columns *cache.Columns, cells []any) []any {
	places := s.add(columns)
	placed := make([]any, len(s.union.All))
	for i := range placed {
		placed[i] = ""
	}
	for i, at := range places[:min(len(places), len(cells))] {
		if at != hidden {
			placed[at] = cells[i]
		}
	}
	return placed
}
