package match

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Tally keeps count, over a live set of objects, of which meet a Condition, and
// says whether as many do as a Quantifier asks for. It is told of every object
// once, then of every change; each costs the same, however many there are. It
// belongs to one goroutine.
type Tally struct {
	condition  *Condition
	quantifier Quantifier
	members    map[identity]*member
	met        int
	// gone are the objects that met the condition by being deleted.
	gone []*cache.Row
	lost *cache.Row
	// due says when members are to be judged again, since time has passed.
	due *cache.Schedule[identity]
}

// identity is an object, in whatever version it comes. Names that were asked for
// have no uid: whatever has the name is meant.
type identity struct {
	kind schema.GroupKind
	cache.Identity
}

// member is one object of the set, or a name that was asked for.
type member struct {
	// row is the object's last known state; nil before it was seen.
	// It is nil again after a deletion that was not asked for.
	row *cache.Row
	verdict
	// named was asked for by name: it stays in the set without an object.
	named bool
	// ready says that all but deletion has been met at some time: to wait for
	// a Job to complete and to be deleted is to wait for one after the other.
	ready bool
	// settled was deleted as asked: a new object of that name is another one.
	settled bool
}

// NewTally starts with an empty set.
func NewTally(condition *Condition, quantifier Quantifier) *Tally {
	return &Tally{condition: condition, quantifier: quantifier, members: map[identity]*member{}, due: cache.NewSchedule[identity]()}
}

// Expect puts a named target into the set before there is an object of that
// name. A target without a name is the set itself, and changes nothing.
func (t *Tally) Expect(target cache.Target) {
	if target.Name == "" {
		return
	}
	asked := types.NamespacedName{Namespace: target.Namespace, Name: target.Name}
	id := identity{target.Kind.GroupKind(), cache.Identity{NamespacedName: asked}}
	if t.members[id] == nil {
		m := &member{named: true}
		t.members[id] = m
		t.judge(m, t.absence("not found"))
	}
}

// Upsert tells of an object that is new or has changed; old is its state before,
// nil where there is none. An error is Condition.Check's, and ends the wait.
func (t *Tally) Upsert(ctx context.Context, now, old *cache.Row) error {
	v, err := t.condition.judge(ctx, now, old, time.Now())
	if err != nil {
		return err
	}
	id, m := t.find(now)
	if m == nil {
		m = &member{}
		t.members[id] = m
	}
	if m.settled {
		return nil
	}
	m.row = now
	m.ready = m.ready || v.deletable
	t.due.Set(id, v.next)
	t.judge(m, v)
	return nil
}

// Next is when Pass has something to do; zero is never.
func (t *Tally) Next() time.Time { return t.due.Next() }

// Pass judges again the objects whose answer may be another one since time has
// passed. An error is Condition.Check's, and ends the wait.
func (t *Tally) Pass(ctx context.Context) error {
	now := time.Now()
	for _, id := range t.due.Due(now) {
		m := t.members[id]
		if m == nil || m.row == nil || m.settled {
			continue
		}
		v, err := t.condition.judge(ctx, m.row, nil, now)
		if err != nil {
			return err
		}
		t.due.Set(id, v.next)
		t.judge(m, v)
	}
	return nil
}

// Delete tells of an object that exists no more; row is its last known state.
func (t *Tally) Delete(row *cache.Row) {
	id, m := t.find(row)
	if m == nil || m.row == nil || m.settled {
		return
	}
	asked := t.condition.awaitsDeletion() && m.ready
	if !m.named {
		t.judge(m, verdict{})
		delete(t.members, id)
		if asked {
			t.gone = append(t.gone, row)
		}
		return
	}
	t.judge(m, verdict{met: asked, why: "deleted"})
	if m.settled = asked; asked {
		return
	}
	m.row, m.ready = nil, false
	if t.lost == nil && !t.quantifier.counted && t.condition.asksState() {
		t.lost = row
	}
}

// absence is the verdict on a name without an object.
func (t *Tally) absence(why string) verdict {
	return verdict{met: t.condition.awaitsDeletion(), why: why}
}

func (t *Tally) judge(m *member, v verdict) {
	if m.met {
		t.met--
	}
	if v.met {
		t.met++
	}
	m.verdict = v
}

// Met says whether the wait is over. It must not be asked before every object
// that exists has been told.
func (t *Tally) Met() bool {
	met, total := t.counts()
	return t.quantifier.holds(met, total) || total == 0 && !t.quantifier.counted && t.condition.awaitsDeletion()
}

// Lost returns a named object that was deleted while something else was waited
// for, of all objects; nil where there is none. Such a wait is over, unmet.
func (t *Tally) Lost() *cache.Row { return t.lost }

func (t *Tally) counts() (met, total int) {
	return t.met + len(t.gone), len(t.members) + len(t.gone)
}

// find returns the member that an object is, and what it is known as; nil where it is
// none yet. A name that was asked for is the first object that has it, and while that
// one lives the others of the same name are members of their own.
func (t *Tally) find(row *cache.Row) (identity, *member) {
	id := identityOf(row)
	asked := identity{id.kind, cache.Identity{NamespacedName: id.NamespacedName}}
	if m := t.members[id]; m != nil {
		return id, m
	}
	if m := t.members[asked]; m != nil && m.named && (m.row == nil || m.row.Identity() == id.Identity || m.settled) {
		return asked, m
	}
	return id, nil
}

func identityOf(row *cache.Row) identity {
	return identity{row.GroupVersionKind().GroupKind(), row.Identity()}
}
