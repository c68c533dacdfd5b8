package liveview

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Model is what is on the screen, and what has to be known to change it.
type Model struct {
	o Options
	// items are the rows of each Target, by identity.
	items    map[cache.Target]map[cache.Identity]*item
	sections []*section
	byType   map[schema.GroupVersionResource]*section
	// contexts are the places of the clusters, of several that are asked.
	contexts map[string]int
	history  *history
	expiries []expiry
	// stale says that what is shown has to be worked out anew.
	stale bool
	rows  int

	view
	held    *held
	sorting sorting
	filter  string
	prompt  bool
	page    *page

	notice      string
	noticeUntil time.Time
	offline     bool
}

// view is which part of the rows is on the screen.
type view struct {
	width, height int
	// selected is the row that keys act on; nil is the first, whichever that is.
	selected *item
	// line is where it was found last, top the first line that is visible, and left
	// how many columns are scrolled out.
	line, top, left int
}

// New returns a Model without rows.
func New(o Options) *Model {
	m := &Model{
		o: o, items: map[cache.Target]map[cache.Identity]*item{}, byType: map[schema.GroupVersionResource]*section{},
		contexts: map[string]int{}, history: newHistory(o.Size), view: view{width: 80, height: 24},
	}
	for n, target := range o.Targets {
		if _, known := m.contexts[target.Context]; !known {
			m.contexts[target.Context] = n
		}
		if of := target.TableResource(); m.byType[of] == nil {
			s := &section{}
			m.byType[of], m.sections = s, append(m.sections, s)
		}
	}
	return m
}

// Resize takes the size of the screen.
func (m *Model) Resize(width, height int) { m.width, m.height = width, height }

// Apply takes an event of an object; others mean nothing to it. While the view is
// paused the event waits, but for the history.
func (m *Model) Apply(event cache.Event) {
	if event.Row == nil || event.Type == cache.Resync {
		return
	}
	if !event.Initial {
		m.history.add(event)
	}
	if m.held != nil {
		m.held.add(event)
		return
	}
	m.apply(event)
}

func (m *Model) apply(event cache.Event) {
	s := m.byType[event.Target.TableResource()]
	if s == nil {
		return
	}
	identity := event.Row.Identity()
	i := m.items[event.Target][identity]
	switch {
	case event.Type == cache.Deleted && i == nil:
		m.history.forget(event.Key())
		return
	case event.Type == cache.Deleted:
		if !i.gone {
			m.rows--
		}
		i.row, i.before, i.gone = event.Row, nil, true
		m.marked(i, Deleted, event.Time)
		m.stale = true
		return
	case i == nil:
		i = m.insert(event)
	case i.gone:
		i.gone = false
		m.rows++
		m.marked(i, Added, event.Time)
	case i.mark != Added:
		m.changed(i, event)
	}
	i.row = event.Row
	m.touch(s, i, event.Time)
}

func (m *Model) insert(event cache.Event) *item {
	i := &item{target: event.Target, row: event.Row}
	if m.items[event.Target] == nil {
		m.items[event.Target] = map[cache.Identity]*item{}
	}
	m.items[event.Target][event.Row.Identity()] = i
	m.rows++
	if !event.Initial {
		m.marked(i, Added, event.Time)
	}
	return i
}

// changed remembers which state a change began with.
func (m *Model) changed(i *item, event cache.Event) {
	if i.before == nil {
		i.before = i.row
	}
	m.marked(i, i.mark, event.Time)
}

// drop takes out a row that has been deleted.
func (m *Model) drop(i *item) {
	if m.selected == i {
		m.selected = m.neighbour()
	}
	i.dropped = true
	delete(m.items[i.target], i.row.Identity())
	m.history.forget(cache.ObjectKey{Target: i.target, Identity: i.row.Identity()})
}

// sweep takes the dropped rows out of the order.
func (m *Model) sweep() {
	dropped := func(i *item) bool { return i.dropped }
	for _, s := range m.sections {
		s.order, s.unplaced = slices.DeleteFunc(s.order, dropped), slices.DeleteFunc(s.unplaced, dropped)
	}
	m.stale = true
}

// neighbour is the row that is selected in place of one that goes: the next that stays,
// or the one before.
func (m *Model) neighbour() *item {
	for line := m.line + 1; line < m.lines(); line++ {
		if next := m.itemAt(line); next != nil && !next.gone {
			return next
		}
	}
	return m.itemAt(m.line - 1)
}

// Notice shows news for a while.
func (m *Model) Notice(text string, now time.Time) {
	m.notice, m.noticeUntil = text, now.Add(noticeTime)
}

// Offline says whether a connection is lost: news of it stay until it is back.
func (m *Model) Offline(is bool) { m.offline = is }

// Tick lets time pass.
func (m *Model) Tick(now time.Time) {
	if m.held == nil {
		m.expire(now)
	}
	if !m.offline && now.After(m.noticeUntil) {
		m.notice = ""
	}
}

// resort works out anew what all rows are sorted by and whether they match.
func (m *Model) resort(now time.Time) {
	for _, s := range m.sections {
		all := slices.Concat(s.order, s.unplaced)
		s.order, s.unplaced = nil, nil
		for _, i := range all {
			i.unplaced, i.key = false, nil
		}
		for _, i := range all {
			if i.key == nil {
				m.touch(s, i, now)
			}
		}
	}
	m.stale = true
}

// held are the events that wait while the view is paused: what is left of those of
// each object.
type held struct {
	events map[cache.ObjectKey][]cache.Event
	order  []cache.ObjectKey
}

func (h *held) add(event cache.Event) {
	key := event.Key()
	waiting, known := h.events[key]
	if !known {
		h.order = append(h.order, key)
	}
	if last := len(waiting) - 1; last >= 0 {
		h.events[key] = append(waiting[:last], cache.Coalesce(waiting[last], event)...)
		return
	}
	h.events[key] = append(waiting, event)
}

// pause holds the view still, or lets it go on.
func (m *Model) pause(now time.Time) {
	if m.held == nil {
		m.held = &held{events: map[cache.ObjectKey][]cache.Event{}}
		return
	}
	waiting := m.held
	m.held = nil
	for _, key := range waiting.order {
		if len(waiting.events[key]) == 0 {
			m.history.forget(key) // it has come and gone
		}
		for _, event := range waiting.events[key] {
			event.Time = now // it is seen now, and marked from now on
			m.apply(event)
		}
	}
}
