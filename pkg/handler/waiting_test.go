package handler

import (
	"strings"
	"testing"
)

func TestChangesThatPileUpAreMergedButNoDeletionIsLost(t *testing.T) {
	for name, test := range map[string]struct{ add, want string }{
		"the newest state wins, against the first old one": {"MODIFIED a 1->2, MODIFIED a 2->3, MODIFIED a 3->4", "MODIFIED a 1->4"},
		"what was added and changed is added":              {"ADDED a 1 initial, MODIFIED a 1->2", "ADDED a 2 initial"},
		"what no run ever saw leaves nothing":              {"ADDED a 1, MODIFIED a 1->2, DELETED a 3", ""},
		"a deletion takes the place of a change":           {"MODIFIED a 1->2, DELETED a 3", "DELETED a 3"},
		"a deletion is told before the new object":         {"DELETED a#1 1, ADDED a#2 2, MODIFIED a#2 2->3", "DELETED a#1 1, ADDED a#2 3"},
		"a change, a deletion and a new object":            {"MODIFIED a#1 1->2, DELETED a#1 3, ADDED a#2 4", "DELETED a#1 3, ADDED a#2 4"},
		"the new object goes too":                          {"DELETED a#1 1, ADDED a#2 2, DELETED a#2 3", "DELETED a#1 1"},
		"and a third comes":                                {"DELETED a#1 1, ADDED a#2 2, DELETED a#2 3, ADDED a#3 4", "DELETED a#1 1, ADDED a#3 4"},
		"deletions whose additions are not asked for":      {"DELETED a#1 1, DELETED a#2 2, DELETED a#3 3", "DELETED a#1 1, DELETED a#2 2, DELETED a#3 3"},
		"additions whose deletions are not asked for":      {"ADDED a#1 1, ADDED a#2 2", "ADDED a#1 1, ADDED a#2 2"},
		"resyncs whose deletions are not asked for":        {"RESYNC a#1 1, RESYNC a#2 3", "RESYNC a#1 1, RESYNC a#2 3"},
		"changes whose deletions are not asked for":        {"MODIFIED a#1 1->2, MODIFIED a#2 3->4", "MODIFIED a#1 1->2, MODIFIED a#2 3->4"},
		"two that share a name":                            {"ADDED a#1 1, ADDED a#2 2, MODIFIED a#1 1->3, DELETED a#2 4", "ADDED a#1 3"},
		"left the selection and came back":                 {"DELETED a 1 NoLongerMatches, ADDED a 2", "DELETED a 1 NoLongerMatches, ADDED a 2"},
		"left, came back and was deleted":                  {"DELETED a 1 NoLongerMatches, ADDED a 2, DELETED a 3", "DELETED a 3"},
		"a resync says less than a change":                 {"MODIFIED a 1->2, RESYNC a 2", "MODIFIED a 1->2"},
		"a resync says less than an addition":              {"ADDED a 1, RESYNC a 1", "ADDED a 1"},
		"a change says more than a resync":                 {"RESYNC a 1, MODIFIED a 1->2", "MODIFIED a 1->2"},
		"a deletion says more than a resync":               {"RESYNC a 1, DELETED a 1", "DELETED a 1"},
		"resyncs are one":                                  {"RESYNC a 1, RESYNC a 1", "RESYNC a 1"},
		"a resync of the object that took the name":        {"DELETED a#1 1, RESYNC a#2 2", "DELETED a#1 1, RESYNC a#2 2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := waiting{}
			for line := range strings.SplitSeq(test.add, ", ") {
				w.add(parse(line))
			}
			if got := whatWaits(&w); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAFailedEventIsTriedAgainUnlessANewerOneSaysMore(t *testing.T) {
	for name, test := range map[string]struct {
		failed, since, want string
		retrying            bool
	}{
		"nothing has come":            {"MODIFIED a 1->2", "", "MODIFIED a 1->2", true},
		"a newer state":               {"MODIFIED a 1->2", "MODIFIED a 2->3", "MODIFIED a 1->3", false},
		"a resync adds nothing":       {"MODIFIED a 1->2", "RESYNC a 2", "MODIFIED a 1->2", true},
		"the addition is still owed":  {"ADDED a 1", "MODIFIED a 1->2", "ADDED a 2", false},
		"a run had seen the object":   {"ADDED a 1", "DELETED a 2", "DELETED a 2", false},
		"of an older state, too":      {"ADDED a 1", "MODIFIED a 1->2, DELETED a 3", "DELETED a 3", false},
		"a deletion comes first":      {"DELETED a#1 1", "ADDED a#2 2, MODIFIED a#2 2->3", "DELETED a#1 1, ADDED a#2 3", true},
		"no run had seen the new one": {"DELETED a#1 1", "ADDED a#2 2, DELETED a#2 3", "DELETED a#1 1", true},
		"a resync becomes a change":   {"RESYNC a 1", "MODIFIED a 1->2", "MODIFIED a 1->2", false},
		"a resync becomes a deletion": {"RESYNC a 1", "DELETED a 1", "DELETED a 1", false},
		"a resync is not tried anew":  {"RESYNC a 1", "RESYNC a 1", "RESYNC a 1", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := waiting{}
			w.add(parse(test.failed))
			event := w.take()
			for line := range strings.SplitSeq(test.since, ", ") {
				if line != "" {
					w.add(parse(line))
				}
			}
			w.putBack(event)
			if got := whatWaits(&w); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if w.retrying != test.retrying {
				t.Errorf("retrying is %v", w.retrying)
			}
		})
	}
}

func whatWaits(w *waiting) string {
	var lines []string
	for _, event := range w.events {
		lines = append(lines, describe(event))
	}
	return strings.Join(lines, ", ")
}
