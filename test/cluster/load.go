package cluster

import (
	"context"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
)

// Load creates the sample workloads of a size and, where controllers run, waits
// until they are up: nodes Ready, pods Running, the Job complete, the claim
// bound. What is there already is left as it is, so Load may be called again, with the same
// size or with a larger one.
func (c *Cluster) Load(ctx context.Context, size workloads.Size) error {
	admin, err := c.Config(Admin)
	if err != nil {
		return err
	}
	if c.options.APIServerOnly {
		return workloads.Create(ctx, admin, size)
	}
	return workloads.Run(ctx, admin, size)
}
