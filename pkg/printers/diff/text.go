package diff

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// text is a value on one line. Integers have every digit, floats their point;
// strings are quoted where they would read as something else.
func text(v any) string {
	if s, ok := v.(string); ok {
		return quoteUnless(s, isPlain(s))
	}
	return nestedText(v)
}

// nestedText is text for what stands between brackets and commas.
func nestedText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		plain := isPlain(v) && !strings.ContainsAny(v, `{}[]",=`) && !strings.Contains(v+" ", ": ")
		return quoteUnless(v, plain)
	case float64:
		return floatText(v)
	case map[string]any:
		fields := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, nestedText(key)+": "+nestedText(v[key]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = nestedText(v[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return display.Escape(fmt.Sprint(v), "")
}

// floatText has an exponent only where JSON has one, and always a point or an
// exponent, so that it never reads as an integer.
func floatText(f float64) string {
	format := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	s := strconv.FormatFloat(f, format, -1, 64)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}

func quoteUnless(s string, plain bool) string {
	if plain {
		return s
	}
	return display.Quote(s)
}

// isPlain says whether a string reads as that string without quotes.
func isPlain(s string) bool {
	switch s {
	case "", "true", "false", "null", missing:
		return false
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return false
	}
	return isPrintable(s) && strings.TrimSpace(s) == s && !strings.ContainsRune(`"{[`, rune(s[0])) &&
		!strings.Contains(s, "→") && !strings.HasPrefix(s, display.Mask)
}

// isPrintable says whether every character is one that people see and take for
// no other: a no-break space, which a terminal shows, is not.
func isPrintable(s string) bool {
	return display.IsSafe(s, "") && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

const (
	// maxRunes is how long each side of a change may be on one line.
	maxRunes = 100
	// keptRunes is how much is kept of what both sides have in common.
	keptRunes = 16
)

// shortenBoth cuts two sides of a change that are too long for a line: first what
// they have in common at both ends, then the middle of what is left. What
// differs first is always kept.
func shortenBoth(before, after string) (string, string) {
	a, b := []rune(before), []rune(after)
	if len(a) <= maxRunes && len(b) <= maxRunes {
		return before, after
	}
	a, b = cutStart(a, b)
	slices.Reverse(a)
	slices.Reverse(b)
	a, b = cutStart(a, b)
	slices.Reverse(a)
	slices.Reverse(b)
	return display.Shorten(string(a), maxRunes), display.Shorten(string(b), maxRunes)
}

// cutStart cuts most of what both begin with.
func cutStart(a, b []rune) ([]rune, []rune) {
	if cut := commonLength(a, b) - keptRunes; cut > 1 {
		return elide(a, 0, cut), elide(b, 0, cut)
	}
	return a, b
}

// elide returns s with an ellipsis in place of s[from:to].
func elide(s []rune, from, to int) []rune {
	return slices.Concat(s[:from], []rune("…"), s[to:])
}

func commonLength[T comparable](a, b []T) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
