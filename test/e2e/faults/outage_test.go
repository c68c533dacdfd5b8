package faults

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

const (
	connectionLost = "connection lost: "
	connectionBack = "connection is back"
)

// connectionNotice are the lines about connections; those with no types are about all.
var connectionNotice = regexp.MustCompile(`^connection (?:is )?(lost|back|interrupted)(?: for ([^:]+?))?(?:: .*| after [0-9.hm]+s)$`)

// kubernetes/kubernetes#42552: a watch ended after one network blip, with exit
// code 0 and without a word.
func TestStreamOutlivesCutsAndLosesNothing(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.tcpProxy(t), stage.server.newNamespace(t)
	cms := stage.server.configMaps(t, namespace)
	tail := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace)).
		tail("configmaps", "-o", "json", "--sync-events")
	tail.untilTold("SYNCED")
	want := []string{"SYNCED"}
	create := func(name string) {
		cms.create(name)
		want = append(want, "ADDED "+name)
	}
	const blips, outages = 3, 2
	for n := range blips {
		create(fmt.Sprintf("before-blip-%d", n))
		proxy.Cut()
		create(fmt.Sprintf("after-blip-%d", n))
		tail.untilTold(fmt.Sprintf("ADDED after-blip-%d", n))
	}
	for n := range outages {
		said := count(tail.Notices(), connectionBack)
		proxy.Refuse()
		proxy.Cut()
		create(fmt.Sprintf("in-outage-%d", n))
		tail.untilSays(connectionLost, said+1)
		create(fmt.Sprintf("late-in-outage-%d", n))
		resume(t, proxy)
		tail.untilSays(connectionBack, said+1)
	}
	create("last")
	tail.untilTold("ADDED last")
	tail.tells(want...)
	if lost := count(tail.Notices(), connectionLost); lost > blips+outages {
		t.Errorf("got %d notices for %d outages: %q", lost, blips+outages, tail.Notices())
	}
	checkPairs(t, tail.Notices())
	tail.endsBy(syscall.SIGINT)
}

// resume ends what was wrong with a proxy.
func resume(t *testing.T, proxy *faultproxy.TCP) {
	t.Helper()
	if err := proxy.Resume(); err != nil {
		t.Fatal(err)
	}
}

// checkPairs checks that nothing is said but that the connection is lost, and
// back, in turn: of all types in one line, or of those that are named.
func checkPairs(t *testing.T, notices []string) {
	t.Helper()
	all, lost := false, map[string]bool{} // lost has the types that differ from all
	isLost := func(name string) bool {
		said, ok := lost[name]
		return said || !ok && all
	}
	for n, line := range notices {
		match := connectionNotice.FindStringSubmatch(line)
		switch {
		case match == nil:
			t.Errorf("line %d of stderr is %q", n+1, line)
			continue
		case match[1] == "interrupted": // and back, in one line
			continue
		}
		loss := match[1] == "lost"
		if match[2] == "" {
			if loss && all && len(lost) == 0 {
				t.Errorf("line %d of stderr repeats a loss: %q", n+1, line)
			}
			if !loss && !all && !slices.Contains(slices.Collect(maps.Values(lost)), true) {
				t.Errorf("line %d of stderr is %q, and nothing was lost", n+1, line)
			}
			all = loss
			clear(lost)
			continue
		}
		for name := range strings.SplitSeq(match[2], ", ") {
			if isLost(name) == loss {
				t.Errorf("line %d of stderr is %q, which is known of %s", n+1, line, name)
			}
			lost[name] = loss
		}
	}
}

