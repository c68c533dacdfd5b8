package faults

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// A proxy loses a deletion: only a comparison with the server shows it.
func TestVerificationMendsWhatAWatchHasLost(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.httpProxy(t), stage.server.newNamespace(t)
	proxy.Swallow(func(event []byte) bool { return bytes.Contains(event, []byte("DELETED")) })
	cms := stage.server.configMaps(t, namespace)
	cms.create("lost")
	cms.create("kept")
	user := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace))
	tail := user.tail("configmaps", "--verify-every", "1s", "-o", "json", "--stats=json")
	tail.untilTold("ADDED kept initial")
	tail.untilTold("ADDED lost initial")
	cms.delete("lost")
	tail.untilTold("DELETED lost finalStateUnknown")
	tail.until(func(_, stderr []string) bool {
		said := strings.Join(stderr, "\n")
		return strings.Contains(said, "the cache of configmaps in namespace \""+namespace+"\" differs from the server in one object:\n  "+
			namespace+"/lost is in the cache, and not on the server\nlisting configmaps in namespace \""+namespace+"\" again")
	})
	tail.listedAgain(map[string]relists{"configmaps": {"Requested": 1}})
}

// Of a list that is right there is nothing to say; of one that cannot be compared there is.
func TestVerifyOfAListIsSilentOrAnError(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	stage.server.configMaps(t, namespace).create("a")
	user := stage.server.user(t, cluster.Admin, in(namespace))
	for _, question := range []string{"configmaps", "configmaps --chunk-size 1", "configmaps -o json", "configmap a", "configmaps,secrets --by name=a", "configmaps --shard 0/2"} {
		result := user.informer(append([]string{"list", "--verify"}, strings.Fields(question)...)...)
		if result.Code != 0 || result.Stderr != "" && !strings.HasPrefix(result.Stderr, "No resources found") {
			t.Errorf("%s: %+v", question, result)
		}
	}
	refused := user.refused("list", "configmaps", "--verify", "--watch")
	if want := `error: --verify cannot be used with --watch: "tail --verify-every" compares while it goes on`; refused[0] != want {
		t.Errorf("got %q, want %q", refused, want)
	}
}
