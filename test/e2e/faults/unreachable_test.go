package faults

import (
	"testing"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/loopback"
)

// A server that cannot be reached is tried again by informers, without end and
// without a word. It is an error at once, in the words of kubectl.
func TestUnreachableServerEndsTheCommandAtOnce(t *testing.T) {
	t.Parallel()
	port, err := loopback.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]func(*clientcmdapi.Config){
		"refused":           through("https://" + loopback.Address(port)),
		"no such host":      through("https://no-such-host.invalid:6443"),
		"unknown authority": reaching(func(c *clientcmdapi.Cluster) { c.CertificateAuthorityData = nil }),
		"wrong host":        reaching(func(c *clientcmdapi.Cluster) { c.TLSServerName = "elsewhere.example.com" }),
		"plain HTTP":        through("http://" + stage.server.Address()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user := stage.server.user(t, cluster.Admin, wrong)
			want := lastLine(user.kubectl("get", "pods").Stderr)
			for _, args := range [][]string{{"list", "pods"}, {"tail", "pods"}, {"list", "pods", "--count-by", "node"}} {
				checkSays(t, user.refused(args...), want)
			}
		})
	}
}

// The same where discovery is cached: the first that is tried is the list.
func TestUnreachableServerEndsTheCommandBehindCachedDiscovery(t *testing.T) {
	t.Parallel()
	proxy := stage.server.tcpProxy(t)
	user := stage.server.user(t, cluster.Admin, through(proxy.URL()))
	user.informer("list", "pods")
	proxy.Refuse()
	want := lastLine(user.kubectl("get", "pods").Stderr)
	for _, command := range []string{"list", "tail"} {
		checkSays(t, user.refused(command, "pods"), want)
	}
}

// client-go's log is for those who ask for it: every other test of this package
// checks that it is silent, this one that it would be seen.
func TestClientsLogIsSeenWithVerbosity(t *testing.T) {
	t.Parallel()
	user := stage.server.user(t, cluster.Admin)
	result, err := stage.programs.Run(t.Context(), user.env, "kubectl-informer", "list", "configmaps", "-v", "6")
	if err != nil {
		t.Fatal(err)
	}
	if result.Noise() == nil {
		t.Errorf("no log line at -v=6: %q", result.Stderr)
	}
	user.informer("list", "configmaps", "-v", "1")
}
