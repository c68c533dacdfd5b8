package cache

import (
	"slices"
	"testing"
)

func TestAUnionHasEachColumnOnceAndWhereItIs(t *testing.T) {
	var union Union[string]
	for _, step := range []struct {
		add, all []string
		places   []int
	}{
		{[]string{"NAME", "AGE"}, []string{"NAME", "AGE"}, []int{0, 1}},
		{[]string{"NAME", "ZONE", "AGE"}, []string{"NAME", "AGE", "ZONE"}, []int{0, 2, 1}},
		{nil, []string{"NAME", "AGE", "ZONE"}, nil},
		{[]string{"AGE", "AGE"}, []string{"NAME", "AGE", "ZONE", "AGE"}, []int{1, 3}},
	} {
		if places := union.Add(step.add); !slices.Equal(places, step.places) || !slices.Equal(union.All, step.all) {
			t.Errorf("%q: places %v of %q, want %v of %q", step.add, places, union.All, step.places, step.all)
		}
	}
}
