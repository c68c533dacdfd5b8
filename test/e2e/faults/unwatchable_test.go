package faults

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// kubernetes/kubernetes#75438: a type that can be listed and not watched made an
// informer fail over and over.
func TestUnwatchableTypeIsListedAndNotFollowed(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	stage.server.configMaps(t, namespace).create("a")
	user := stage.server.user(t, cluster.Admin, in(namespace))
	inOrder := func(result harness.Result) harness.Result { // the server has none for this type
		all := lines(result.Stdout)
		slices.Sort(all)
		result.Stdout = strings.Join(all, "\n")
		return result
	}
	for _, args := range [][]string{{"componentstatuses", "-o", "name"}, {"cs", "etcd-0", "-o", "json"}} {
		ours := inOrder(user.run(atOnce, "kubectl-informer", append([]string{"list"}, args...)...))
		theirs := inOrder(user.kubectl(append([]string{"get"}, args...)...))
		if ours != theirs {
			t.Errorf("list %v: got %+v, want kubectl's %+v", args, ours, theirs)
		}
	}
	const cannot = "error: componentstatuses cannot be watched: "
	checkSays(t, user.refused("tail", "componentstatuses"), cannot)
	both := user.informer("tail", "cs,configmaps", "-o", "json", "--max-events", "1")
	if told := story(t, lines(both.Stdout)); both.Code != 1 || strings.Join(told, "\n") != "ADDED a initial" {
		t.Errorf("with another type: got exit code %d and %q", both.Code, told)
	}
	checkSays(t, lines(both.Stderr), cannot)
	createPod(t, namespace, "web")
	all := user.informer("tail", "all", "-o", "json", "--max-events", "1")
	if told := story(t, lines(all.Stdout)); all.Code != 0 || strings.Join(told, "\n") != "ADDED web initial" || all.Stderr != "" {
		t.Errorf("all: got %+v", all)
	}
}
