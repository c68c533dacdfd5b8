// Package contexts tests what users see of questions to several clusters: the built
// plugin on two control planes, with a third context whose server is down, and a fourth
// whose user has no rights.
package contexts

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// stage is what all tests share; it is set once, before any of them runs.
var stage struct {
	programs   harness.Programs
	west, east *cluster.Cluster
	kubeconfig string
	// home is a home directory for programs: kubectl's discovery cache is there.
	home string
}

func TestMain(m *testing.M) {
	code, err := harness.Run(m, start)
	harness.Exit(code, errors.Join(err, goleak.Find()))
}

// start starts the clusters and builds the plugin, one after the other.
func start(ctx context.Context, dir string) (end func() error, err error) {
	stage.home = dir
	var started []*cluster.Cluster
	end = func() error {
		var errs []error
		for _, c := range started {
			errs = append(errs, c.Stop())
		}
		return errors.Join(errs...)
	}
	for _, c := range []**cluster.Cluster{&stage.west, &stage.east} {
		if *c, err = cluster.Start(ctx, cluster.Options{APIServerOnly: true}); err != nil {
			return end, err
		}
		started = append(started, *c)
	}
	if stage.programs, err = harness.Build(ctx, dir); err != nil {
		return end, err
	}
	stage.kubeconfig = filepath.Join(dir, "kubeconfig")
	return end, writeKubeconfig()
}

// writeKubeconfig writes a kubeconfig with the contexts of all.
func writeKubeconfig() error {
	all := clientcmdapi.NewConfig()
	all.Contexts["down"] = &clientcmdapi.Context{Cluster: "down", Namespace: "shop"}
	all.Clusters["down"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
	for _, one := range []struct {
		name, user string
		cluster    *cluster.Cluster
	}{{"west", cluster.Admin, stage.west}, {"east", cluster.Admin, stage.east}, {"blind", cluster.Nobody, stage.east}} {
		path, err := one.cluster.Kubeconfig(one.user, cluster.KubeconfigOptions{Namespace: "shop"})
		if err != nil {
			return err
		}
		config, err := clientcmd.LoadFromFile(path)
		if err != nil {
			return err
		}
		own := config.Contexts[config.CurrentContext]
		all.Clusters[one.name], all.AuthInfos[one.name] = config.Clusters[own.Cluster], config.AuthInfos[own.AuthInfo]
		all.Contexts[one.name] = &clientcmdapi.Context{Cluster: one.name, AuthInfo: one.name, Namespace: "shop"}
	}
	return clientcmd.WriteToFile(*all, stage.kubeconfig)
}

func environ() []string { return stage.programs.Environ(stage.home, stage.kubeconfig) }

// TestScripts runs the stories in testdata, each in namespaces of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		Setup:               func(env *testscript.Env) error { return harness.SetUpScript(env, environ()) },
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                stage.programs.ScriptCommands(),
	})
}
