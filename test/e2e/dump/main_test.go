package dump

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/discovery"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// requestTimeout bounds each request to the server.
const requestTimeout = 30 * time.Second

// fixture is an API server without controllers; it is set once, before any test
// runs.
var fixture struct {
	client *discovery.DiscoveryClient
	// types are those that the server has before any are defined.
	types      apidiscovery.APIGroupDiscoveryList
	kubectl    string
	kubeconfig string
	home       string
}

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	server, err := cluster.Start(ctx, cluster.Options{APIServerOnly: true})
	if err != nil {
		return 1, err
	}
	defer server.Stop()
	config, err := server.Config(cluster.Admin)
	if err != nil {
		return 1, err
	}
	if fixture.client, err = discovery.NewDiscoveryClientForConfig(config); err != nil {
		return 1, err
	}
	if fixture.types, err = builtinTypes(ctx); err != nil {
		return 1, err
	}
	if fixture.kubectl, err = cluster.BinaryPath("kubectl"); err != nil {
		return 1, err
	}
	if fixture.kubeconfig, err = server.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{}); err != nil {
		return 1, err
	}
	if fixture.home, err = os.MkdirTemp("", "informer-dump-"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(fixture.home)
	return m.Run(), nil
}

// kubectl returns what kubectl prints on stdout.
func kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), requestTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, fixture.kubectl, args...)
	command.Env = []string{"HOME=" + fixture.home, "KUBECONFIG=" + fixture.kubeconfig}
	command.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	stdout, err := command.Output()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(stdout)
}

// list returns what the plugin prints on stdout and on stderr, of a dump on stdin.
func list(t *testing.T, dump string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	streams := cmd.Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(dump), Out: &out, ErrOut: &errOut}}
	cmd.Main(t.Context(), append([]string{"kubectl-informer", "list", "--from", "-"}, args...), streams)
	return out.String(), errOut.String()
}
