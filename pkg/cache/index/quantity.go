package index

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// holdsQuantities says whether Kubernetes keeps quantities at the path of these
// member names: at its end, or under a name that holds them by resource.
func holdsQuantities(names []string) bool {
	for i, name := range names {
		switch name {
		case "requests", "limits", "capacity", "allocatable", "allocatedResources", "hard", "used", "overhead", "usage":
			return true
		case "storage", "sizeLimit", "divisor", "averageValue", "maximumVolumeSize":
			if i == len(names)-1 {
				return true
			}
		}
	}
	return false
}

// maxQuantity is longer than any quantity that someone means. Parsing an
// exponent like 1e999999 takes minutes.
const maxQuantity = 40

// canonicalQuantity returns the one text that stands for all spellings of a
// quantity: the shortest of its decimal, binary and exponent forms, so that 1000m
// is 1 and 1073741824 is 1Gi. What is no quantity is returned as it is, and never
// equals one that is. It is for places that hold quantities alone: elsewhere
// two texts are equal only if they are the same.
func canonicalQuantity(s string) string {
	if exponent := strings.IndexAny(s, "eE"); len(s) > maxQuantity || exponent >= 0 && len(s)-exponent > len("e-12") {
		return s
	}
	quantity, err := resource.ParseQuantity(s)
	if err != nil {
		return s
	}
	canonical := ""
	for _, format := range []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent} {
		quantity.Format = format
		number, suffix := quantity.CanonicalizeBytes(nil)
		text := string(number) + string(suffix)
		// A form has no suffix for numbers far out of its range, and drops it.
		if again, err := resource.ParseQuantity(text); err != nil || again.Cmp(quantity) != 0 {
			continue
		}
		if canonical == "" || len(text) < len(canonical) {
			canonical = text
		}
	}
	if canonical == "" {
		return s
	}
	return canonical
}
