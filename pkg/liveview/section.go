package liveview

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// section is the table of one type.
type section struct {
	columns []Column
	source  *cache.Columns
	// places are, of several clusters, where the columns of rows stand among columns:
	// servers of other versions may have others.
	places map[*cache.Columns][]int
	// widths are the widest cells so far: columns do not move while rows come and go.
	widths []int
	// order are the rows in order; unplaced are yet to be put there.
	order, unplaced []*item
	// shown are those of order that are neither filtered out nor beyond the limit.
	shown []*item
}

// touch takes note of a row's new state: it may be wider, match, or belong elsewhere.
func (m *Model) touch(s *section, i *item, now time.Time) {
	m.layOutColumns(s, i)
	cells := m.cells(s, i, now)
	s.fit(cells)
	matches := m.matches(s, cells)
	m.stale = m.stale || matches != i.matches
	i.matches = matches
	key := m.sortKey(s, i, cells)
	if i.key == nil || m.compareKeys(i.key, key) != 0 {
		m.place(s, i)
	}
	i.key = key
}

// layOutColumns sees to the columns of a row. Those of several clusters are all there,
// each once.
func (m *Model) layOutColumns(s *section, i *item) {
	if i.target.Context == "" {
		if s.columns == nil || i.row.Columns != s.source {
			s.source, s.columns = i.row.Columns, m.o.Columns(i.target, i.row)
		}
		return
	}
	if _, known := s.places[i.row.Columns]; known {
		return
	}
	if s.places == nil {
		s.places = map[*cache.Columns][]int{}
	}
	union := cache.Union[Column]{All: s.columns}
	s.places[i.row.Columns] = union.Add(m.o.Columns(i.target, i.row))
	s.columns = union.All
}

// cells are those of a row, each in the place of its column.
func (m *Model) cells(s *section, i *item, now time.Time) []string {
	cells := m.o.Cells(i.target, i.row, now)
	places, known := s.places[i.row.Columns]
	if !known {
		return cells
	}
	placed := make([]string, len(s.columns))
	for n := range min(len(cells), len(places)) {
		placed[places[n]] = cells[n]
	}
	return placed
}

// place has the place of a row found when the order is needed next.
func (m *Model) place(s *section, i *item) {
	if !i.unplaced {
		i.unplaced = true
		s.unplaced = append(s.unplaced, i)
		m.stale = true
	}
}

// fit makes columns as wide as their cells and names.
func (s *section) fit(cells []string) {
	for len(s.widths) < len(s.columns) {
		s.widths = append(s.widths, width(s.columns[len(s.widths)].Name))
	}
	for n := range min(len(cells), len(s.widths)) {
		s.widths[n] = max(s.widths[n], width(cells[n]))
	}
}

// matches says whether a row has what is filtered by. Ages move, and do not count.
func (m *Model) matches(s *section, cells []string) bool {
	if m.filter == "" {
		return true
	}
	var text []string
	for n, cell := range cells {
		if n >= len(s.columns) || !s.columns[n].IsAge {
			text = append(text, cell)
		}
	}
	return strings.Contains(strings.ToLower(strings.Join(text, " ")), strings.ToLower(m.filter))
}

// arrange puts the rows that came or moved where they belong: the others are in order
// already, and stay as they are.
func (m *Model) arrange(s *section) {
	if len(s.unplaced) == 0 {
		return
	}
	s.order = slices.DeleteFunc(s.order, func(i *item) bool { return i.unplaced })
	slices.SortFunc(s.unplaced, m.compare)
	merged := make([]*item, 0, len(s.order)+len(s.unplaced))
	rest := s.order
	for _, i := range s.unplaced {
		i.unplaced = false
		at := sort.Search(len(rest), func(n int) bool { return m.compare(rest[n], i) > 0 })
		merged = append(append(merged, rest[:at]...), i)
		rest = rest[at:]
	}
	s.order, s.unplaced = slices.Concat(merged, rest), nil
}

// show finds which rows of a section are shown, as long as the limit allows, and
// returns how many more it does.
func (m *Model) show(s *section, room int) int {
	if room < 0 && m.filter == "" {
		s.shown = s.order
		return room
	}
	shown := make([]*item, 0, len(s.order))
	for _, i := range s.order {
		if room == 0 {
			break
		}
		if room > 0 && !i.gone {
			room--
		}
		if i.matches {
			shown = append(shown, i)
		}
	}
	s.shown = shown
	return room
}
