package liveview

import (
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

const (
	// gap is between two columns, as in kubectl's tables.
	gap = "   "
	// gutter is in front of a row: which is selected, and what has happened to it.
	gutter = 3
)

// statusLines is how many lines of a screen say what is shown, and what keys do.
func statusLines(height int) int { return max(0, min(2, height-2)) }

// Draw draws all that is visible. The Canvas is empty.
func (m *Model) Draw(c Canvas, now time.Time) {
	m.Resize(c.Size())
	m.layout()
	if m.page != nil {
		m.drawPage(c)
	} else {
		m.drawTable(c, now)
	}
	m.drawStatus(c)
}

func (m *Model) drawPage(c Canvas) {
	body := m.pageBody()
	m.page.refresh(body)
	c.Put(0, 0, padded(clipped(m.page.title, m.width), m.width), Heading)
	for n, line := range m.page.shown[m.page.top:min(len(m.page.shown), m.page.top+body)] {
		style := Plain
		if m.page.marked {
			style = styleOf(line)
		}
		c.Put(0, 1+n, clipped(scrolled(line, m.page.left), m.width), style)
	}
}

func (m *Model) drawTable(c Canvas, now time.Time) {
	first := 0
	if at := m.sectionAt(m.top); at != nil && m.headed() {
		m.drawHeader(c, at, 0)
		first = 1
	}
	if m.lines() == 0 {
		c.Put(0, 0, clipped(m.nothing(), m.width), Dim)
		return
	}
	most := m.most()
	m.each(func(s *section, line int) bool {
		if header := line - 1 - m.top; line > 0 && m.o.Headers && header > 0 && header < m.body() {
			m.drawHeader(c, s, first+header)
		}
		from, to := max(0, m.top-line), min(len(s.shown), m.top+m.body()-line)
		for n := from; n < to; n++ {
			m.drawRow(c, s, s.shown[n], first+line+n-m.top, line+n == m.line, most, now)
		}
		return line < m.top+m.body()
	})
}

func (m *Model) nothing() string {
	if m.filter != "" && m.rows > 0 {
		return fmt.Sprintf("No %s contains %q.", m.o.Noun, m.filter)
	}
	return m.o.Nothing
}

func (m *Model) drawHeader(c Canvas, s *section, y int) {
	names := make([]string, len(s.columns))
	for n, column := range s.columns {
		names[n] = column.Name
		if column.Name == m.sorting.column {
			arrow := ascending
			if m.sorting.descending {
				arrow = descending
			}
			names[n] += arrow
		}
	}
	c.Put(0, y, padded("", m.width), Heading)
	c.Put(gutter, y, clipped(scrolled(s.line(names), m.left), m.width-gutter), Heading)
}

// line lays out the cells of one line.
func (s *section) line(cells []string) string {
	var line strings.Builder
	for n, cell := range cells {
		if n == len(cells)-1 || n >= len(s.widths) {
			line.WriteString(cell)
			continue
		}
		// The arrow of a header may stand in the gap.
		line.WriteString(padded(cell, s.widths[n]) + gap[:len(gap)-max(0, min(width(cell)-s.widths[n], len(gap)))])
	}
	return line.String()
}

func (m *Model) drawRow(c Canvas, s *section, i *item, y int, selected bool, most int, now time.Time) {
	m.look(i)
	style, cursor := i.mark, " "
	if selected {
		style, cursor = style|Selected, ">"
		c.Put(0, y, padded("", m.width), style)
	}
	c.Put(0, y, clipped(cursor+i.symbol()+" ", m.width), style)
	line := s.line(m.cells(s, i, now))
	if m.o.Count != nil {
		line = padded(line, s.total()) + gap
	}
	line = clipped(scrolled(line, m.left), m.width-gutter)
	c.Put(gutter, y, line, style)
	if m.o.Count != nil && !i.gone {
		at := gutter + width(line)
		c.Put(at, y, bar(m.o.Count(i.row), most, m.width-at), Bar|style&Selected)
	}
}

// look works out whether a change that nobody has looked at is one to be marked.
func (m *Model) look(i *item) {
	if i.before == nil {
		return
	}
	if i.mark == Plain && m.o.IsChange(i.target, i.before, i.row) {
		i.mark = Changed
	}
	i.before = nil
}

// total is how many columns the cells of a line take.
func (s *section) total() int {
	total := (len(s.widths) - 1) * len(gap)
	for _, width := range s.widths {
		total += width
	}
	return total
}

// most is the greatest count that is shown.
func (m *Model) most() (most int) {
	if m.o.Count == nil {
		return 0
	}
	m.each(func(s *section, _ int) bool {
		for _, i := range s.shown {
			if !i.gone {
				most = max(most, m.o.Count(i.row))
			}
		}
		return true
	})
	return most
}

// bar is as long as its part of what is most. What is there at all is seen.
func bar(count, most, room int) string {
	if count <= 0 || most <= 0 || room <= 0 {
		return ""
	}
	return strings.Repeat("█", max(1, count*room/most))
}

// drawStatus draws the lines below: what is shown, and news, or what is typed.
func (m *Model) drawStatus(c Canvas) {
	lines := statusLines(m.height)
	if lines == 0 {
		return
	}
	y := m.height - lines
	c.Put(0, y, padded(clipped(" "+m.summary(), m.width), m.width), Status)
	if lines < 2 {
		return
	}
	y++
	switch {
	case m.prompt:
		typed := "/" + display.Escape(m.filter, "")
		typed = scrolled(typed, max(0, width(typed)-m.width+1))
		c.Put(0, y, typed, Plain)
		c.Cursor(width(typed), y)
	case m.notice != "" && m.offline:
		c.Put(0, y, clipped("! "+m.notice, m.width), Alert)
	case m.notice != "":
		c.Put(0, y, clipped(m.notice, m.width), Notice)
	case m.page != nil:
		c.Put(0, y, clipped("Esc back  ? help  q end", m.width), Dim)
	default:
		c.Put(0, y, clipped("/ filter  s sort  p pause  Enter changes  y YAML  ? help  q end", m.width), Dim)
	}
}

// summary says how many rows there are, and why not others, or otherwise.
func (m *Model) summary() string {
	shown := 0
	m.each(func(s *section, _ int) bool {
		for _, i := range s.shown {
			if !i.gone {
				shown++
			}
		}
		return true
	})
	nouns := m.o.Nouns
	if m.rows == 1 {
		nouns = m.o.Noun
	}
	parts := []string{fmt.Sprintf("%d %s", m.rows, nouns)}
	if shown != m.rows {
		parts[0] = fmt.Sprintf("%d of %d %s", shown, m.rows, nouns)
	}
	if m.filter != "" {
		parts = append(parts, "filter: "+display.Escape(m.filter, ""))
	}
	if sorted := m.sorting.String(); sorted != "" {
		parts = append(parts, sorted)
	}
	if m.held != nil {
		parts = append(parts, fmt.Sprintf("PAUSED, changes of %d %s wait", len(m.held.order), m.o.Nouns))
	}
	if m.offline {
		parts = append(parts, "OFFLINE")
	}
	return strings.Join(parts, "   ")
}
