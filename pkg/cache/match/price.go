package match

import (
	"math"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// price is what a call costs that has these arguments, in the API server's
// units; of one that costs more than most, no more needs to be known. It is known
// before the call is made: "".replace can make of two texts of a megabyte one of
// a terabyte.
type price func(args []ref.Val, most uint64) uint64

// priceOf is that of a function which makes, or goes through, more than its
// arguments are long. nil stands for all others.
func priceOf(function string) price {
	switch function {
	case "split":
		return splitPrice
	case "replace":
		return replacePrice
	case "join":
		return joinPrice
	case "format":
		return formatPrice
	case "findAll":
		return findPrice
	case "flatten":
		return flattenPrice
	case "distinct":
		return distinctPrice
	case "lists.range":
		return rangePrice
	case "sets.contains", "sets.intersects", "sets.equivalent":
		return setsPrice
	}
	return nil
}

// pricedFunctions are those that priceOf knows.
func pricedFunctions() []string {
	return []string{"split", "replace", "join", "format", "findAll", "flatten", "distinct", "lists.range",
		"sets.contains", "sets.intersects", "sets.equivalent"}
}

func splitPrice(args []ref.Val, _ uint64) uint64 {
	text, separator := textOf(args[0]), textOf(args[1])
	return add(characters(2*len(text)), times(strings.Count(text, separator), args[2:])+1)
}

func replacePrice(args []ref.Val, _ uint64) uint64 {
	text, old, with := textOf(args[0]), textOf(args[1]), textOf(args[2])
	return add(characters(2*len(text)), multiply(times(strings.Count(text, old), args[3:]), characters(len(with))))
}

// times is how often something is done: as often as it can be, or as a last
// argument allows, which is negative for no end.
func times(most int, last []ref.Val) uint64 {
	if len(last) > 0 {
		if n, ok := last[0].(types.Int); ok && n >= 0 {
			return min(uint64(most), uint64(n))
		}
	}
	return uint64(most)
}

func joinPrice(args []ref.Val, _ uint64) uint64 {
	separator := 0
	if len(args) > 1 {
		separator = len(textOf(args[1]))
	}
	cost := uint64(common.ListCreateBaseCost)
	each(args[0], func(part ref.Val) bool {
		cost = add(cost, 1+2*characters(len(textOf(part))+separator))
		return true
	})
	return cost
}

// formatPrice is that of all that is put into the text, however often a value is
// in it.
func formatPrice(args []ref.Val, most uint64) uint64 {
	return add(characters(2*len(textOf(args[0]))), weigh(args[1], most))
}

// foundCost is what one text that findAll has found costs.
const foundCost = 10

func findPrice(args []ref.Val, _ uint64) uint64 {
	text, expression := len(textOf(args[0])), len(textOf(args[1]))
	// As the API server counts it, and what is found: at most one a character, each
	// of which takes the room of several.
	searched := multiply(characters(1+text), uint64(math.Ceil(float64(expression)*common.RegexStringLengthCostFactor)))
	return add(searched, foundCost*(uint64(text)+1))
}

func flattenPrice(args []ref.Val, most uint64) uint64 { return weigh(args[0], most) }

func distinctPrice(args []ref.Val, _ uint64) uint64 {
	return multiply(sizeOf(args[0]), sizeOf(args[0]))
}

func setsPrice(args []ref.Val, _ uint64) uint64 { return multiply(sizeOf(args[0]), sizeOf(args[1])) }

func rangePrice(args []ref.Val, _ uint64) uint64 {
	n, ok := args[0].(types.Int)
	if !ok || n < 0 {
		return 1
	}
	return add(common.ListCreateBaseCost, uint64(n))
}

// weigh is how much there is in a value: its characters, and those of all that
// is in it. Values can share parts, so that a short expression makes more than
// could ever be walked: it looks no further when it has found more than most.
func weigh(value ref.Val, most uint64) uint64 {
	var total uint64
	var walk func(ref.Val) bool
	walk = func(v ref.Val) bool {
		total = add(total, 1+characters(len(textOf(v))))
		return total <= most && each(v, walk)
	}
	walk(value)
	return total
}

// each calls visit with each element of a list, or key and value of a map, until
// it says no.
func each(value ref.Val, visit func(ref.Val) bool) bool {
	iterable, ok := value.(traits.Iterable)
	if !ok {
		return true
	}
	values, isMap := value.(traits.Mapper)
	for it := iterable.Iterator(); it.HasNext() == types.True; {
		next := it.Next()
		if !visit(next) || isMap && !visit(values.Get(next)) {
			return false
		}
	}
	return true
}

func textOf(value ref.Val) string {
	text, _ := value.(types.String)
	return string(text)
}

func sizeOf(value ref.Val) uint64 {
	if sizer, ok := value.(traits.Sizer); ok {
		if size, ok := sizer.Size().(types.Int); ok && size >= 0 {
			return uint64(size)
		}
	}
	return 1
}
