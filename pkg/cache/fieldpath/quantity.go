package fieldpath

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// HoldsQuantities says whether Kubernetes keeps quantities at the path: at its
// end, or under a name that holds them by resource.
func (p *Path) HoldsQuantities() bool {
	for i, name := range p.names {
		switch name {
		case "requests", "limits", "capacity", "allocatable", "allocatedResources", "hard", "used", "overhead", "usage":
			return true
		case "storage", "sizeLimit", "divisor", "averageValue", "maximumVolumeSize":
			if i == len(p.names)-1 {
				return true
			}
		}
	}
	return false
}

// maxQuantity is longer than any quantity that someone means.
const maxQuantity = 40

// Quantity reads a quantity as Kubernetes writes it. Numbers with an exponent
// beyond any quantity are none: 1e999999999, which an object's name can look
// like, takes minutes to expand.
func Quantity(s string) (quantity resource.Quantity, ok bool) {
	if len(s) > maxQuantity || !strings.ContainsAny(s, "0123456789") {
		return quantity, false
	}
	if exponent := strings.IndexAny(s, "eE"); exponent >= 0 && len(s)-exponent > len("e-99") {
		return quantity, false
	}
	quantity, err := resource.ParseQuantity(s)
	return quantity, err == nil
}

// CanonicalQuantity returns the one text that stands for all spellings of a
// quantity: the shortest of its decimal, binary and exponent forms, so that 1000m
// is 1 and 1073741824 is 1Gi. What is no quantity is returned as it is, and never
// equals one that is. It is for places that hold quantities alone: elsewhere
// two texts are equal only if they are the same.
func CanonicalQuantity(s string) string {
	quantity, ok := Quantity(s)
	if !ok {
		return s
	}
	canonical := ""
	for _, format := range []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent} {
		quantity.Format = format
		number, suffix := quantity.CanonicalizeBytes(nil)
		text := string(number) + string(suffix)
		// A form has no suffix for numbers far out of its range, and drops it.
		if again, ok := Quantity(text); !ok || again.Cmp(quantity) != 0 {
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
