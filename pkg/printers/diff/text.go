package diff

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
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
	return visible(fmt.Sprint(v))
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
	return strconv.Quote(s)
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
		!strings.Contains(s, "→") && !strings.HasPrefix(s, mask)
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// visible escapes what a terminal would not print or would act on: C0, DEL, C1,
// and Unicode's marks that change direction or have no width.
func visible(s string) string {
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

const (
	// maxRunes is how long each side of a change may be on one line.
	maxRunes = 100
	// keptRunes is how much is kept of what both sides have in common.
	keptRunes = 16
)

// shorten cuts two sides of a change that are too long for a line: first what
// they have in common at both ends, then the middle of what is left. What
// differs first is always kept.
func shorten(before, after string) (string, string) {
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
	return shortenMiddle(a), shortenMiddle(b)
}

// cutStart cuts most of what both begin with.
func cutStart(a, b []rune) ([]rune, []rune) {
	if cut := commonLength(a, b) - keptRunes; cut > 1 {
		return elide(a, 0, cut), elide(b, 0, cut)
	}
	return a, b
}

func shortenMiddle(s []rune) string {
	if excess := len(s) - maxRunes; excess > 0 {
		start := maxRunes / 2
		s = elide(s, start, start+excess+1)
	}
	return string(s)
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
