package incluster

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const lease = "informer-leader"

// replicas are the containers of the Deployment's two pods, which share the volume of
// the state.
func (p *place) replicas() (a, b *container) {
	p.Helper()
	pods := p.deployed("deployment.yaml")
	state := map[string]string{"/state": p.TempDir()}
	return newContainer(p.T, pods[0], state), newContainer(p.T, pods[1], state)
}

// holder is who holds the Lease.
func (p *place) holder() string {
	p.Helper()
	l, err := stage.client.CoordinationV1().Leases(p.namespace).Get(p.Context(), lease, metav1.GetOptions{})
	if err != nil {
		p.Fatal(err)
	}
	return ptr.Deref(l.Spec.HolderIdentity, "")
}

// hold gives the Lease to a replica that is none of ours.
func (p *place) hold(holder string) {
	p.Helper()
	patch := fmt.Sprintf(`{"spec":{"holderIdentity":%q}}`, holder)
	_, err := stage.client.CoordinationV1().Leases(p.namespace).Patch(p.Context(), lease, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		p.Fatal(err)
	}
}

// ours are the events of three Deployments that nothing else changes.
func ours(t *testing.T, p *process) []string {
	t.Helper()
	return story(events(t, p.Lines(), "one", "two", "three"))
}

func TestWhatALeaderThatIsKilledHasReportedIsNotReportedAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a, b := p.replicas()
	p.labelled("one", "1")
	first := a.start()
	first.says("leading: lease " + p.namespace + "/" + lease + " is held by this process, ")
	first.tells("ADDED", `"name":"one"`)
	second := b.start()
	second.says("waiting to become the leader: lease " + p.namespace + "/" + lease + " is held by ")
	a.untilHealthy()
	b.untilHealthy() // to wait is healthy
	p.labelled("one", "2")
	first.tells("MODIFIED", `"name":"one"`, `"turn":"2"`)
	p.labelled("two", "1")
	first.tells(`"name":"two"`, `"observedGeneration":1`)
	if lines := second.Lines(); len(lines) > 0 {
		t.Errorf("who waits reports %q", lines)
	}

	if err := first.Kill(); err != nil { // kill -9: the Lease is still held
		t.Fatal(err)
	}
	p.labelled("three", "1")
	p.kubectl("delete", "deployment", "one")
	second.says("leading: ")
	second.tells("ADDED", `"name":"three"`)
	second.tells("DELETED", `"name":"one"`)
	// The last one may be repeated: that there is another, or what its controller has noted in it.
	got := slices.DeleteFunc(ours(t, second), func(told string) bool {
		return told == "ADDED two 1 since state" || told == "MODIFIED two 1 since state"
	})
	if want := []string{"ADDED three 1 since state", "DELETED one 2 since state"}; !slices.Equal(got, want) {
		t.Errorf("after the leader was killed, the other reports %q, want %q", got, want)
	}
	b.untilHealthy()
}

func TestALeaderThatIsToEndHandsOverAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a, b := p.replicas()
	p.labelled("one", "1")
	first := a.start()
	first.says("leading: ")
	first.tells("ADDED", `"name":"one"`)
	held := p.holder()
	impatient := b.start("--timeout", "3s").end()
	if want := "error: timed out before all objects were listed: " + held + " leads\n"; impatient.Code != 124 || !strings.HasSuffix(impatient.Stderr, want) {
		t.Errorf("who waits for no more than three seconds: %+v", impatient)
	}
	second := b.start()
	second.says("waiting to become the leader: ")
	if err := first.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if ended := first.end(); ended.Code != 143 {
		t.Errorf("after SIGTERM: %+v", ended)
	}
	if p.holder() == held {
		t.Error("who has ended still holds the Lease")
	}
	p.labelled("one", "2")
	second.says("leading: ")
	second.tells("MODIFIED", `"name":"one"`)
	// It may lead before the change, or after it.
	if got := ours(t, second); !slices.Equal(got, []string{"MODIFIED one 2"}) && !slices.Equal(got, []string{"MODIFIED one 2 since state"}) {
		t.Errorf("the next leader reports %q", got)
	}
}

// COMMANDs would have ten minutes to end by themselves.
func TestALeaseThatIsTakenAwayEndsTheLeaderAndItsCommands(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a, _ := p.replicas()
	p.labelled("one", "1")
	a.spec.Args = slices.Delete(a.spec.Args, slices.Index(a.spec.Args, "-o"), len(a.spec.Args))
	leads := a.start("--by", "name=one", "--grace-period", "10m", "--", "sh", "-c", `trap "" TERM; echo begun; while :; do sleep 1; done`)
	leads.tells("begun")
	a.untilHealthy()
	p.hold("somebody")
	ended := leads.end()
	if want := "error: no longer the leader: lease " + p.namespace + "/" + lease + " is held by somebody\n"; ended.Code != 1 || !strings.HasSuffix(ended.Stderr, want) {
		t.Errorf("got %+v, want it to end with %q", ended, want)
	}
	if got := p.holder(); got != "somebody" {
		t.Errorf("%q holds the Lease", got)
	}
	if probe := a.probe(a.spec.LivenessProbe); probe.Code != 1 {
		t.Errorf("the probe of who has ended is %+v", probe)
	}
}

// A stream that ends by itself leaves the Lease to the next one at once.
func TestAStreamThatEndsByItselfReleasesTheLease(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a, b := p.replicas()
	p.labelled("one", "1")
	p.labelled("two", "1")
	for _, c := range []*container{a, b} {
		c.spec.Args = []string{"tail", "deployments", "-l", "turn", "--leader-elect", lease, "--state", "/state/deployments", "-o", "json"}
	}
	var told []string
	for _, run := range []struct {
		by     *container
		until  string
		events int
	}{{a, "--max-events=1", 1}, {b, "--until-synced", 1}, {a, "--until-synced", 0}} {
		ended := run.by.start(run.until).end()
		if ended.Code != 0 || strings.Count(ended.Stdout, "\n") != run.events || !strings.HasPrefix(ended.Stderr, "leading: ") {
			t.Errorf("%s: %+v", run.until, ended)
		}
		if holder := p.holder(); holder != "" {
			t.Errorf("%s: %q holds the Lease", run.until, holder)
		}
		told = append(told, slices.Collect(strings.Lines(ended.Stdout))...)
	}
	if got := story(events(t, told)); len(got) != 2 || !strings.HasPrefix(got[0], "ADDED one 1") || !strings.HasPrefix(got[1], "ADDED two 1") {
		t.Errorf("reported is %q", got)
	}
}
