package faults

import (
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// kubernetes/kubernetes#140890: behind a proxy that loses the bookmark which
// ends a streaming list, an informer waited for ever, without an error.
func TestLostClosingBookmarkHoldsNothingUp(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.httpProxy(t), stage.server.newNamespace(t)
	proxy.DropClosingBookmark(true)
	cms := stage.server.configMaps(t, namespace)
	cms.create("a")
	for _, variable := range []string{"", "KUBE_FEATURE_WatchListClient=false", "KUBE_FEATURE_WatchListClient=true"} {
		user := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace))
		if variable != "" {
			user.setenv(variable)
		}
		list := user.run(atOnce, "kubectl-informer", "list", "configmaps", "-o", "name")
		if list.Code != 0 || list.Stdout != "configmap/a\n" || list.Stderr != "" {
			t.Errorf("%s: got %+v", variable, list)
		}
		tail := user.run(atOnce, "kubectl-informer", "tail", "configmaps", "-o", "json", "--max-events", "1")
		if told := story(t, lines(tail.Stdout)); tail.Code != 0 || strings.Join(told, "\n") != "ADDED a initial" || tail.Stderr != "" {
			t.Errorf("%s: got %+v", variable, tail)
		}
	}
}
