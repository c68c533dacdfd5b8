//go:build unix

// Package k9s tests plugins.yaml, the keys for k9s: against k9s' own schema and
// source, by running what each key runs on a control plane, and, where a built
// k9s is given, by pressing the keys in it.
package k9s

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

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
	code, err := run(m)
	if err == nil {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "informer-k9s-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	stage.home = filepath.Join(dir, "home")
	bin := filepath.Join(dir, "bin")
	for _, folder := range []string{stage.home, bin} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return 1, err
		}
	}
	if stage.programs, err = harness.Build(ctx, bin); err != nil {
		return 1, err
	}
	if stage.cluster, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return 1, err
	}
	defer stage.cluster.Stop()
	if err := prepare(ctx); err != nil {
		return 1, err
	}
	return m.Run(), nil
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
