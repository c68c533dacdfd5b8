// Package incluster tests what docs/in-cluster has: its manifests are applied to a
// control plane with controllers, and what their pods' containers run is run as
// processes of this machine, with the pods' own arguments, environment, ServiceAccount
// and volumes.
package incluster

import (
	"context"
	"errors"
	"flag"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// stage is what all tests share; it is set once, before any of them runs.
var stage struct {
	programs harness.Programs
	cluster  *cluster.Cluster
	client   kubernetes.Interface
	admin    []string // the environment of who may do everything
}

func TestMain(m *testing.M) {
	// These tests wait most of the time, for a Lease to expire.
	if err := flag.Set("test.parallel", "8"); err != nil {
		harness.Exit(1, err)
	}
	code, err := harness.Run(m, start)
	harness.Exit(code, errors.Join(err, goleak.Find()))
}

// start builds the plugin while the cluster starts.
func start(ctx context.Context, dir string) (end func() error, err error) {
	built := make(chan error, 1)
	go func() {
		var err error
		stage.programs, err = harness.Build(ctx, dir)
		built <- err
	}()
	if stage.cluster, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return nil, errors.Join(err, <-built)
	}
	if err := errors.Join(prepare(ctx), <-built); err != nil {
		return stage.cluster.Stop, err
	}
	kubeconfig, err := stage.cluster.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{})
	stage.admin = stage.programs.Environ(dir, kubeconfig)
	return stage.cluster.Stop, err
}

// prepare gives the cluster a node, which kwok plays.
func prepare(ctx context.Context) error {
	config, err := stage.cluster.Config(cluster.Admin)
	if err != nil {
		return err
	}
	config.WarningHandler = rest.NoWarnings{} // of Deployments that make no pods
	if stage.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Labels: map[string]string{corev1.LabelHostname: "node-1"}}}
	_, err = stage.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	return err
}
