package match

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Tally keeps count, over a live set of objects, of which meet a Condition, and
// says whether as many do as a Quantifier asks for. It learns of every object
// once, then of every change; each costs the same, however many there are. It
// belongs to one goroutine.
type Tally struct {
	condition  *Condition
	quantifier Quantifier
	// failing is what ends the wait as soon as one object meets it.
	failing *Condition
	failed  *FailedError
	members map[identity]*member
	met     int
	// gone are the objects that met the condition by being deleted.
	gone []Met
	lost *cache.Row
	// due says when members are to be judged again, since time has passed.
	due *cache.Schedule[identity]
	// now is the clock.
	now func() time.Time
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
	// asked is the Target that asked for it by name: it stays in the set without an
	// object. It is nil for the others.
	asked *cache.Target
	// seen says that there has been an object of that name; narrowed, that one which
	// was not seen may be there.
	seen, narrowed bool
	// before are the terms that were met when all but deletion was: to wait for
	// a Job to complete and to be deleted is to wait for one after the other.
	before []finding
	// settled was deleted as asked: a new object of that name is another one.
	settled bool
}

// NewTally starts with an empty set. failing is what no object may ever meet; nil is
// nothing.
func NewTally(condition *Condition, quantifier Quantifier, failing *Condition, now func() time.Time) *Tally {
	if failing == nil {
		failing = &Condition{flag: failForFlag, anyOf: true}
	}
	return &Tally{
		condition: condition, quantifier: quantifier, failing: failing,
		members: map[identity]*member{}, due: cache.NewSchedule[identity](), now: now,
	}
}

// Expect puts a named target into the set before there is an object of that
// name. A target without a name is the set itself, and changes nothing. narrowed says
// that an object of that name may be there and yet not belong to the set.
func (t *Tally) Expect(target cache.Target, narrowed bool) {
	if id, named := expected(target); named && t.members[id] == nil {
		m := &member{asked: &target, narrowed: narrowed}
		t.members[id] = m
		// That there is nothing is what all wait for who wait for deletion; to count
		// deletions is to have seen them.
		t.judge(m, verdict{met: t.condition.AwaitsDeletion() && !t.quantifier.counted})
	}
}

func expected(target cache.Target) (id identity, named bool) {
	asked := types.NamespacedName{Namespace: target.Namespace, Name: target.Name}
	return identity{target.Kind.GroupKind(), cache.Identity{NamespacedName: asked, Context: target.Context}}, target.Name != ""
}

// Forget takes what a Target stands for out of the set: nothing is known of it any more.
func (t *Tally) Forget(target cache.Target) {
	id, named := expected(target)
	for of, m := range t.members {
		if of.kind == id.kind && of.Context == id.Context && (named && of.NamespacedName == id.NamespacedName ||
			!named && (id.Namespace == "" || of.Namespace == id.Namespace) && m.asked == nil) {
			t.judge(m, verdict{})
			delete(t.members, of)
		}
	}
}

// Upsert takes an object that is new or has changed; old is its state before,
// nil where there is none. An error is that of judging a condition, and ends the wait.
func (t *Tally) Upsert(ctx context.Context, now, old *cache.Row) error {
	id, m := t.find(now)
	if m != nil && m.settled {
		return nil
	}
	if m == nil {
		m = &member{}
	}
	if err := t.ask(ctx, id, m, now, old); err != nil {
		return err
	}
	t.members[id] = m
	return nil
}

// ask asks an object for the condition, and whether it has failed.
func (t *Tally) ask(ctx context.Context, id identity, m *member, now, old *cache.Row) error {
	at := t.now()
	v, err := t.condition.judge(ctx, now, old, at)
	if err != nil {
		return err
	}
	failing, err := t.askFailing(ctx, now, old, at)
	if err != nil {
		return err
	}
	m.row, m.seen = now, true
	if v.deletable {
		m.before = v.found
	}
	// Whoever counts may do without this object, and once all but its deletion was met
	// it may end as it likes.
	if v.failure != nil && !t.quantifier.counted && m.before == nil {
		t.fail(now, "has failed "+t.condition.flag+"="+v.failure.given, v.failure.full())
	}
	t.due.Set(id, earlier(v.next, failing))
	t.judge(m, v)
	return nil
}

