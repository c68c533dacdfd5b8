package decode

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// columns shares column definitions among all rows of one ListerWatcher: equal
// definitions are one pointer, so that a printer sees by the pointer when they
// change. Only the first event of a watch brings definitions; the last ones
// stand for the events after it.
type columns struct {
	mu    sync.Mutex
	known []*cache.Columns
	last  *cache.Columns
}

// share returns the pointer for definitions, or the last one for none.
func (c *columns) share(definitions []metav1.TableColumnDefinition) *cache.Columns {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(definitions) == 0 {
		return c.last
	}
	for _, have := range c.known {
		if slices.Equal(*have, definitions) {
			c.last = have
			return have
		}
	}
	fresh := cache.Columns(definitions)
	c.known = append(c.known, &fresh)
	c.last = &fresh
	return c.last
}
