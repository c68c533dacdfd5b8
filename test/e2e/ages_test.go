package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// age is how tables print one.
var age = regexp.MustCompile(`^(?:(\d+)y)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$`)

// seconds is an age in seconds.
func seconds(text string) (int, bool) {
	parts := age.FindStringSubmatch(text)
	if text == "" || parts == nil {
		return 0, false
	}
	total := 0
	for n, unit := range []int{365 * 24 * 3600, 24 * 3600, 3600, 60, 1} {
		count, _ := strconv.Atoi(parts[n+1]) // nothing is 0
		total += count * unit
	}
	return total, true
}

// sameButForAges says whether a table is the same as the one before it and the one
// after it, but that its ages lie between theirs. On a busy machine an age ticks
// between any two answers, and then they never are the same to the letter.
func sameButForAges(before, between, after string) bool {
	lines := [3][]string{strings.Split(before, "\n"), strings.Split(between, "\n"), strings.Split(after, "\n")}
	if len(lines[0]) != len(lines[1]) || len(lines[1]) != len(lines[2]) {
		return false
	}
	for n, line := range lines[1] {
		if line != lines[0][n] && line != lines[2][n] && !agesBetween(lines[0][n], line, lines[2][n]) {
			return false
		}
	}
	return true
}

// agesBetween is sameButForAges for a line, which is laid out as the one before or
// after it.
func agesBetween(before, between, after string) bool {
	words := [3][]string{strings.Fields(before), strings.Fields(between), strings.Fields(after)}
	if len(words[0]) != len(words[1]) || len(words[1]) != len(words[2]) || len(between) != len(before) && len(between) != len(after) {
		return false
	}
	for n, word := range words[1] {
		if word == words[0][n] || word == words[2][n] {
			continue
		}
		var ages [3]int
		for i := range words {
			var ok bool
			if ages[i], ok = seconds(strings.Trim(words[i][n], "()")); !ok {
				return false
			}
		}
		if ages[1] < ages[0] || ages[2] < ages[1] {
			return false
		}
	}
	return true
}

func TestOnlyAgesMayLieBetween(t *testing.T) {
	for _, test := range []struct {
		before, between, after string
		want                   bool
	}{
		{"web 4m35s", "web 4m36s", "web 4m37s", true},
		{"web 9m59s", "web 10m", "web 10m", true},
		{"web 1 (59s ago)", "web 1 (60s ago)", "web 1 (61s ago)", true},
		{"web 4m36s", "web 4m35s", "web 4m37s", false},
		{"web 4m35s", "api 4m36s", "web 4m37s", false},
		{"web 4m35s", "web", "web 4m37s", false},
		{"NAME  AGE\nweb   4m35s", "NAME  AGE\nweb   4m36s", "NAME  AGE\nweb   4m37s", true},
		{"NAME  AGE\nweb   4m35s", "NAME AGE\nweb   4m36s", "NAME  AGE\nweb   4m37s", false},
		{"web   4m35s", "web 4m36s", "web   4m37s", false},
		{"web 1", "web 2", "web 3", false},
	} {
		if got := sameButForAges(test.before, test.between, test.after); got != test.want {
			t.Errorf("%q, %q, %q: %v", test.before, test.between, test.after, got)
		}
	}
}
