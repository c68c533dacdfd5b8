package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// listed is how many objects a summary names.
const listed = 3

// Met is an object that meets the condition.
type Met struct {
	Row *cache.Row
	// Terms are those that it meets, as they are said: `Failed=True`. With anyOf it is one.
	Terms []string
}

func termsOf(found []finding) []string {
	terms := make([]string, len(found))
	for i, f := range found {
		terms[i] = printable(f.what)
	}
	return terms
}

// Meeting returns the objects that meet the condition, deleted ones in their
// last known state, in the order of kind, namespace and name.
func (t *Tally) Meeting() []Met {
	met := slices.Clone(t.gone)
	for _, m := range t.members {
		if m.met && m.row != nil {
			met = append(met, Met{Row: m.row, Terms: termsOf(m.found)})
		}
	}
	slices.SortFunc(met, func(a, b Met) int { return identityOf(a.Row).compare(identityOf(b.Row)) })
	return met
}

// Summary says, in one line, how far the wait has got and which objects stand in
// its way: `3 of 5: web-2 Ready=False (ContainersNotReady)`.
func (t *Tally) Summary() string {
	met, total := t.counts()
	if total == 0 && !t.Met() {
		return "no matching resources found"
	}
	line := fmt.Sprintf("%d of %d", met, total)
	if t.quantifier.counted {
		line += fmt.Sprintf(", want %s", t.quantifier)
	}
	if inTheWay := t.inTheWay(met); len(inTheWay) > 0 {
		line += ": " + strings.Join(inTheWay, "; ")
	}
	return line
}

// inTheWay names the objects that keep the wait from its end: those that meet
// the condition where they are too many, else those that do not.
func (t *Tally) inTheWay(met int) []string {
	if t.Met() {
		return nil
	}
	tooMany := t.quantifier.counted && met > t.quantifier.atMost
	var ids []identity
	for id, m := range t.members {
		if m.met == tooMany {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, identity.compare)
	names := t.naming()
	var lines []string
	for _, id := range ids[:min(len(ids), listed)] {
		lines = append(lines, names.line(id, t.members[id], tooMany))
	}
	if more := len(ids) - listed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// naming is how to name objects: with as much before the name as it takes to tell
// them apart.
type naming struct{ namespaces, kinds bool }

func (t *Tally) naming() (n naming) {
	var first *identity
	for id := range t.members {
		if first == nil {
			first = &id
		}
		n.namespaces = n.namespaces || id.Namespace != first.Namespace
		n.kinds = n.kinds || id.kind != first.kind
	}
	return n
}

// line says what one object has, unless it has what is asked for. Of a name that
// nothing ever had there is only that to be said.
func (n naming) line(id identity, m *member, met bool) string {
	if m.asked != nil && !m.seen {
		line := fmt.Sprintf("%s %q was never there", m.asked.Resource.GroupResource(), id.Name)
		if n.namespaces && id.Namespace != "" {
			line += fmt.Sprintf(" in namespace %q", id.Namespace)
		}
		line += cache.Target{Context: id.Context}.InContext()
		if m.narrowed {
			line += ", or does not match"
		}
		return line
	}
	line := n.name(id)
	if m.why != "" && !met {
		line += " " + m.why
	}
	return line
}

func (n naming) name(id identity) string {
	name := id.Name
	if n.kinds {
		name = kindName(id.kind) + "/" + name
	}
	if n.namespaces && id.Namespace != "" {
		name = id.Namespace + "/" + name
	}
	return display.Escape(name+cache.Target{Context: id.Context}.InContext(), "")
}

func (i identity) compare(other identity) int {
	return cmp.Or(
		cmp.Compare(i.kind.String(), other.kind.String()),
		cmp.Compare(i.Context, other.Context),
		cmp.Compare(i.Namespace, other.Namespace),
		cmp.Compare(i.Name, other.Name),
		cmp.Compare(i.UID, other.UID),
		cmp.Compare(i.Namesake, other.Namesake),
	)
}
