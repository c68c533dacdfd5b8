package diff

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

const (
	// maxCompared is how many lines of a text are compared with each other: the
	// time for it grows with their square.
	maxCompared = 1000
	// maxShown is how many lines of a difference are shown.
	maxShown = 40
	// around is how many unchanged lines are shown around changed ones.
	around = 1
)

// lineDiff is how one text became the other, with - and + before the lines that
// went and came. Lines are indented below the path they belong to.
func lineDiff(before, after string) []string {
	a, b := cutCommon(splitLines(before, after))
	if len(a) > maxCompared || len(b) > maxCompared {
		return []string{fmt.Sprintf("  … %d lines became %d lines", len(a), len(b))}
	}
	var lines []string
	for i, group := range difflib.NewMatcher(a, b).GetGroupedOpCodes(around) {
		if i > 0 {
			lines = append(lines, "  …")
		}
		for _, op := range group {
			lines = append(lines, opLines(op, a, b)...)
		}
	}
	if more := len(lines) - maxShown; more > 1 {
		lines = append(lines[:maxShown], fmt.Sprintf("  … %d more lines", more))
	}
	return lines
}

// cutCommon drops the lines that both begin and end with, but those around the
// first and last change.
func cutCommon(a, b []string) ([]string, []string) {
	start := max(0, commonLength(a, b)-around)
	a, b = a[start:], b[start:]
	end := 0
	for end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	end = max(0, end-around)
	return a[:len(a)-end], b[:len(b)-end]
}

// opLines are the lines of one operation: replaced, deleted, inserted or equal.
func opLines(op difflib.OpCode, a, b []string) []string {
	went, came := shownLines(a[op.I1:op.I2]), shownLines(b[op.J1:op.J2])
	if op.Tag == 'e' {
		return marked("    ", went)
	}
	if len(went) == len(came) {
		// Line by line, so that what is cut is not what changed.
		for i := range went {
			went[i], came[i] = shortenBoth(went[i], came[i])
		}
	}
	return append(marked("  - ", went), marked("  + ", came)...)
}

// shownLines quotes what cannot be seen: an empty line, spaces at the end of one.
func shownLines(lines []string) []string {
	shown := make([]string, len(lines))
	for i, line := range lines {
		shown[i] = quoteUnless(line, line != "" && !strings.HasSuffix(line, " ") && isPrintable(line))
	}
	return shown
}

func marked(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = mark + display.Shorten(line, maxRunes)
	}
	return out
}

// splitLines splits both texts into lines. A newline at the end of both, or of
// the only text there is, ends its last line; one that ends one of them alone
// leaves an empty line behind it, to show the difference.
func splitLines(before, after string) (a, b []string) {
	a, b = split(before), split(after)
	if endsLine(a) && endsLine(b) {
		a, b = a[:max(0, len(a)-1)], b[:max(0, len(b)-1)]
	}
	return a, b
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// endsLine says whether a text split into lines had a newline at its end, or is empty.
func endsLine(lines []string) bool {
	return len(lines) == 0 || lines[len(lines)-1] == ""
}
