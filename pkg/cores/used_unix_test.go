//go:build unix

package cores

import "testing"

func TestTheUseOfThisProcessGrows(t *testing.T) {
	before, ok := used()
	for now := before; now == before && ok; {
		now, ok = used()
	}
	if !ok {
		t.Error("it is not known")
	}
}