// askFailing asks an object for what it may not meet, and says when that may be
// another answer by time alone.
func (t *Tally) askFailing(ctx context.Context, now, old *cache.Row, at time.Time) (next time.Time, err error) {
	v, err := t.failing.judge(ctx, now, old, at)
	if err == nil && v.met {
		t.fail(now, "meets "+failForFlag+"="+v.found[0].given, v.found[0].full())
	}
	return v.next, err
}

// fail keeps the first failure.
func (t *Tally) fail(row *cache.Row, event, why string) {
	if t.failed == nil {
		t.failed = &FailedError{Object: fullName(row), Event: printable(event), Why: why}
	}
}

// earlier is the earlier of two times, of which zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Next is when Pass has something to do; zero is never.
func (t *Tally) Next() time.Time { return t.due.Next() }

// Pass judges again the objects whose answer may be another one since time has
// passed. An error is that of judging a condition, and ends the wait.
func (t *Tally) Pass(ctx context.Context) error {
	for _, id := range t.due.Due(t.now()) {
		m := t.members[id]
		if m == nil || m.row == nil || m.settled {
			continue
		}
		if err := t.ask(ctx, id, m, m.row, nil); err != nil {
			return err
		}
	}
	return nil
}

// Delete takes an object that exists no more; row is its last known state, which
// nobody may have asked. An error is that of judging a condition, and ends the wait.
func (t *Tally) Delete(ctx context.Context, row *cache.Row) error {
	_, m := t.find(row)
	if m == nil || m.row == nil || m.settled {
		return nil
	}
	if _, err := t.askFailing(ctx, row, nil, t.now()); err != nil {
		return err
	}
	if t.failing.AwaitsDeletion() {
		t.fail(row, "meets "+failForFlag+"=delete", "it was deleted")
	}
	if !t.condition.AwaitsDeletion() {
		t.remove(row, "deleted")
		if m.asked != nil && t.lost == nil && !t.quantifier.counted && t.condition.asksState() {
			t.lost = row
		}
		return nil
	}
	v := t.condition.deletion(m.before)
	if m.asked == nil {
		t.remove(row, "")
		t.gone = append(t.gone, Met{Row: row, Terms: termsOf(v.found)})
		return nil
	}
	m.row, m.settled = row, true
	t.judge(m, v)
	return nil
}

// Leave takes an object that lives on and belongs to the set no more.
func (t *Tally) Leave(row *cache.Row) {
	if _, m := t.find(row); m != nil && m.row != nil && !m.settled {
		t.remove(row, "no longer matches")
	}
}

// remove takes an object out of the set; of a name that was asked for, the name stays.
func (t *Tally) remove(row *cache.Row, why string) {
	id, m := t.find(row)
	t.judge(m, verdict{why: why})
	m.row, m.before = nil, nil
	if m.asked == nil {
		delete(t.members, id)
	}
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
// that exists has been taken in.
func (t *Tally) Met() bool {
	met, total := t.counts()
	return t.quantifier.holds(met, total) || total == 0 && !t.quantifier.counted && t.condition.AwaitsDeletion()
}

// Failed is why the wait has failed, whatever else is met; nil is that it has not.
func (t *Tally) Failed() *FailedError { return t.failed }

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
	asked := identity{id.kind, cache.Identity{NamespacedName: id.NamespacedName, Context: id.Context}}
	if m := t.members[id]; m != nil {
		return id, m
	}
	if m := t.members[asked]; m != nil && m.asked != nil && (m.row == nil || m.row.Identity() == id.Identity || m.settled) {
		return asked, m
	}
	return id, nil
}

func identityOf(row *cache.Row) identity {
	return identity{row.GroupVersionKind().GroupKind(), row.Identity()}
}
