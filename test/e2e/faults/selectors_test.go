package faults

import (
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// selecting matches those requests that have the server select by a field.
func selecting(of faultproxy.Match) faultproxy.Match {
	return func(r faultproxy.Request) bool { return of(r) && r.Query.Get("fieldSelector") != "" }
}

// A server that cannot select by a field is asked for all, and nobody notices.
func TestAServerThatCannotSelectIsAskedForAll(t *testing.T) {
	t.Parallel()
	refusal := faultproxy.Status(apierrors.NewBadRequest("field label not supported: metadata.name").ErrStatus)
	for name, match := range map[string]faultproxy.Match{
		"lists":   selecting(faultproxy.List("configmaps")),
		"watches": selecting(faultproxy.Watch("configmaps")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, namespace := stage.server.httpProxy(t), stage.server.newNamespace(t)
			cms := stage.server.configMaps(t, namespace)
			cms.create("one", "other")
			user := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace))
			proxy.Answer(match, faultproxy.Always, refusal)
			for _, narrowed := range [][]string{{"--by", "name=one"}, {"--where", `object.metadata.name == "one"`}} {
				list := user.informer(append([]string{"list", "configmaps", "-o", "name"}, narrowed...)...)
				if list.Code != 0 || list.Stdout != "configmap/one\n" || list.Stderr != "" {
					t.Errorf("list %q: got %+v", narrowed, list)
				}
				wait := user.informer(append([]string{"wait", "configmaps", "--for=create"}, narrowed...)...)
				if wait.Code != 0 || wait.Stdout != "configmap/one condition met\n" || wait.Stderr != "" {
					t.Errorf("wait %q: got %+v", narrowed, wait)
				}
			}
			tail := user.tail("configmaps", "-o", "json", "--by", "name=one")
			tail.untilTold("ADDED one initial")
			cms.change("other")
			cms.change("one")
			tail.untilTold("MODIFIED one")
			cms.delete("other", "one")
			tail.untilTold("DELETED one")
			tail.says()
			if told := tail.Lines(); len(told) != 3 {
				t.Errorf("told %q", told)
			}
			tail.endsBy(syscall.SIGINT)
			if proxy.Count(match) == 0 {
				t.Error("the server was never asked to select")
			}
		})
	}
}
