package dump

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/discovery"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// requestTimeout bounds each request to the server.
const requestTimeout = 30 * time.Second

// fixture is a client for an API server without any type of its own; it is set
// once, before any test runs.
var fixture *discovery.DiscoveryClient

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
	if fixture, err = discovery.NewDiscoveryClientForConfig(config); err != nil {
		return 1, err
	}
	return m.Run(), nil
}
