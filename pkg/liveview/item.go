package liveview

import (
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// item is one row of a table.
type item struct {
	target cache.Target
	row    *cache.Row
	// before is the state that a change began with which nobody has looked at: whether
	// it is marked is worked out once the row is on the screen.
	before *cache.Row
	// key is what it is sorted by.
	key any
	// mark is of what has happened, until the end of its time.
	mark  Style
	until time.Time
	// gone says that it has been deleted, dropped that it is shown no more, matches that
	// it has what is filtered by.
	gone, dropped, matches bool
	// unplaced says that its place in the order is to be found.
	unplaced bool
}

// symbol is the mark as a character: colours alone are not told apart by everybody.
func (i *item) symbol() string {
	switch i.mark {
	case Added:
		return "+"
	case Changed:
		return "~"
	case Deleted:
		return "-"
	}
	return " "
}

// expiry is the end of the time of an item's mark.
type expiry struct {
	item *item
	at   time.Time
}

// marked has an item marked, or looked at, until its time is over.
func (m *Model) marked(i *item, mark Style, now time.Time) {
	i.mark, i.until = mark, now.Add(markTime)
	m.expiries = append(m.expiries, expiry{i, i.until})
}

// expire ends the marks whose time is over, and with them the deleted rows.
func (m *Model) expire(now time.Time) {
	dropped := false
	for len(m.expiries) > 0 && !m.expiries[0].at.After(now) {
		i := m.expiries[0].item
		m.expiries = m.expiries[1:]
		if i.until.After(now) {
			continue // it has been marked again
		}
		i.mark, i.before = Plain, nil
		if i.gone && !i.dropped {
			m.drop(i)
			dropped = true
		}
	}
	if dropped {
		m.sweep()
	}
}
