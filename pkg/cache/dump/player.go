package dump

import (
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump/tables"
)

// Played is a Target that a record is played for.
type Played struct {
	Target cache.Target
	Form   cache.Representation
	// Transform is applied to each row, as a guard does.
	Transform func(*cache.Row)
}

// Player gives the events of a record one after the other, as the informers of some
// Targets would have reported them. It is for one goroutine.
type Player struct {
	record  *Record
	targets []*playedTarget
	// next is the event of the record that comes next.
	next    int
	waiting []cache.Event
	now     time.Time
	// known are the objects that the record has had so far.
	known map[name]bool
}

// playedTarget is what one Target's informer would know.
type playedTarget struct {
	Played
	*listerWatcher
	labels    labels.Selector
	fields    *fieldSelector
	generator *generator
	// selected are the objects in the Target as they were last.
	selected map[name]*cache.Row
	// marks is how many SYNCED are to come before all initial objects have.
	marks  int
	synced bool
}

// Play plays the record for Targets. d is the Dump of the whole record. A selector that
// cannot be applied is an error.
func (r *Record) Play(d *Dump, targets ...Played) (*Player, error) {
	p := &Player{record: r, known: map[name]bool{}}
	for _, played := range targets {
		t := &playedTarget{
			Played: played, listerWatcher: &listerWatcher{dump: d, target: played.Target, form: played.Form},
			selected: map[name]*cache.Row{},
		}
		var err error
		if t.labels, err = labels.Parse(played.Target.LabelSelector); err != nil {
			return nil, err
		}
		version := versionOf(d.definitions, played.Target.Kind)
		if t.fields, err = newFieldSelector(played.Target, version); err != nil {
			return nil, err
		}
		columns := plainColumns()
		if played.Form.Has(cache.Cells) {
			columns = generatorOf(played.Target.Kind, version)
		}
		t.generator = &columns
		for _, e := range r.events {
			if e.kind == cache.Synced && t.isMarkedBy(e) {
				t.marks++
			}
		}
		p.targets = append(p.targets, t)
	}
	return p, nil
}

// Peek returns the next event; ok is false at the end of the record. Where the record
// does not have its time, that is the newest in the objects so far.
func (p *Player) Peek() (event cache.Event, ok bool) {
	for len(p.waiting) == 0 && p.next < len(p.record.events) {
		e := p.record.events[p.next]
		p.next++
		p.now = p.record.moment(p.now, e)
		p.play(e)
	}
	if len(p.waiting) == 0 {
		p.finish()
	}
	if len(p.waiting) == 0 {
		return cache.Event{}, false
	}
	return p.waiting[0], true
}

// Take takes away what Peek has returned.
func (p *Player) Take() { p.waiting = p.waiting[1:] }

// play has waiting what an event of the record is to each Target.
func (p *Player) play(e recorded) {
	for _, t := range p.targets {
		switch {
		case t.Target.Kind != e.of:
		case e.kind != cache.Synced:
			p.change(t, e)
		case t.isMarkedBy(e):
			if t.marks--; t.marks == 0 {
				p.sync(t, p.timeOf(e))
			}
		}
	}
	if e.object != nil {
		p.known[e.object.id()] = true
	}
}

// finish ends the initial objects of a record without marks.
func (p *Player) finish() {
	for _, t := range p.targets {
		if !p.record.marked && !t.synced {
			p.sync(t, p.now)
		}
	}
}

func (p *Player) sync(t *playedTarget, at time.Time) {
	t.synced = true
	p.waiting = append(p.waiting, cache.Event{Type: cache.Synced, Target: t.Target, Time: at})
}

// timeOf is the time of the event that is played.
func (p *Player) timeOf(e recorded) time.Time {
	if p.record.timed {
		return e.time
	}
	return p.now
}

// change has waiting what a change of an object is to a Target. What leaves a selector
// is deleted, and what enters it is added, as by a server.
func (p *Player) change(t *playedTarget, e recorded) {
	if !e.initial && !p.record.marked && !t.synced {
		p.sync(t, p.timeOf(e)) // the first event after the initial ones
	}
	if !t.isInTarget(e.object) {
		return
	}
	id := e.object.id()
	before, was := t.selected[id]
	row, is := t.picked(e.object, p.now)
	event := cache.Event{
		Type: e.kind, Target: t.Target, Row: row, Initial: e.initial,
		FinalStateUnknown: e.finalStateUnknown, Reason: e.reason, Time: p.timeOf(e),
	}
	switch {
	case !is && !was:
		return
	case !is || e.kind == cache.Deleted:
		if !was && p.known[id] {
			return // it was there, and not in the selection
		}
		event.Type = cache.Deleted
		delete(t.selected, id)
	case e.kind == cache.Modified && !was && p.known[id]:
		event.Type = cache.Added
		t.selected[id] = row
	default:
		if e.kind == cache.Modified {
			event.Old = t.old(before, e, p.now)
		}
		t.selected[id] = row
	}
	p.waiting = append(p.waiting, event)
}

// old is the state before an update: as it came, else as the event itself has it.
func (t *playedTarget) old(before *cache.Row, e recorded, now time.Time) *cache.Row {
	if before == nil && e.old != nil {
		return t.rowAt(e.old, now)
	}
	return before
}

// isMarkedBy says whether a SYNCED is about objects of the Target.
func (t *playedTarget) isMarkedBy(e recorded) bool {
	return t.Target.Kind == e.of && (e.namespace == "" || t.Target.Namespace == "" || t.Target.Namespace == e.namespace)
}

// picked makes a row of an object, and says whether the Target's selectors select it.
func (t *playedTarget) picked(o *object, now time.Time) (row *cache.Row, selected bool) {
	row = t.rowAt(o, now)
	return row, t.labels.Matches(labels.Set(row.Labels)) && t.fields.matches(o) && t.Target.Shard.Holds(row)
}

// rowAt is a row as it enters a cache, with cells as of a time.
func (t *playedTarget) rowAt(o *object, now time.Time) *cache.Row {
	row := t.row(o)
	t.generator.fill([]*cache.Row{row}, []*object{o}, tables.Question{Now: now, Named: t.Target.Name != ""})
	t.Transform(row)
	return row
}
