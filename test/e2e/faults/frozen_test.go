//go:build unix

package faults

import (
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// A server that accepts connections and never answers held a command for ever,
// deaf to Ctrl-C.
func TestFrozenServerEndsTheCommandInTime(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.tcpProxy(t), stage.server.newNamespace(t)
	user := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace))
	user.informer("list", "pods") // now discovery is cached
	proxy.Freeze()
	for _, command := range []string{"list", "tail"} {
		result := user.informer(command, "pods", "--sync-timeout", "2s")
		if result.Code != 124 || result.Stdout != "" || !strings.Contains(result.Stderr, "timed out waiting for pods") {
			t.Errorf("%s: got %+v", command, result)
		}
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		connections := proxy.Connections()
		tail := user.tail("pods")
		eventually(t, func() error { return more(proxy.Connections(), connections) })
		tail.endsBy(signal)
	}
}

// A list that --request-timeout had ended was tried again until --sync-timeout,
// where kubectl gives up after one.
func TestRequestTimeoutEndsAFirstList(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.tcpProxy(t), stage.server.newNamespace(t)
	user := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace))
	user.informer("list", "pods")
	proxy.Freeze()
	const want = "Unable to connect to the server: "
	theirs := user.kubectl("get", "pods", "--request-timeout", "2s")
	if theirs.Code != 1 || !strings.HasPrefix(lastLine(theirs.Stderr), want) {
		t.Errorf("kubectl: got %+v", theirs)
	}
	for _, args := range [][]string{{"list", "pods"}, {"list", "pod/a"}, {"list", "pods,cm", "--count-by", "name"}, {"tail", "pods"}, {"wait", "pods", "--for=delete"}} {
		checkSays(t, user.refused(append(args, "--request-timeout", "2s")...), want)
	}
}

// The same where no discovery is cached: the questions for types hang first.
func TestFrozenServerEndsDiscoveryInTime(t *testing.T) {
	t.Parallel()
	proxy := stage.server.tcpProxy(t)
	proxy.Freeze()
	user := stage.server.user(t, cluster.Admin, through(proxy.URL()))
	tail := user.tail("pods")
	eventually(t, func() error { return more(proxy.Connections(), 0) })
	tail.endsBy(syscall.SIGINT)
	for _, args := range [][]string{{"list", "pods"}, {"tail", "pods"}, {"wait", "pods", "--for=delete"}, {"query", "pods"}} {
		result := user.informer(append(args, "--sync-timeout", "2s")...)
		if result.Code != 124 || result.Stdout != "" {
			t.Errorf("%v: got %+v", args, result)
		}
		checkSays(t, lines(result.Stderr), "error: timed out waiting for the server to say which resource types it has: no progress for 2s")
	}
	// client-go gives a TLS handshake ten seconds.
	list := user.informer("list", "pods")
	if list.Code != 1 || list.Stdout != "" {
		t.Errorf("got %+v", list)
	}
	checkSays(t, lines(list.Stderr), "Unable to connect to the server: ")
}
