package liveview

import (
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// page is text in place of the table.
type page struct {
	title string
	// lines are worked out whenever the page is drawn.
	lines func() []string
	// shown are those that were drawn last.
	shown     []string
	top, left int
	// atEnd says that the end of the text stays on the screen when there is more.
	atEnd bool
	// marked says that lines begin with marks of what came, went or changed.
	marked bool
}

func (p *page) press(key Key, m *Model) {
	body := m.pageBody()
	last := max(0, len(p.shown)-body)
	switch key {
	case Escape:
		m.page = nil
	case "?":
		m.page = m.helpPage()
	case Up, "k":
		p.top--
	case Down, "j":
		p.top++
	case PageUp:
		p.top -= body
	case PageDown, " ":
		p.top += body
	case Home, "g":
		p.top = 0
	case End, "G":
		p.top = last
	case Left, "h":
		p.left = max(0, p.left-leftStep)
	case Right, "l":
		p.left += leftStep
	default:
		return
	}
	p.top = max(0, min(p.top, last))
	p.atEnd = p.top == last
}

// pageBody is how many lines of a page there are below its title.
func (m *Model) pageBody() int { return max(0, m.height-1-statusLines(m.height)) }

// refresh works out the lines of a page.
func (p *page) refresh(body int) {
	p.shown = p.lines()
	last := max(0, len(p.shown)-body)
	if p.atEnd {
		p.top = last
	}
	p.top = max(0, min(p.top, last))
}

// current is the row that keys act on; nil if there is none.
func (m *Model) current() *item {
	m.layout()
	return m.itemAt(m.line)
}

func (m *Model) openChanges() {
	i := m.current()
	if i == nil {
		return
	}
	key := cache.ObjectKey{Target: i.target, Identity: i.row.Identity()}
	r := m.history.records[key]
	m.page = &page{title: "Changes of " + m.nameOf(i) + " since " + m.o.Opened.Format(time.DateTime), atEnd: true, marked: true, lines: func() []string {
		if r == nil {
			r = m.history.records[key] // its first change may be yet to come
		}
		return m.historyOf(r, i.target)
	}}
}

func (m *Model) openYAML(now time.Time) {
	i := m.current()
	if i == nil {
		return
	}
	if m.o.YAML == nil {
		m.Notice("counts have no YAML: a line stands for several objects", now)
		return
	}
	var printed *cache.Row
	var lines []string
	m.page = &page{title: "YAML of " + m.nameOf(i), lines: func() []string {
		if i.row == printed {
			return lines
		}
		printed = i.row
		text, err := m.o.YAML(i.row)
		if err != nil {
			text = "error: " + err.Error()
		}
		lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
		for n := range lines {
			lines[n] = display.Escape(lines[n], "")
		}
		return lines
	}}
}

// nameOf names a row for a title.
func (m *Model) nameOf(i *item) string {
	name := i.row.Name
	if m.o.YAML != nil {
		name = i.target.Resource.GroupResource().String() + "/" + name
	}
	if i.row.Namespace != "" {
		name += " in namespace " + i.row.Namespace
	}
	return display.Escape(name+i.target.InContext(), "")
}

func (m *Model) helpPage() *page {
	text := strings.Split(helpText, "\n")
	return &page{title: "Keys", lines: func() []string { return text }}
}

// helpText says what keys do; docs/live.md has the same.
const helpText = `q           end
Up, k       select the row above
Down, j     select the row below
PgUp, PgDn  move by a screen; Space is PgDn
g, G        select the first row, the last row; also Home, End
Left, h     move the view to the left
Right, l    move the view to the right
/           show only the rows that contain a text; Enter keeps it, Esc ends it
s           sort by the next column, behind the last one as asked for
S           reverse the order
p           pause: hold the view still, and go on
Enter       the changes of the selected object since the view was opened
y           the selected object as YAML
Esc         back to the table; in the table, end the filter
Ctrl-L      draw the screen anew
Ctrl-Z      suspend; fg returns
Ctrl-C      end, with exit code 130

Marks: + added, ~ changed, - deleted. The row marked > is selected.`

// styleOf is the style of a line of a page: what came, went or changed has a mark.
func styleOf(line string) Style {
	text := strings.TrimLeft(line, " ")
	if text == line {
		return Plain
	}
	switch {
	case strings.HasPrefix(text, "+ "):
		return Added
	case strings.HasPrefix(text, "- "):
		return Deleted
	case strings.HasPrefix(text, "~ "):
		return Changed
	}
	return Plain
}
