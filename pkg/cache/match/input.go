package match

import (
	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// input is what an expression or a condition is asked of.
type input struct {
	// object and old are shared with the cache; old is nil where there is none.
	object, old map[string]any
	// clock has the time of the question, and notes when the answer may change.
	clock *clock
}

// masked is the input with the values of Secrets hidden.
func (in input) masked() input {
	return input{display.MaskSecret(in.object), display.MaskSecret(in.old), in.clock}
}

// decode returns the objects as nested maps; the old one only if there is one and
// it is wanted, since decoding may be dear.
func decode(now, old *cache.Row, wantOld bool, c *clock) (input, error) {
	current, err := now.Unstructured()
	if err != nil {
		return input{}, err
	}
	in := input{object: current.Object, clock: c}
	if old == nil || !wantOld {
		return in, nil
	}
	previous, err := old.Unstructured()
	if err != nil {
		return input{}, err
	}
	in.old = previous.Object
	return in, nil
}
