package dump

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/discovery"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
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

func TestMain(m *testing.M) { harness.Exit(harness.Run(m, start)) }

func start(ctx context.Context, dir string) (end func() error, err error) {
	fixture.home = dir
	server, err := cluster.Start(ctx, cluster.Options{APIServerOnly: true})
	if err != nil {
		return nil, err
	}
	end = server.Stop
	config, err := server.Config(cluster.Admin)
	if err != nil {
		return end, err
	}
	if fixture.client, err = discovery.NewDiscoveryClientForConfig(config); err != nil {
		return end, err
	}
	if fixture.types, err = builtinTypes(ctx); err != nil {
		return end, err
	}
	if fixture.kubectl, err = cluster.BinaryPath("kubectl"); err != nil {
		return end, err
	}
	fixture.kubeconfig, err = server.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{})
	return end, err
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
	streams := process.Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(dump), Out: &out, ErrOut: &errOut}}
	cmd.Main(t.Context(), append([]string{"kubectl-informer", "list", "--from", "-"}, args...), streams)
	return out.String(), errOut.String()
}
