// Package e2e tests what users see: the plugin on a real control plane, and
// kubectl beside it wherever both do the same job.
package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// fixture is what all tests of this package share; it is set once, before any
// of them runs.
var fixture struct {
	cluster  *cluster.Cluster
	programs harness.Programs
	// home is a home directory for programs: kubectl's discovery cache is there.
	home string
	// admin is a kubeconfig that may do everything, in the namespace shop.
	admin string
}

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "informer-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	fixture.home = dir
	if fixture.cluster, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return 1, err
	}
	defer fixture.cluster.Stop()
	built := make(chan error, 1)
	go func() {
		fixture.programs, err = harness.Build(ctx, dir)
		built <- err
	}()
	if err := fixture.cluster.Load(ctx, workloads.Small); err != nil {
		return 1, err
	}
	if err := <-built; err != nil {
		return 1, err
	}
	fixture.admin, err = fixture.cluster.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Namespace: "shop"})
	if err != nil {
		return 1, err
	}
	return m.Run(), nil
}
