package liveview

// layout works out which rows are shown, and keeps the selected one where it is on the
// screen.
func (m *Model) layout() {
	if m.stale {
		m.stale = false
		room := -1
		if m.o.Limit > 0 {
			room = m.o.Limit
		}
		for _, s := range m.sections {
			m.arrange(s)
			room = m.show(s, room)
		}
	}
	onScreen := m.line - m.top
	if line := m.lineOf(m.selected); line >= 0 {
		m.line = line
	} else {
		m.line = m.nearest(min(m.line, m.lines()-1))
		m.selected = m.itemAt(m.line)
	}
	if m.top > 0 {
		m.top = m.line - onScreen
	}
	m.scroll()
}

// scroll has the selected line on the screen, and no more empty lines than it takes.
func (m *Model) scroll() {
	body := m.body()
	m.top = min(max(m.top, m.line-body+1), m.line, max(0, m.lines()-body))
	m.top = max(m.top, 0)
	if m.line == 0 {
		m.top = 0
	}
}

// body is how many lines there are for rows.
func (m *Model) body() int {
	body := m.height - statusLines(m.height)
	if m.headed() {
		body--
	}
	return max(1, body)
}

// headed says whether there is room for a header at the top.
func (m *Model) headed() bool { return m.o.Headers && m.height > statusLines(m.height)+1 }

// lead is how many lines stand in front of the rows of a section that is not the
// first: an empty one and its header.
func (m *Model) lead() int {
	if m.o.Headers {
		return 2
	}
	return 1
}

// each calls what with the shown rows of each section that has any, and the line of
// the first of them, until it returns false.
func (m *Model) each(what func(s *section, first int) bool) {
	line := 0
	for _, s := range m.sections {
		if len(s.shown) == 0 {
			continue
		}
		if line > 0 {
			line += m.lead()
		}
		if !what(s, line) {
			return
		}
		line += len(s.shown)
	}
}

// lines is how many lines all rows take.
func (m *Model) lines() (total int) {
	m.each(func(s *section, first int) bool {
		total = first + len(s.shown)
		return true
	})
	return total
}

// lineOf is the line of a row, -1 if it is not shown; nil is the first.
func (m *Model) lineOf(i *item) int {
	found := -1
	m.each(func(s *section, first int) bool {
		if i == nil {
			found = first
			return false
		}
		if m.byType[i.target.TableResource()] == s {
			for n, other := range s.shown {
				if other == i {
					found = first + n
				}
			}
		}
		return found < 0
	})
	if i == nil && found < 0 {
		return 0
	}
	return found
}

// itemAt is the row in a line; nil if there is none.
func (m *Model) itemAt(line int) (at *item) {
	m.each(func(s *section, first int) bool {
		if line >= first && line < first+len(s.shown) {
			at = s.shown[line-first]
		}
		return at == nil
	})
	return at
}

// nearest is the line with a row that is nearest to a line: between two sections it is
// the one above.
func (m *Model) nearest(line int) int {
	found := 0
	m.each(func(s *section, first int) bool {
		if line >= first {
			found = min(line, first+len(s.shown)-1)
		}
		return line >= first
	})
	return found
}

// sectionAt is the section that a line belongs to: the one whose rows follow, for what
// stands in front of them.
func (m *Model) sectionAt(line int) (at *section) {
	m.each(func(s *section, first int) bool {
		if at == nil || line >= first-1 {
			at = s
		}
		return true
	})
	return at
}

// move moves the selection by so many rows, over what stands between sections.
func (m *Model) move(by int) {
	m.layout()
	line := m.line + by
	if by > 0 && m.itemAt(line) == nil {
		if m.itemAt(line+m.lead()) != nil && by == 1 {
			line += m.lead()
		}
	}
	if by < 0 && m.itemAt(line) == nil && m.itemAt(line-m.lead()) != nil && by == -1 {
		line -= m.lead()
	}
	m.line = m.nearest(max(0, min(line, m.lines()-1)))
	m.selected = m.itemAt(m.line)
	if m.line == 0 {
		m.selected = nil
	}
	m.scroll()
}
