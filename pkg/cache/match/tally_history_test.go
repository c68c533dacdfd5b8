package match_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// However the objects came to be as they are, the count is that of a tally that
// is told of them now.
// rounds is how many of random cases are tried, with -short fewer.
func rounds(all, short int) int {
	if testing.Short() {
		return short
	}
	return all
}

func TestTheCountDoesNotDependOnHistory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	quantifiers := []match.Quantifier{match.All(), match.Any(), match.None(), count(t, "3"), count(t, ">=2")}
	for range rounds(50, 10) {
		quantifier := quantifiers[random.IntN(len(quantifiers))]
		s := begin(t, quantifier, "condition=Ready")
		now := map[string]string{}
		for range 60 {
			name := string(rune('a' + random.IntN(7)))
			if now[name] != "" && random.IntN(3) == 0 {
				s.deleted(name)
				delete(now, name)
			} else {
				now[name] = []string{readyStatus, notReadyStatus}[random.IntN(2)]
				s.is(now[name], name)
			}
			fresh := begin(t, quantifier, "condition=Ready")
			for name, status := range now {
				fresh.is(status, name)
			}
			if s.Met() != fresh.Met() || s.Summary() != fresh.Summary() {
				t.Fatalf("got %v, %q; counted anew %v, %q", s.Met(), s.Summary(), fresh.Met(), fresh.Summary())
			}
		}
	}
}

func TestThoseThatMeetItAreGivenInOrder(t *testing.T) {
	for name, test := range map[string]struct {
		story story
		want  string
	}{
		"ready":         {begin(t, match.All(), "condition=Ready").expect("x").ready("c", "a").notReady("b"), "[a c]"},
		"deleted":       {begin(t, match.All(), "delete").expect("c", "never").ready("c", "a", "b").deleted("c", "a"), "[a c]"},
		"deleted again": {begin(t, match.All(), "delete").expect("a").ready("a").deleted("a", "a"), "[a]"},
	} {
		var names []string
		for _, met := range test.story.Meeting() {
			names = append(names, met.Row.Name)
		}
		if got := fmt.Sprint(names); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}
