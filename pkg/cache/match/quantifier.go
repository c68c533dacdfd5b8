package match

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Quantifier says how many objects of a live set have to meet a condition. The
// zero value is All.
type Quantifier struct {
	// counted is false for All, whatever their number.
	counted         bool
	atLeast, atMost int
}

// All asks for every object, and for one at least.
func All() Quantifier { return Quantifier{} }

// Any asks for one object at least.
func Any() Quantifier { return Quantifier{counted: true, atLeast: 1, atMost: math.MaxInt} }

// None asks for no object.
func None() Quantifier { return Quantifier{counted: true} }

// ParseCount reads --count: N or =N asks for exactly N, >=N for N at least.
func ParseCount(text string) (Quantifier, error) {
	digits, open := strings.CutPrefix(text, ">=")
	if !open {
		digits = strings.TrimPrefix(text, "=")
	}
	n, err := strconv.ParseUint(digits, 10, strconv.IntSize-1)
	if err != nil {
		return Quantifier{}, fmt.Errorf("--count must be N, =N or >=N, not %q", text)
	}
	q := Quantifier{counted: true, atLeast: int(n), atMost: int(n)}
	if open {
		q.atMost = math.MaxInt
	}
	return q, nil
}

// String says what is wanted: "all", "at least 3".
func (q Quantifier) String() string {
	switch {
	case !q.counted:
		return "all"
	case q.atMost == 0:
		return "none"
	case q.atMost == q.atLeast:
		return strconv.Itoa(q.atLeast)
	}
	return fmt.Sprintf("at least %d", q.atLeast)
}

// holds says whether met of total objects are enough, and not too many.
func (q Quantifier) holds(met, total int) bool {
	if !q.counted {
		return met == total && total > 0
	}
	return q.atLeast <= met && met <= q.atMost
}
