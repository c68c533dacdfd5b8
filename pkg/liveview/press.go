package liveview

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Key is a key that is pressed: a character as it is, or one of the names below.
type Key string

const (
	Enter     Key = "Enter"
	Escape    Key = "Esc"
	Backspace Key = "Backspace"
	Up        Key = "Up"
	Down      Key = "Down"
	Left      Key = "Left"
	Right     Key = "Right"
	PageUp    Key = "PgUp"
	PageDown  Key = "PgDn"
	Home      Key = "Home"
	End       Key = "End"
	CtrlC     Key = "Ctrl-C"
	CtrlU     Key = "Ctrl-U"
	CtrlZ     Key = "Ctrl-Z"
	CtrlL     Key = "Ctrl-L"
)

// Action is what a key asks of whoever runs the view.
type Action int

const (
	// Stay asks nothing.
	Stay Action = iota
	// Quit ends the view, with success; Interrupt as a signal does.
	Quit
	Interrupt
	// Suspend stops the process, until the shell lets it go on.
	Suspend
	// Redraw draws the whole screen anew, whatever something else has done to it.
	Redraw
)

// leftStep is how many columns the view moves to the side at once.
const leftStep = 8

// Press takes a key.
func (m *Model) Press(key Key, now time.Time) Action {
	switch key {
	case CtrlC:
		return Interrupt
	case CtrlZ:
		return Suspend
	case CtrlL:
		return Redraw
	}
	switch {
	case m.prompt:
		m.typed(key, now)
		return Stay
	case key == "q":
		return Quit
	case m.page != nil:
		m.page.press(key, m)
		return Stay
	}
	if !m.moved(key) {
		m.command(key, now)
	}
	return Stay
}

// moved takes a key that moves the selection or the view.
func (m *Model) moved(key Key) bool {
	switch key {
	case Up, "k":
		m.move(-1)
	case Down, "j":
		m.move(1)
	case PageUp:
		m.move(-m.body())
	case PageDown, " ":
		m.move(m.body())
	case Home, "g":
		m.move(-m.lines())
	case End, "G":
		m.move(m.lines())
	case Left, "h":
		m.left = max(0, m.left-leftStep)
	case Right, "l":
		m.left += leftStep
	default:
		return false
	}
	return true
}

// command takes a key that does anything else.
func (m *Model) command(key Key, now time.Time) {
	switch key {
	case "/":
		m.prompt = true
	case Escape:
		m.setFilter("", now)
	case "s":
		m.nextSorting(now)
	case "S":
		m.sorting.descending = m.sorting.column != "" && !m.sorting.descending
		m.resort(now)
	case "p":
		m.pause(now)
	case "?":
		m.page = m.helpPage()
	case Enter:
		m.openChanges()
	case "y":
		m.openYAML(now)
	}
}

// typed takes a key while a filter is typed. What is typed counts at once.
func (m *Model) typed(key Key, now time.Time) {
	switch key {
	case Enter:
		m.prompt = false
	case Escape:
		m.prompt = false
		m.setFilter("", now)
	case CtrlU:
		m.setFilter("", now)
	case Backspace:
		if m.filter == "" {
			m.prompt = false
		}
		m.setFilter(withoutLast(m.filter), now)
	default:
		if utf8.RuneCountInString(string(key)) == 1 {
			m.setFilter(m.filter+string(key), now)
		}
	}
}

func (m *Model) setFilter(filter string, now time.Time) {
	if filter != m.filter {
		m.filter = filter
		m.resort(now)
	}
}

// nextSorting sorts by the next column of the table that the selected row is in, and
// behind the last of them in the order that was asked for again.
func (m *Model) nextSorting(now time.Time) {
	m.layout()
	s := m.sectionAt(m.line)
	if s == nil {
		return
	}
	next := 0
	for n, column := range s.columns {
		if column.Name == m.sorting.column {
			next = n + 1
		}
	}
	m.sorting = sorting{}
	if next < len(s.columns) {
		m.sorting.column = s.columns[next].Name
	}
	m.resort(now)
}

// sortedBy says in words how rows are sorted.
func (s sorting) String() string {
	switch {
	case s.column == "":
		return ""
	case s.descending:
		return "sorted by " + strings.ToLower(s.column) + ", descending"
	}
	return "sorted by " + strings.ToLower(s.column)
}
