package harness

import (
	"regexp"
	"strconv"
	"strings"
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

// SameButForAges says whether a table is the same as the one before it and the one
// after it, but that its ages lie between theirs. On a busy machine an age ticks
// between any two answers, and then they never are the same to the letter.
func SameButForAges(before, between, after string) bool {
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

// agesBetween is SameButForAges for a line, which is laid out as the one before or
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
