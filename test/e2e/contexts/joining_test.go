package contexts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// each is the form of output in which tests read events: a line for each.
const each = "go-template={{.type}} {{.context}}{{with .object}} {{.metadata.name}}{{end}}"

// behindProxy returns a TCP proxy in front of the west, and the environment of programs
// to which the west is behind it.
func behindProxy(t *testing.T) (*faultproxy.TCP, []string) {
	t.Helper()
	proxy, err := stage.west.TCPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	return proxy, through(t, proxy.URL())
}

// through is the environment of programs that reach the west at another address. They have
// a home, and with it a discovery cache, of their own.
func through(t *testing.T, west string) []string {
	t.Helper()
	all := clientcmdapi.NewConfig()
	for name, at := range map[string]struct {
		cluster *cluster.Cluster
		server  string
	}{"west": {stage.west, west}, "east": {stage.east, ""}} {
		path, err := at.cluster.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Server: at.server})
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.LoadFromFile(path)
		if err != nil {
			t.Fatal(err)
		}
		own := config.Contexts[config.CurrentContext]
		all.Clusters[name], all.AuthInfos[name] = config.Clusters[own.Cluster], config.AuthInfos[own.AuthInfo]
		all.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*all, path); err != nil {
		t.Fatal(err)
	}
	return stage.programs.Environ(dir, path)
}

// kubectl runs kubectl in a context.
func kubectl(t *testing.T, in string, args ...string) {
	t.Helper()
	result, err := stage.programs.Run(t.Context(), environ(), "kubectl", append([]string{"--context", in}, args...)...)
	if err != nil || result.Code != 0 {
		t.Fatalf("kubectl %q in %s: %v, %d: %s", args, in, err, result.Code, result.Stderr)
	}
}

// firstObjects creates a namespace with a ConfigMap in both clusters.
func firstObjects(t *testing.T, namespace string) {
	t.Helper()
	for _, in := range []string{"west", "east"} {
		kubectl(t, in, "create", "namespace", namespace)
		kubectl(t, in, "-n", namespace, "create", "configmap", "first")
	}
}

// following is a stream under test.
type following struct {
	*testing.T
	*harness.Stream
}

