package printers

import (
	"bytes"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

// PreparedEvent is an event, and what changed in it, worked out once: for who
// decides whether it is reported, and for who prints it.
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
		diff.Options{ShowSecrets: f.ShowSecrets, AllChanges: f.AllChanges, Named: f.Changed})
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
	// gone are the uids, by name, of objects that were deleted while the watch was
	// down: those that have replaced them are reported after all such deletions.
	gone map[cache.ObjectKey]types.UID
}

// below returns what the event changed, a line each, or nothing.
func (c *changeLines) below(event PreparedEvent) ([]string, error) {
	if !c.shown || event.unreadable != nil {
		return nil, event.unreadable
	}
	if event.Row == nil {
		return nil, nil
	}
	name := cache.ObjectKey{Target: event.Target, Identity: event.Row.Identity().Anonymous()}
	switch event.Type {
	case cache.Deleted:
		if !event.FinalStateUnknown {
			// The watch is up again, and what came with the list has been reported.
			maps.DeleteFunc(c.gone, func(k cache.ObjectKey, _ types.UID) bool { return k.Target == event.Target })
		} else if event.Row.UID != "" {
			c.gone[name] = event.Row.UID
		}
	case cache.Added:
		gone, replaced := c.gone[name]
		delete(c.gone, name)
		if replaced && gone != event.Row.UID {
			return []string{replacedLine(gone, event.Row.UID)}, nil
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
	return changeIndent + markChanged + display.Escape(fmt.Sprintf("replaced: uid %s → %s", before, after), "")
}

func writeLines(w *bytes.Buffer, lines []string) {
	for _, line := range lines {
		w.WriteString(line)
		w.WriteByte('\n')
	}
}
