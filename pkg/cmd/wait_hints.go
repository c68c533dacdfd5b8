package cmd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// conditionName is what can be the name of a condition.
var conditionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/-]*$`)

// meantCondition says what was meant by a text that is no condition; empty is that
// nobody knows.
func meantCondition(text string) string {
	meant := index.Near(text, []string{"create", "delete", "ready", "rollout"})
	kind, rest, given := strings.Cut(text, "=")
	if before, after, colon := strings.Cut(text, ":"); colon && len(before) < len(kind) {
		kind, rest, given = before, after, true
	}
	switch kinds := index.Near(kind, []string{"condition", "jsonpath", "cel"}); {
	case given && kind == "condition!":
		meant = []string{"condition=" + rest + "!=True"}
	case given && len(kinds) > 0:
		meant = []string{kinds[0] + "=" + rest}
	case given && len(kind) > 2 && strings.HasPrefix("condition", kind):
		meant = []string{"condition=" + rest}
	case given && slices.Contains([]string{"true", "false", "unknown"}, strings.ToLower(rest)) && conditionName.MatchString(kind):
		meant = []string{"condition=" + text}
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "."):
		meant = []string{"jsonpath=" + text}
	case len(kinds) > 0:
		meant = []string{kinds[0] + "=…"}
	// Conditions begin with a capital letter, our own words with a small one.
	case conditionName.MatchString(text) && (len(meant) == 0 || strings.ToLower(text) != text):
		meant = append([]string{"condition=" + text}, meant...)
	}
	return didYouMean(meant)
}

func didYouMean(meant []string) string {
	if len(meant) == 0 {
		return ""
	}
	for i, one := range meant {
		meant[i] = display.Shorten(one, maxQuoted)
	}
	return "did you mean " + strings.Join(meant, " or ") + "?"
}

// conditionHints say which conditions are misspelt: the wait may last for ever, or,
// for the opposite, or for --fail-for, not be what it seems to be.
type conditionHints struct{ given bool }

// give says so once all objects are listed.
func (h *conditionHints) give(console *console, tally *match.Tally) {
	if h.given {
		return
	}
	h.given = true
	asked, present := tally.UnknownConditions()
	for _, name := range asked {
		near := index.Near(name, present)
		for i := range near {
			near[i] = "condition=" + near[i]
		}
		if meant := didYouMean(near); meant != "" {
			console.sayOnce(fmt.Sprintf("hint: no object has a condition %s; %s", quoted(name), meant))
		}
	}
}
