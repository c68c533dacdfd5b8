// Package stories tests what users see of tail and wait: the built plugin on a
// control plane with controllers, where Deployments roll out and pods run.
//
// No test asserts how long anything takes; what has to come is waited for.
package stories

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// stage is what all tests share; it is set once, before any of them runs.
var stage struct {
	programs harness.Programs
	cluster  *cluster.Cluster
	client   kubernetes.Interface
	dynamic  dynamic.Interface
	// home is a home directory for programs: kubectl's discovery cache is there.
	home string
}

func TestMain(m *testing.M) {
	harness.Overlap(4)
	code, err := harness.Run(m, start)
	harness.Exit(code, errors.Join(err, goleak.Find()))
}

// start builds the plugin while the cluster starts.
func start(ctx context.Context, dir string) (end func() error, err error) {
	stage.home = dir
	built := make(chan error, 1)
	go func() {
		var err error
		stage.programs, err = harness.Build(ctx, dir)
		built <- err
	}()
	if stage.cluster, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return nil, err
	}
	if err := prepare(ctx); err != nil {
		return stage.cluster.Stop, err
	}
	return stage.cluster.Stop, <-built
}

// prepare fills the cluster and makes the clients that tests change it with.
func prepare(ctx context.Context) error {
	if err := stage.cluster.Load(ctx, workloads.Small); err != nil {
		return err
	}
	config, err := stage.cluster.Config(cluster.Admin)
	if err != nil {
		return err
	}
	if stage.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	stage.dynamic, err = dynamic.NewForConfig(config)
	return err
}