// What an informer is told after a server has come back without its history of
// changes is a new list: what a user is told must not look like one.
func TestServerWithoutItsHistoryIsListedAnew(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	namespace := s.newNamespace(t)
	documents, table := s.changeUnseen(t, namespace)
	const initial = 5
	of := map[string][]told{}
	for _, event := range events(t, documents.Lines())[initial:] {
		name := event.Object.Metadata.Name
		of[name] = append(of[name], event)
	}
	// kubernetes/kubernetes#81638
	t.Run("unchanged objects are not reported again", func(t *testing.T) {
		if again := append(of["same-1"], of["same-2"]...); len(again) > 0 {
			t.Errorf("got %v", again)
		}
	})
	t.Run("a change is reported once", func(t *testing.T) {
		if got := of["changed"]; len(got) != 1 || got[0].Type != "MODIFIED" {
			t.Errorf("got %v", got)
		}
	})
	// istio/istio#25226
	t.Run("a deletion is reported with its object", func(t *testing.T) {
		got := of["deleted"]
		if len(got) != 1 || got[0].Type != "DELETED" || !got[0].FinalStateUnknown ||
			got[0].Object.Kind != "ConfigMap" || got[0].Object.Metadata.Namespace != namespace {
			t.Errorf("got %v", got)
		}
	})
	// kubernetes/kubernetes PR#133565
	t.Run("a new object under an old name is a deletion and an addition", func(t *testing.T) {
		got := of["replaced"]
		if len(got) != 2 || got[0].Type != "DELETED" || got[1].Type != "ADDED" ||
			got[0].Object.Metadata.UID == got[1].Object.Metadata.UID {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a table reports the same", func(t *testing.T) {
		got := story(t, table.Lines())
		got = got[initial : len(got)-1]
		slices.Sort(got) // a new list is compared in no order
		want := []string{"ADDED replaced", "DELETED deleted", "DELETED replaced", "MODIFIED changed"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	documents.endsBy(syscall.SIGTERM)
	table.endsBy(syscall.SIGINT)
}

// changeUnseen changes objects while two streams are cut off from the server,
// which then forgets the changes. They have been told all, up to one object more.
func (s *server) changeUnseen(t *testing.T, namespace string) (documents, table *stream) {
	t.Helper()
	proxy, cms := s.tcpProxy(t), s.configMaps(t, namespace)
	cms.create("same-1", "same-2", "changed", "deleted", "replaced")
	user := s.user(t, cluster.Admin, through(proxy.URL()), in(namespace))
	documents, table = user.tail("configmaps", "-o", "json"), user.tail("configmaps")
	documents.untilTold("ADDED same-2 initial")
	table.untilTold("ADDED same-2")

	proxy.Refuse()
	proxy.Cut()
	cms.change("changed")
	cms.change("changed")
	cms.delete("deleted", "replaced")
	cms.create("replaced")
	s.crash(t)
	resume(t, proxy)

	documents.untilTold("DELETED deleted finalStateUnknown")
	table.untilTold("DELETED deleted")
	for _, tail := range []*stream{documents, table} {
		tail.untilTold("ADDED replaced")
		tail.untilTold("MODIFIED changed")
	}
	cms.create("last")
	documents.untilTold("ADDED last")
	table.untilTold("ADDED last")
	return documents, table
}

// crash ends the server as a crash does, and starts it again.
func (s *server) crash(t *testing.T) {
	t.Helper()
	s.KillAPIServer()
	if err := s.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// restart has the server close its watches, and starts it again.
func (s *server) restart(t *testing.T) {
	t.Helper()
	if err := s.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A server that crashes resets its connections, one that is stopped closes its
// watches; both refuse new ones then and, when they are back, deny their users
// at first what they may.
func TestStreamOutlivesRestartsOfTheServer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	namespace := s.newNamespace(t)
	cms := s.configMaps(t, namespace)
	cms.create("first")
	// A user whose rights the server has to look up: the admin has them built in.
	tail := s.user(t, cluster.Viewer, in(namespace)).tail("configmaps,pods,services", "-o", "json", "--sync-events")
	tail.until(func(stdout, _ []string) bool { return count(stdout, `{"type":"SYNCED"`) == 3 })
	told := len(tail.Lines())
	s.crash(t)
	cms.create("after-crash")
	tail.untilTold("ADDED after-crash")
	s.restart(t)
	cms.create("after-restart")
	tail.untilTold("ADDED after-restart")
	if more := story(t, tail.Lines()[told:]); !slices.Equal(more, []string{"ADDED after-crash", "ADDED after-restart"}) {
		t.Errorf("told after the crash: %q", more)
	}

	// The three types share one connection, and a word about it.
	s.KillAPIServer()
	tail.until(func(_, stderr []string) bool {
		return strings.HasPrefix(lastLine(strings.Join(stderr, "\n")), connectionLost)
	})
	if lost := count(tail.Notices(), connectionLost); lost > 3 {
		t.Errorf("got %d notices for 3 outages: %q", lost, tail.Notices())
	}
	checkPairs(t, tail.Notices())
	tail.endsBy(syscall.SIGINT)
}
