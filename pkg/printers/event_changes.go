package printers

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

// PreparedEvent is an event, and what changed in it, worked out once: for who
// decides whether it is told, and for who prints it.
type PreparedEvent struct {
	cache.Event
	changes diff.Diff
	// unreadable is why nobody can say what changed.
	unreadable error
	noise      bool
}

// Prepare compares the two states of a MODIFIED event; other events have
// nothing to compare. It is pure, and may be called from several goroutines.
func (f *Flags) Prepare(event cache.Event) PreparedEvent {
	prepared := PreparedEvent{Event: event}
	if event.Type != cache.Modified || event.Old == nil {
		return prepared
	}
	prepared.changes, prepared.unreadable = diff.Between(event.Old, event.Row,
		diff.Options{ShowSecrets: f.ShowSecrets, AllChanges: f.AllChanges})
	// Metadata alone does not say whether the rest has changed.
	whole := event.Old.Body != nil && event.Row.Body != nil
	prepared.noise = whole && !f.AllChanges && prepared.unreadable == nil && prepared.changes.Empty()
	return prepared
}

// IsNoise says that an update changed nothing that means anything: only
// bookkeeping of the API server, heartbeats, renewals of leases. It is false
// with --all-changes, and where nobody can say: for an object that is not there
// whole, or cannot be read.
func (e PreparedEvent) IsNoise() bool { return e.noise }

const (
	// changeIndent is the indent of what stands below a table's row.
	changeIndent = "    "
	// The marks of what a change did to a field, which must be told apart without
	// colours. Lines of a text that changed have the first two as well.
	markCame    = "+ "
	markWent    = "- "
	markChanged = "~ "
)

// changeLines makes the lines below the rows of a table.
type changeLines struct {
	// shown is --diff.
	shown bool
	// gone is, for each Target, the object that its last event was the deletion
	// of, while the watch was down: the one that has replaced it comes next.
	gone map[cache.Target]goneObject
}

type goneObject struct {
	namespace, name string
	uid             types.UID
}

// below returns what the event changed, a line each, or nothing.
func (c *changeLines) below(event PreparedEvent) ([]string, error) {
	if !c.shown || event.unreadable != nil {
		return nil, event.unreadable
	}
	gone := c.gone[event.Target]
	delete(c.gone, event.Target)
	row := event.Row
	switch event.Type {
	case cache.Deleted:
		if event.FinalStateUnknown && row.UID != "" {
			c.gone[event.Target] = goneObject{row.Namespace, row.Name, row.UID}
		}
	case cache.Added:
		if gone.namespace == row.Namespace && gone.name == row.Name && gone.uid != row.UID {
			return []string{replacedLine(gone.uid, row.UID)}, nil
		}
	case cache.Modified:
		return linesOf(event), nil
	}
	return nil, nil
}

// linesOf marks the lines of each change with what it did to its field.
func linesOf(event PreparedEvent) []string {
	var lines []string
	if event.changes.Replaced {
		lines = append(lines, replacedLine(event.Old.UID, event.Row.UID))
	}
	for _, change := range event.changes.Changes {
		mark := markChanged
		switch {
		case change.Old == nil:
			mark = markCame
		case change.New == nil:
			mark = markWent
		}
		for _, line := range (diff.Diff{Changes: []diff.Change{change}}).Lines() {
			lines = append(lines, changeIndent+mark+line)
			mark = "  "
		}
	}
	return lines
}

func replacedLine(before, after types.UID) string {
	return changeIndent + markChanged + makeSafe(fmt.Sprintf("replaced: uid %s → %s", before, after), "")
}

func writeLines(w *bytes.Buffer, lines []string) {
	for _, line := range lines {
		w.WriteString(line)
		w.WriteByte('\n')
	}
}
