package cache

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// written reads an event written as `ADDED 1`, or `MODIFIED 1 2` with its old state, and the
// marks `initial` and `NoLongerMatches`.
func written(text string) Event {
	words := strings.Fields(text)
	event := Event{Type: EventType(words[0])}
	for _, word := range words[1:] {
		switch word {
		case "initial":
			event.Initial = true
		case string(NoLongerMatches):
			event.Reason = NoLongerMatches
		case "known":
			event.Known = true
		case string(SinceState):
			event.Since = SinceState
		default:
			event.Old, event.Row = event.Row, &Row{}
			event.Row.ResourceVersion = word
			event.Time = time.Unix(int64(word[0]), 0)
		}
	}
	return event
}

func spelled(events []Event) (texts []string) {
	for _, event := range events {
		text := string(event.Type)
		if event.Old != nil {
			text += " " + event.Old.ResourceVersion
		}
		text += " " + event.Row.ResourceVersion
		if event.Initial {
			text += " initial"
		}
		if event.Reason != "" {
			text += " " + string(event.Reason)
		}
		if event.Known {
			text += " known"
		}
		if event.Since != "" {
			text += " " + string(event.Since)
		}
		if event.Time.Unix() != int64(event.Row.ResourceVersion[0]) {
			text += " at another time"
		}
		texts = append(texts, text)
	}
	return texts
}

func TestCoalesceKeepsTheNewestStateAndEveryDeletion(t *testing.T) {
	for _, test := range []struct {
		prior, next string
		want        []string
	}{
		{"ADDED 1 initial", "MODIFIED 1 2", []string{"ADDED 2 initial"}},
		{"ADDED 1 initial", "RESYNC 1", []string{"ADDED 1 initial"}},
		{"ADDED 1", "DELETED 2", nil},
		// What an earlier run may have reported is known to the reader.
		{"ADDED 1 known state", "DELETED 2", []string{"DELETED 2 known"}},
		{"ADDED 1 known state", "MODIFIED 1 2", []string{"ADDED 2 known state"}},
		{"UNCHANGED 1 known state", "MODIFIED 1 2", []string{"MODIFIED 1 2 known"}},
		{"UNCHANGED 1 known state", "DELETED 2", []string{"DELETED 2 known"}},
		{"MODIFIED 1 2 known state", "MODIFIED 2 3", []string{"MODIFIED 1 3 known state"}},
		{"MODIFIED 1 2", "MODIFIED 2 3", []string{"MODIFIED 1 3"}},
		{"MODIFIED 1 2", "RESYNC 2", []string{"MODIFIED 1 2"}},
		{"MODIFIED 1 2", "DELETED 3", []string{"DELETED 3"}},
		{"MODIFIED 1 2", "DELETED 3 NoLongerMatches", []string{"DELETED 3 NoLongerMatches"}},
		{"RESYNC 1", "MODIFIED 1 2", []string{"MODIFIED 1 2"}},
		{"RESYNC 1", "DELETED 2", []string{"DELETED 2"}},
		{"RESYNC 1", "RESYNC 1", []string{"RESYNC 1"}},
		{"DELETED 1", "ADDED 2", []string{"DELETED 1", "ADDED 2"}},
		{"DELETED 1 NoLongerMatches", "ADDED 2", []string{"DELETED 1 NoLongerMatches", "ADDED 2"}},
		{"DELETED 1", "RESYNC 2", []string{"DELETED 1", "RESYNC 2"}},
		{"DELETED 1 NoLongerMatches", "DELETED 2", []string{"DELETED 2"}},
	} {
		if got := spelled(Coalesce(written(test.prior), written(test.next))); !slices.Equal(got, test.want) {
			t.Errorf("%s, then %s: got %q, want %q", test.prior, test.next, got, test.want)
		}
	}
}