func follow(t *testing.T, env []string, args ...string) following {
	t.Helper()
	tail, err := stage.programs.Start(t.Context(), env, "kubectl-informer", append([]string{"tail"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tail.Kill() })
	return following{t, tail}
}

func (f following) until(lines func(stdout, stderr []string) []string, words ...string) {
	f.Helper()
	for _, one := range words {
		if err := f.Until(says(lines, one)); err != nil {
			f.Fatal(err)
		}
	}
}

// ends waits for the end, and checks the exit code and that each event was reported once.
func (f following) ends(code int, events ...string) harness.Result {
	f.Helper()
	result, err := f.Wait()
	if err != nil || result.Code != code {
		f.Errorf("ended with %d, %v, want %d: %s", result.Code, err, code, result.Stderr)
	}
	if err := result.Noise(); err != nil {
		f.Error(err)
	}
	for _, event := range events {
		if n := strings.Count(result.Stdout, event+"\n"); n != 1 {
			f.Errorf("%q is reported %d times:\n%s", event, n, result.Stdout)
		}
	}
	return result
}

// The second time discovery is cached: then it is the first contact that hangs.
func TestEventsOfAClusterFlowWhileAnotherHangs(t *testing.T) {
	firstObjects(t, "hanging")
	proxy, env := behindProxy(t)
	for n := range 2 {
		proxy.Freeze()
		tail := follow(t, env, "cm", "-n", "hanging", "--contexts", "west,east", "-o", each, "--sync-events")
		tail.until(onStdout, "ADDED east first", "SYNCED east")
		meanwhile := fmt.Sprintf("meanwhile-%d", n)
		kubectl(t, "east", "-n", "hanging", "create", "configmap", meanwhile)
		tail.until(onStdout, "ADDED east "+meanwhile)
		if strings.Contains(strings.Join(tail.Lines(), "\n"), "west") {
			t.Errorf("the west has answered already:\n%q", tail.Lines())
		}
		if err := proxy.Resume(); err != nil {
			t.Fatal(err)
		}
		tail.until(onStdout, "ADDED west first", "SYNCED west")
		if err := tail.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		tail.ends(130, "ADDED west first", "SYNCED west", "ADDED east first", "SYNCED east", "ADDED east "+meanwhile)
	}
}

func TestAClusterThatIsDownAtTheStartJoinsWhenItIsUp(t *testing.T) {
	firstObjects(t, "joining")
	stage.west.KillAPIServer()
	health := filepath.Join(t.TempDir(), "healthy")
	both := []string{"cm", "-n", "joining", "--contexts", "west,east"}
	tail := follow(t, environ(), append(both, "-o", each, "--sync-events", "--health-file", health)...)
	command := follow(t, environ(), append(both, "--max-events", "2", "--once", "--", "sh", "-c", "echo $INFORMER_EVENT $INFORMER_CONTEXT $INFORMER_NAME")...)
	news := follow(t, environ(), append(both, "--watch-only", "--max-events", "1", "-o", each)...)
	for _, one := range []following{tail, command, news} {
		one.until(onStderr, `context "west": The connection to the server `)
	}
	tail.until(onStdout, "ADDED east first", "SYNCED east")
	command.until(onStdout, "ADDED east first")
	if _, err := os.Stat(health); err == nil {
		t.Error("a stream that lacks a cluster is taken to be healthy")
	}
	if err := stage.west.StartAPIServer(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, one := range []following{tail, command, news} {
		one.until(onStderr, `connection is back for configmaps in context "west" after `)
	}
	tail.until(onStdout, "ADDED west first", "SYNCED west")
	command.ends(0, "ADDED east first", "ADDED west first")
	if err := harness.Eventually(t.Context(), func() error { _, err := os.Stat(health); return err }); err != nil {
		t.Errorf("all are followed: %v", err)
	}
	kubectl(t, "west", "-n", "joining", "create", "configmap", "after")
	tail.until(onStdout, "ADDED west after")
	if err := tail.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	result := tail.ends(130, "ADDED west first", "SYNCED west", "ADDED east first", "SYNCED east", "ADDED west after")
	if n := strings.Count(result.Stderr, `context "west": The connection to the server `); n != 1 {
		t.Errorf("that the west is down is reported %d times:\n%s", n, result.Stderr)
	}
	news.ends(0, "ADDED west after")
}

// A proxy loses a deletion: only a comparison of the cache with its own server shows it.
func TestTheCacheOfEachClusterIsComparedWithItsServer(t *testing.T) {
	firstObjects(t, "compared")
	proxy, err := stage.west.HTTPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	proxy.Swallow(func(event []byte) bool { return bytes.Contains(event, []byte("DELETED")) })
	tail := follow(t, through(t, proxy.URL()), "cm", "-n", "compared", "--contexts", "west,east", "-o", each, "--verify-every", "1s")
	tail.until(onStdout, "ADDED east first", "ADDED west first")
	kubectl(t, "west", "-n", "compared", "delete", "configmap", "first")
	tail.until(onStdout, "DELETED west first")
	tail.until(onStderr, `the cache of configmaps in namespace "compared" in context "west" differs from the server in one object:`)
	if err := tail.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if result := tail.ends(130, "DELETED west first"); strings.Contains(result.Stderr, `in context "east" differs`) {
		t.Error(result.Stderr)
	}
}

// In the second round discovery is cached: then it is the first list of a list that hangs.
func TestAClusterThatHangsKeepsNoAnswerForLongerThanItsTimeOut(t *testing.T) {
	firstObjects(t, "bounded")
	proxy, env := behindProxy(t)
	ask := func(args string) harness.Result {
		t.Helper()
		result, err := stage.programs.Run(t.Context(), env, "kubectl-informer", append(strings.Fields(args), "--contexts", "west,east")...)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	for range 2 {
		proxy.Freeze()
		for _, test := range []struct {
			args   string
			code   int
			stderr string
		}{
			{"list cm -n bounded -o name --sync-timeout 1s", 124, "timed out waiting for "},
			{"list cm -n bounded -o name --request-timeout 1s", 1, `context "west"`},
			{"tail cm -n bounded -o name --until-synced --sync-timeout 1s", 124, "timed out waiting for "},
			{"tail cm -n bounded -o name --timeout 3s", 124, `the server of context "west" has not answered`},
			{"tail cm -n bounded -o name --max-events 1", 0, ""},
		} {
			result := ask(test.args)
			if result.Code != test.code || result.Stdout != "configmap/first\n" && !strings.Contains(test.args, "--timeout") || !strings.Contains(result.Stderr, test.stderr) ||
				result.Code != 0 && !strings.Contains(result.Stderr, `context "west"`) {
				t.Errorf("%s: %d\n%s%s", test.args, result.Code, result.Stdout, result.Stderr)
			}
		}
		if err := proxy.Resume(); err != nil {
			t.Fatal(err)
		}
		if result := ask("list cm -n bounded -o name"); result.Code != 0 || strings.Count(result.Stdout, "configmap/first\n") != 2 {
			t.Fatalf("%d\n%s%s", result.Code, result.Stdout, result.Stderr)
		}
	}
}
