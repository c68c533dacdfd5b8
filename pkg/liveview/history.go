package liveview

import (
	"fmt"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// change is one event of an object.
type change struct {
	at     time.Time
	event  cache.EventType
	reason cache.Reason
	// old and now are the states of a modification, until lines says what it changed.
	old, now *cache.Row
	lines    []string
	read     bool
	size     int
}

// record is what has happened to one object since the view was opened.
type record struct {
	changes []change
	// dropped counts the changes that were given up for want of room.
	dropped int
	// forgotten says that it is kept, at most, by the page that shows it.
	forgotten bool
}

// history keeps the changes of all objects, the newest of them as far as there is room.
type history struct {
	records map[cache.ObjectKey]*record
	// oldest is whose change is given up next; each change has an entry.
	oldest []*record
	bytes  int
	size   func(*cache.Row) int
}

func newHistory(size func(*cache.Row) int) *history {
	return &history{records: map[cache.ObjectKey]*record{}, size: size}
}

// add keeps an event of an object.
func (h *history) add(event cache.Event) {
	key := event.Key()
	r := h.records[key]
	if r == nil {
		r = &record{}
		h.records[key] = r
	}
	const entry = 200 // of the change itself
	c := change{at: event.Time, event: event.Type, reason: event.Reason, size: entry, read: true}
	if event.Type == cache.Modified && event.Old != nil {
		// The new state is in the cache, or is the old one of the change that follows.
		c.old, c.now, c.read, c.size = event.Old, event.Row, false, entry+h.size(event.Old)
	}
	r.changes = append(r.changes, c)
	h.oldest = append(h.oldest, r)
	h.bytes += c.size
	for h.bytes > maxHistory && len(h.oldest) > 0 {
		h.giveUp()
	}
}

// giveUp drops the oldest change of all.
func (h *history) giveUp() {
	r := h.oldest[0]
	h.oldest[0] = nil
	h.oldest = h.oldest[1:]
	if r.forgotten {
		return
	}
	h.bytes -= r.changes[0].size
	r.changes[0] = change{}
	r.changes = r.changes[1:]
	r.dropped++
}

// forget drops the record of an object that is shown no more. A page that shows it
// still has it.
func (h *history) forget(key cache.ObjectKey) {
	r := h.records[key]
	if r == nil {
		return
	}
	delete(h.records, key)
	for _, c := range r.changes {
		h.bytes -= c.size
	}
	r.forgotten = true
	// Its entries in oldest are passed over when their turn comes; where there are many
	// of those, it is now.
	if len(h.oldest) > 2*len(h.records)+1024 {
		h.compact()
	}
}

// compact drops the entries of records that are forgotten.
func (h *history) compact() {
	kept := h.oldest[:0:0]
	for _, r := range h.oldest {
		if !r.forgotten {
			kept = append(kept, r)
		}
	}
	h.oldest = kept
}

// historyOf are the lines of a record, the newest change last. A modification that means nothing is
// left out.
func (m *Model) historyOf(r *record, target cache.Target) []string {
	var lines []string
	if r == nil {
		r = &record{}
	}
	if r.dropped > 0 {
		lines = append(lines, fmt.Sprintf("(%d earlier changes are not kept any more)", r.dropped))
	}
	for n := range r.changes {
		c := &r.changes[n]
		if !c.read {
			c.lines, c.read = m.o.Changes(target, c.old, c.now), true
			c.old, c.now = nil, nil
		}
		if c.event == cache.Modified && len(c.lines) == 0 { // nothing that means anything
			continue
		}
		line := c.at.Format(clockLayout) + "  " + string(c.event)
		if c.reason != "" {
			line += "  (" + string(c.reason) + ")"
		}
		lines = append(append(lines, line), c.lines...)
	}
	if len(lines) == 0 {
		lines = append(lines, "no change since "+m.o.Opened.Format(clockLayout))
	}
	return lines
}
