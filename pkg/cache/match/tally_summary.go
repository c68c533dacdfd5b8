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

// Meeting returns the objects that meet the condition, deleted ones in their
// last known state, in the order of kind, namespace and name.
func (t *Tally) Meeting() []*cache.Row {
	rows := slices.Clone(t.gone)
	for _, m := range t.members {
		if m.met && m.row != nil {
			rows = append(rows, m.row)
		}
	}
	slices.SortFunc(rows, func(a, b *cache.Row) int { return identityOf(a).compare(identityOf(b)) })
	return rows
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
	name := t.naming()
	var lines []string
	for _, id := range ids[:min(len(ids), listed)] {
		line := name(id)
		if why := t.members[id].why; !tooMany && why != "" {
			line += " " + why
		}
		lines = append(lines, line)
	}
	if more := len(ids) - listed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// naming returns how to name objects: with as much before the name as it takes
// to tell them apart.
func (t *Tally) naming() func(identity) string {
	var first *identity
	var namespaces, kinds bool
	for id := range t.members {
		if first == nil {
			first = &id
		}
		namespaces = namespaces || id.Namespace != first.Namespace
		kinds = kinds || id.kind != first.kind
	}
	return func(id identity) string {
		name := id.Name
		if kinds {
			name = kindName(id.kind) + "/" + name
		}
		if namespaces && id.Namespace != "" {
			name = id.Namespace + "/" + name
		}
		return display.Escape(name, "")
	}
}

func (i identity) compare(other identity) int {
	return cmp.Or(
		cmp.Compare(i.kind.String(), other.kind.String()),
		cmp.Compare(i.Namespace, other.Namespace),
		cmp.Compare(i.Name, other.Name),
		cmp.Compare(i.UID, other.UID),
		cmp.Compare(i.Namesake, other.Namesake),
	)
}
