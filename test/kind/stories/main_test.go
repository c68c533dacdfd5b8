// Package stories tells what the plugin does on a cluster whose pods really run:
// they crash, end, roll out, and go with their namespace.
//
// The runner knows a cluster by its kubeconfig alone. $INFORMER_TEST_KUBECONFIG
// names one, which `make kind-test` does for a kind cluster and `make kind-stories`
// for any other; it has a name of its own, so that a test run never reaches a
// cluster that merely happens to be in $KUBECONFIG. Without it the stories run on
// the embedded control plane, where kwok plays the kubelets.
//
// $INFORMER_TEST_PLUGIN is the folder of an installed plugin; without it the
// plugin is built. $INFORMER_TEST_IMAGE is an image with a shell.
package stories

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"k8s.io/client-go/kubernetes"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// stage is what all stories share; it is set once, before any of them runs.
var stage struct {
	programs harness.Programs
	// kubeconfig is how the cluster is reached: one context, nothing in other files.
	kubeconfig *clientcmdapi.Config
	client     kubernetes.Interface
	// kubelets says that pods really run.
	kubelets bool
	// environment is what programs find around them beside the harness's own.
	environment []string
	// home is a home directory for programs.
	home string
}

func TestMain(m *testing.M) {
	harness.Overlap(4)
	harness.Exit(harness.Run(m, start))
}

func start(ctx context.Context, dir string) (end func() error, err error) {
	kubeconfig, end, err := findCluster(ctx, dir)
	if err != nil {
		return end, err
	}
	if err := reach(ctx, kubeconfig); err != nil {
		return end, err
	}
	stage.programs, err = findPrograms(ctx, dir)
	return end, err
}

// findCluster returns the kubeconfig of the cluster that is named, or of one that
// it starts, and what ends that. It sets what programs find around them.
func findCluster(ctx context.Context, dir string) (kubeconfig string, end func() error, err error) {
	cache := "KUBECACHEDIR=" + filepath.Join(dir, "cache")
	if named := os.Getenv("INFORMER_TEST_KUBECONFIG"); named != "" {
		// What logs in to the cluster may need the tester's own home and variables.
		stage.home, stage.environment = os.Getenv("HOME"), append(os.Environ(), cache)
		return named, nil, nil
	}
	stage.home, stage.environment = dir, []string{cache}
	embedded, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return "", nil, err
	}
	if err := embedded.Load(ctx, workloads.Small); err != nil {
		return "", embedded.Stop, err
	}
	kubeconfig, err = embedded.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{})
	return kubeconfig, embedded.Stop, err
}

// findPrograms links the programs that stories run into dir.
func findPrograms(ctx context.Context, dir string) (harness.Programs, error) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		if kubectl, err = cluster.BinaryPath("kubectl"); err != nil {
			return harness.Programs{}, fmt.Errorf("there is no kubectl on the PATH: %w", err)
		}
	}
	plugin := filepath.Join(os.Getenv("INFORMER_TEST_PLUGIN"), "kubectl-informer")
	if os.Getenv("INFORMER_TEST_PLUGIN") == "" {
		plugin, err = harness.BuildPlugin(ctx, dir)
	} else {
		plugin, err = exec.LookPath(plugin)
	}
	if err != nil {
		return harness.Programs{}, err
	}
	return harness.Link(dir, plugin, kubectl)
}
