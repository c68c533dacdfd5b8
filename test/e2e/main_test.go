// Package e2e tests what users see: the plugin on a real control plane, and
// kubectl beside it wherever both do the same job.
package e2e

import (
	"context"
	"testing"

	"k8s.io/client-go/kubernetes"

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

func TestMain(m *testing.M) { harness.Exit(harness.RunAlways(m, start)) }

// start builds the plugin while the cluster is filled.
func start(ctx context.Context, dir string) (end func() error, err error) {
	fixture.home = dir
	if fixture.cluster, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return nil, err
	}
	end = fixture.cluster.Stop
	built := make(chan error, 1)
	go func() {
		var err error
		fixture.programs, err = harness.Build(ctx, dir)
		built <- err
	}()
	if err := fixture.cluster.Load(ctx, workloads.Small); err != nil {
		return end, err
	}
	if err := <-built; err != nil {
		return end, err
	}
	fixture.admin, err = fixture.cluster.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Namespace: "shop"})
	return end, err
}

// client changes the cluster as the admin.
func client(t *testing.T) kubernetes.Interface {
	t.Helper()
	config, err := fixture.cluster.Config(cluster.Admin)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
