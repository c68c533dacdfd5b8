package faults

import (
	"slices"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// operator-framework/operator-sdk#335: a resync, on a timer, was told as an
// update of objects that had not changed.
func TestResyncIsNoChange(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	cms := stage.server.configMaps(t, namespace)
	cms.create("a", "b", "c")
	user := stage.server.user(t, cluster.Admin, in(namespace))
	byDefault := user.tail("configmaps", "-o", "json")
	resyncs := user.tail("configmaps", "-o", "json", "--resync", "1s")
	changes := user.tail("configmaps", "-o", "json", "--resync", "1s", "--events", "modified")

	initial := []string{"ADDED a initial", "ADDED b initial", "ADDED c initial"}
	round := []string{"RESYNC a", "RESYNC b", "RESYNC c"}
	const rounds = 3
	resyncs.until(func(stdout, _ []string) bool { return len(stdout) >= len(initial)+rounds*len(round) })
	told := story(t, resyncs.Lines())
	if !slices.Equal(told[:len(initial)], initial) {
		t.Errorf("told first: %q", told)
	}
	for n := range rounds {
		got := slices.Clone(told[len(initial)+n*len(round):][:len(round)])
		slices.Sort(got) // a cache has no order
		if !slices.Equal(got, round) {
			t.Errorf("got %q in the period %d, want each object once", got, n+1)
		}
	}

	cms.change("b")
	cms.create("last")
	for _, tail := range []*stream{byDefault, resyncs} {
		tail.untilTold("ADDED last")
	}
	changes.untilTold("MODIFIED b")
	byDefault.tells(append(initial, "MODIFIED b", "ADDED last")...)
	changes.tells("MODIFIED b")
	if n := count(story(t, resyncs.Lines()), "MODIFIED "); n != 1 {
		t.Errorf("told %d changes of one", n)
	}
	for _, tail := range []*stream{byDefault, resyncs, changes} {
		tail.says()
		tail.endsBy(syscall.SIGINT)
	}
}
