//go:build unix

// Package k9s tests plugins.yaml, the keys for k9s: against k9s' own schema and
// source, by running what each key runs on a control plane, and, where a built
// k9s is given, by pressing the keys in it.
package k9s

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// stage is what all tests share; it is set once, before any of them runs.
var stage struct {
	programs harness.Programs
	cluster  *cluster.Cluster
	// home is a home directory for programs, kubeconfig the administrator's.
	home, kubeconfig string
}

func TestMain(m *testing.M) {
	code, err := harness.Run(m, start)
	harness.Exit(code, errors.Join(err, goleak.Find()))
}

func start(ctx context.Context, dir string) (end func() error, err error) {
	stage.home = filepath.Join(dir, "home")
	bin := filepath.Join(dir, "bin")
	for _, folder := range []string{stage.home, bin} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return nil, err
		}
	}
	if stage.programs, err = harness.Build(ctx, bin); err != nil {
		return nil, err
	}
	if stage.cluster, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return nil, err
	}
	return stage.cluster.Stop, prepare(ctx)
}

// prepare fills the cluster, with what only the tests of keys need as well.
func prepare(ctx context.Context) error {
	if err := stage.cluster.Load(ctx, workloads.Small); err != nil {
		return err
	}
	var err error
	if stage.kubeconfig, err = stage.cluster.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{}); err != nil {
		return err
	}
	for _, command := range [][]string{
		{"apply", "--filename", "testdata/objects.yaml"},
		{"create", "job", "nightly-1", "--namespace=keys", "--from=cronjob/nightly"},
		// A DaemonSet whose pods are not updated to its new template.
		{"wait", "daemonset/late", "--namespace=keys", "--for=jsonpath={.status.numberReady}=3"},
		{"set", "image", "daemonset/late", "--namespace=keys", "main=late:2"},
	} {
		result, err := stage.programs.Run(ctx, stage.programs.Environ(stage.home, stage.kubeconfig), "kubectl", command...)
		if err != nil {
			return err
		}
		if result.Code != 0 {
			return fmt.Errorf("kubectl %s: %s", command[0], result.Stderr)
		}
	}
	return nil
}
