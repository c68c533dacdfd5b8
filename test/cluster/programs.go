package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/binaries"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/loopback"
)

// BinaryPath returns the path of a program of the control plane, for example
// "kubectl". The error says to run `make controlplane` where it is not built.
func BinaryPath(name string) (string, error) { return binaries.Present.Path(name) }

// ControlPlaneDir returns the folder that holds the programs. The error says to
// run `make controlplane` where they are not built.
func ControlPlaneDir() (string, error) { return binaries.Present.Dir() }

// releaseVariable names the environment variable that says of which release the
// Kubernetes programs of a cluster are whose options do not: "present", as without it,
// or "previous".
const releaseVariable = "INFORMER_TEST_KUBERNETES"

// release is the one that a cluster's Kubernetes programs are of.
func (o Options) release() (binaries.Release, error) {
	if o.Release != "" {
		return o.Release, nil
	}
	switch name := os.Getenv(releaseVariable); name {
	case "", "present":
		return binaries.Present, nil
	case "previous":
		return binaries.Previous, nil
	default:
		return "", fmt.Errorf("%s is %q: it has to be present or previous", releaseVariable, name)
	}
}

// binaryPath returns the path of a program that the cluster runs.
func (c *Cluster) binaryPath(name string) (string, error) {
	if strings.HasPrefix(name, "kube-") {
		return c.kubernetes.Path(name)
	}
	return BinaryPath(name)
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

// etcdSocket is where etcd listens: a socket in our own folder can neither be
// taken by another program nor be reached by another user.
func (c *Cluster) etcdSocket() string { return c.path("etcd.sock") }

func (c *Cluster) etcdArgs() []string {
	clients := "unix://" + c.etcdSocket()
	// There are no peers: the listener for them takes any port.
	const peers = "http://" + loopback.Host + ":0"
	return []string{
		"--data-dir=" + c.path("etcd"),
		"--listen-client-urls=" + clients, "--advertise-client-urls=" + clients,
		"--listen-peer-urls=" + peers, "--initial-advertise-peer-urls=" + peers,
		"--initial-cluster=default=" + peers,
		// Nothing that is written has to survive the machine.
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
}

// apiServerArgs are for an API server on a port, which finds etcd at a socket.
func (c *Cluster) apiServerArgs(port int, etcd string) []string {
	return append([]string{
		"--etcd-servers=unix://" + etcd,
		"--bind-address=" + loopback.Host, fmt.Sprintf("--secure-port=%d", port),
		// The address in the Endpoints of the Service kubernetes may not be a
		// loopback one, and the machine may have no other: one for documentation.
		"--advertise-address=192.0.2.1",
		// Told to stop, it ends its watches instead of waiting for their clients.
		"--shutdown-watch-termination-grace-period=5s",
		"--cert-dir=" + c.path("cert-dir"),
		"--tls-cert-file=" + c.path("apiserver.crt"), "--tls-private-key-file=" + c.path("apiserver.key"),
		"--token-auth-file=" + c.path("tokens.csv"), "--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.path("service-accounts.key"),
		"--service-account-signing-key-file=" + c.path("service-accounts.key"),
		// Pods that never run need no tokens, and without this check they can be
		// created in a namespace from its first moment.
		"--disable-admission-plugins=ServiceAccount",
	}, c.options.APIServerFlags...)
}

func (c *Cluster) controllerManagerArgs() []string {
	return []string{
		"--kubeconfig=" + c.path("controllers.kubeconfig"),
		"--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file=" + c.path("service-accounts.key"),
		// The defaults are for sharing a server with others.
		"--kube-api-qps=1000", "--kube-api-burst=2000",
	}
}

func (c *Cluster) schedulerArgs() []string {
	return []string{
		"--kubeconfig=" + c.path("controllers.kubeconfig"),
		"--leader-elect=false", "--secure-port=0",
		"--kube-api-qps=1000", "--kube-api-burst=2000",
	}
}

func (c *Cluster) kwokArgs() []string {
	return []string{
		"--kubeconfig=" + c.path("controllers.kubeconfig"),
		"--config=" + filepath.Join(c.programs, binaries.Stages),
		"--manage-all-nodes=true", "--node-lease-duration-seconds=40",
		"--cidr=10.244.0.0/16", "--node-ip=10.0.0.1",
	}
}
