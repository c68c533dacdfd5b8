package index

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Fixed is what a query fixes of one index: an object must have one of Wanted, or no
// value where WantsNone, and none of Unwanted, nor no value where UnwantsNone.
type Fixed struct {
	// Index is the name of the index; a field path's starts with a dot.
	Index                  string
	Wanted, Unwanted       []string
	WantsNone, UnwantsNone bool
}

// Fixed returns what the query fixes, as far as it is about the text itself. Two texts
// can be one quantity: whoever compares texts must not be asked for one of them.
func (b *Bound) Fixed() []Fixed {
	var fixed []Fixed
	for _, c := range b.conditions {
		if c.FollowsOwners || c.canonical != nil && slices.ContainsFunc(slices.Concat(c.wanted, c.unwanted), isQuantity) {
			continue
		}
		fixed = append(fixed, Fixed{
			Index: c.Name, Wanted: c.wanted, Unwanted: c.unwanted, WantsNone: c.wantsNone, UnwantsNone: c.unwantsNone,
		})
	}
	return fixed
}

func isQuantity(text string) bool {
	_, err := resource.ParseQuantity(text)
	return err == nil
}
