// Package contexts tests what users see of questions to several clusters: the built
// plugin on two control planes, with a third context whose server is down, and a fourth
// whose user has no rights. The control planes are of one release, or of two: west is of
// the present one, east of that which the environment names (see test/cluster).
package contexts

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/binaries"
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
	for _, one := range []struct {
		cluster **cluster.Cluster
		release binaries.Release
	}{{&stage.west, binaries.Present}, {&stage.east, ""}} {
		*one.cluster, err = cluster.Start(ctx, cluster.Options{APIServerOnly: true, Release: one.release})
		if err != nil {
			return end, err
		}
		started = append(started, *one.cluster)
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

// TestScripts runs the stories in testdata, each in namespaces of its own; where the two
// clusters are of two releases those in testdata/skew as well, of what these differ in.
func TestScripts(t *testing.T) {
	folders := []string{"testdata"}
	if stage.east.Release() == binaries.Previous {
		folders = append(folders, filepath.Join("testdata", "skew"))
	}
	var stories []string
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s has no stories: %v", folder, err)
		}
		stories = append(stories, found...)
	}
	testscript.Run(t, testscript.Params{
		Files:               stories,
		Setup:               func(env *testscript.Env) error { return harness.SetUpScript(env, environ()) },
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                stage.programs.ScriptCommands(),
	})
}

// Nothing else would notice that what was to run against two releases did not.
func TestEachServerIsOfTheReleaseThatIsAskedFor(t *testing.T) {
	minors := map[string]int{}
	for _, in := range clusters {
		var version struct {
			Server struct{ Minor string } `json:"serverVersion"`
		}
		if err := json.Unmarshal([]byte(ask(t, "kubectl", "--context", in, "version", "-o", "json").Stdout), &version); err != nil {
			t.Fatal(err)
		}
		minor, err := strconv.Atoi(version.Server.Minor)
		if err != nil {
			t.Fatal(err)
		}
		minors[in] = minor
	}
	older := stage.east.Release() == binaries.Previous
	if stage.west.Release() != binaries.Present || older != (minors["east"] < minors["west"]) || !older && minors["east"] != minors["west"] {
		t.Errorf("the releases %s and %s are 1.%d and 1.%d", stage.west.Release(), stage.east.Release(), minors["west"], minors["east"])
	}
}
