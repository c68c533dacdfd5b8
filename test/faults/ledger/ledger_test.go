package ledger

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func event(kind, name, uid, version string, more string) string {
	return fmt.Sprintf(`{"type":%q,"object":{"kind":"ConfigMap","metadata":{"namespace":"ns","name":%q,"uid":%q,"resourceVersion":%q}}%s}`, kind, name, uid, version, more)
}

func TestTrueStreamHoldsAllInvariants(t *testing.T) {
	s := NewStream()
	lines := []string{
		event("ADDED", "a", "1", "5", `,"initial":true`),
		`{"type":"SYNCED","apiVersion":"v1","kind":"ConfigMap","namespace":"ns"}`,
		event("MODIFIED", "a", "1", "9", ""),
		event("RESYNC", "a", "1", "9", ""),
		event("DELETED", "a", "1", "10", ""),
		event("ADDED", "a", "2", "11", ""),
		event("ADDED", "b", "3", "12", ""),
		event("DELETED", "b", "3", "12", `,"finalStateUnknown":true`),
	}
	s.Read(lines[:3])
	s.Read(lines)
	there := Objects{{"ConfigMap", "ns", "a"}: {"2", "11"}}
	for what, wrong := range map[string][]string{
		"unreadable": s.Unreadable(), "illogical": s.Illogical(), "falling": s.Falling(),
		"deletions": s.Deletions(there, "ConfigMap"), "differences": Differences(s.Cache, there),
	} {
		if len(wrong) > 0 {
			t.Errorf("%s: %q", what, wrong)
		}
	}
	if len(s.Events) != 7 || len(s.Synced) != 1 {
		t.Errorf("read %d events, %d syncs", len(s.Events), len(s.Synced))
	}
}

// Each broken invariant is found, and by its own check alone.
func TestBrokenInvariantsAreFound(t *testing.T) {
	a := event("ADDED", "a", "1", "5", "")
	for name, c := range map[string]struct {
		lines                                                  []string
		there                                                  Objects
		unreadable, illogical, falling, deletions, differences bool
	}{
		"half a line":              {lines: []string{a[:20]}, unreadable: true},
		"a word of the plugin's":   {lines: []string{"connection lost"}, unreadable: true},
		"an unknown type":          {lines: []string{`{"type":"BOOKMARK","object":{}}`}, unreadable: true},
		"an object without a name": {lines: []string{`{"type":"ADDED","object":{"kind":"ConfigMap"}}`}, unreadable: true},
		"told twice":               {lines: []string{a, a}, there: objects("1", "5"), illogical: true},
		"a change of nothing":      {lines: []string{event("MODIFIED", "a", "1", "5", "")}, there: objects("1", "5"), illogical: true},
		"replaced by a change":     {lines: []string{a, event("MODIFIED", "a", "2", "6", "")}, there: objects("2", "6"), illogical: true, deletions: true},
		"a resync of the untold":   {lines: []string{a, event("RESYNC", "a", "1", "6", "")}, there: objects("1", "6"), illogical: true},
		"back in time":             {lines: []string{a, event("MODIFIED", "a", "1", "4", "")}, there: objects("1", "4"), falling: true},
		"ten is not before nine":   {lines: []string{event("ADDED", "a", "1", "9", ""), event("MODIFIED", "a", "1", "10", "")}, there: objects("1", "10")},
		"a lost deletion":          {lines: []string{a}, there: Objects{}, deletions: true, differences: true},
		"an invented deletion":     {lines: []string{a, event("DELETED", "a", "1", "6", ""), a}, there: objects("1", "5"), falling: true, deletions: true},
		"a lost creation":          {there: objects("1", "5"), differences: true},
		"a lost change":            {lines: []string{a}, there: objects("1", "6"), differences: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStream()
			s.Read(c.lines)
			for what, check := range map[string]struct {
				got  []string
				want bool
			}{
				"unreadable": {s.Unreadable(), c.unreadable}, "illogical": {s.Illogical(), c.illogical}, "falling": {s.Falling(), c.falling},
				"deletions": {s.Deletions(c.there, "ConfigMap"), c.deletions}, "differences": {Differences(s.Cache, c.there), c.differences},
			} {
				if (len(check.got) > 0) != check.want {
					t.Errorf("%s: got %q, want some: %v", what, check.got, check.want)
				}
			}
		})
	}
}

func objects(uid, version string) Objects {
	return Objects{{"ConfigMap", "ns", "a"}: {UID: types.UID(uid), ResourceVersion: version}}
}
