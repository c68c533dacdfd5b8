package match

import (
	"context"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Check asks a condition of one object, now.
func (c *Condition) Check(ctx context.Context, now, old *cache.Row) (met bool, why string, err error) {
	v, err := c.judge(ctx, now, old, time.Now())
	return v.met, v.why, err
}
