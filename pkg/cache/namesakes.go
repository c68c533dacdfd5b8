package cache

import (
	"cmp"
	"slices"
	"sync"
)

// Namesakes numbers the objects of one Target that nothing but their content tells
// apart. Kubernetes itself serves no such objects; some aggregated APIs list several
// of one name and without uids, as may a file. kubectl prints each of them.
//
// Numbers are given when a list is complete, and stay with the objects in the lists
// after it. It is safe for use by several goroutines; the lists come one at a time.
type Namesakes struct {
	mu sync.Mutex
	// listed are the rows of the list under way that may have namesakes.
	listed []*Row
	// known are, of the last list, the objects that had namesakes then or have been
	// numbered before.
	known map[Identity][]*Row
	// anonymous and identified say that the list under way has rows without and
	// with a uid; needsUID that the last list had rows with a uid alone.
	anonymous, identified, needsUID bool
}

// Known takes objects that were numbered by another Namesakes, before the first list.
func (n *Namesakes) Known(rows []*Row) {
	n.mu.Lock()
	defer n.mu.Unlock()
	groups := map[Identity][]*Row{}
	for _, row := range rows {
		id := row.Identity().unnumbered()
		groups[id] = append(groups[id], row)
	}
	for id, group := range groups {
		if len(group) == 1 && group[0].Namesake == 0 {
			continue
		}
		if n.known == nil {
			n.known = map[Identity][]*Row{}
		}
		n.known[id] = group
	}
}

// Listed takes a page of a list as it comes, the first of a list or a later one. Its rows
// are as they will be kept: they are compared with those of later lists.
func (n *Namesakes) Listed(page *RowList, first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if first {
		n.listed, n.anonymous, n.identified = nil, false, false
	}
	for _, row := range page.Items {
		if row.UID == "" {
			n.anonymous = true
		} else {
			n.identified = true
		}
		// A list of one resourceVersion is of one moment: a uid is there once.
		if row.UID == "" || page.ResourceVersion == "" {
			n.listed = append(n.listed, row)
		}
	}
	if page.Continue == "" {
		n.complete()
	}
}

// complete numbers the rows of a list. Ordinary ones come in the order of their
// names, each once, and cost one comparison.
func (n *Namesakes) complete() {
	rows, known := n.listed, n.known
	n.listed, n.known, n.needsUID = nil, nil, n.identified && !n.anonymous
	if !slices.IsSortedFunc(rows, compareIdentities) {
		slices.SortStableFunc(rows, compareIdentities)
	}
	for len(rows) > 0 {
		end := 1
		for end < len(rows) && compareIdentities(rows[0], rows[end]) == 0 {
			end++
		}
		n.number(rows[:end], known)
		rows = rows[end:]
	}
}

// number numbers the rows of one identity, if there is anything to tell apart.
func (n *Namesakes) number(rows []*Row, known map[Identity][]*Row) {
	id := rows[0].Identity().unnumbered()
	before := known[id]
	if len(rows) == 1 && len(before) == 0 {
		return
	}
	if n.known == nil {
		n.known = map[Identity][]*Row{}
	}
	numberLike(before, rows)
	n.known[id] = slices.Clone(rows)
}

func compareIdentities(a, b *Row) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
}

// numberLike gives an object the number that it had before: first where the content
// is the same, then where the metadata is. What is new, or has changed in both, gets
// the lowest number that is left.
func numberLike(before, rows []*Row) {
	taken, left := map[int]bool{}, rows
	for _, same := range []func(a, b *Row) bool{SameContent, sameMetadata} {
		var changed []*Row
		for _, row := range left {
			at := slices.IndexFunc(before, func(old *Row) bool { return !taken[old.Namesake] && same(old, row) })
			if at < 0 {
				changed = append(changed, row)
				continue
			}
			row.Namesake = before[at].Namesake
			taken[row.Namesake] = true
		}
		left = changed
	}
	next := 0
	for _, row := range left {
		for taken[next] {
			next++
		}
		row.Namesake, taken[next] = next, true
	}
}

// Watched says whether it is certain which of the listed objects an event of a watch
// is about, or that it is a new one. If not, only a new list can tell.
func (n *Namesakes) Watched(event EventType, row *Row) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if row.UID == "" && n.needsUID {
		return false
	}
	id := row.Identity().unnumbered()
	group := n.known[id]
	if len(group) == 0 {
		return true
	}
	at := slices.IndexFunc(group, func(old *Row) bool { return SameContent(old, row) })
	if at < 0 {
		return false
	}
	row.Namesake = group[at].Namesake
	if event == Deleted {
		n.known[id] = slices.Delete(slices.Clone(group), at, at+1)
	}
	return true
}
