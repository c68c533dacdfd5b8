package faults

import (
	"maps"
	"os"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// relists are how often a type was listed again, by the reasons that --stats=json names.
type relists map[string]int64

// listedAgain ends a stream, and checks how often, and why, it has listed each type again.
func (s *stream) listedAgain(want map[string]relists) {
	s.t.Helper()
	if err := s.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	d, err := s.end().Stats()
	if err != nil {
		s.t.Fatal(err)
	}
	var all, sum int64
	for _, i := range d.Informers {
		got := relists{}
		for reason, count := range i.Reflector.RelistReasons {
			got[string(reason)] = count
			all += count
		}
		if of := want[i.Target.Resource]; !maps.Equal(got, of) {
			s.t.Errorf("%s was listed again: %v, want %v", i.Target.Resource, got, of)
		}
		if lists := i.Reflector.Lists; lists < 1 || i.Reflector.Relists > 0 && lists < 2 {
			s.t.Errorf("%s: %d complete lists, %d again", i.Target.Resource, lists, i.Reflector.Relists)
		}
		sum += i.Reflector.Relists
	}
	if len(d.Informers) != len(want) || sum != all || d.Sum.Reflector.Relists != all {
		s.t.Errorf("%d informers, %d reasons, relists %d and in sum %d", len(d.Informers), all, sum, d.Sum.Reflector.Relists)
	}
}

// A server that has lost the history of its changes answers a watch with 410.
func TestStatsSayThatAWatchHasExpired(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	proxy, namespace := s.tcpProxy(t), s.newNamespace(t)
	cms := s.configMaps(t, namespace)
	cms.create("seen")
	tail := s.user(t, cluster.Admin, through(proxy.URL()), in(namespace)).
		tail("configmaps", "-o", "json", "--sync-events", "--stats=json")
	tail.untilTold("SYNCED")
	for _, name := range []string{"unseen", "unseen-again"} {
		proxy.Refuse()
		proxy.Cut()
		cms.change("seen")
		cms.create(name)
		s.crash(t)
		resume(t, proxy)
		tail.untilTold("ADDED " + name)
	}
	// A watch that is only cut goes on where it was.
	proxy.Cut()
	cms.create("last")
	tail.untilTold("ADDED last")
	tail.listedAgain(map[string]relists{"configmaps": {"Expired": 2}})
}
