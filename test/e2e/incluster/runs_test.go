package incluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// event is a line of a stream in JSON.
type event struct {
	Type   watch.EventType
	Object metav1.PartialObjectMetadata
	Since  string
}

// events reads lines of a stream; those of an object that is not asked about are left out.
func events(t *testing.T, lines []string, asked ...string) (all []event) {
	t.Helper()
	for _, line := range lines {
		var one event
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if len(asked) == 0 || slices.Contains(asked, one.Object.Name) {
			all = append(all, one)
		}
	}
	return all
}

// story puts events into a few words each, in order.
func story(all []event) (story []string) {
	for _, one := range all {
		words := fmt.Sprint(one.Type, " ", one.Object.Name)
		if turn := one.Object.Labels["turn"]; turn != "" {
			words += " " + turn
		}
		if one.Since != "" {
			words += " since " + one.Since
		}
		story = append(story, words)
	}
	return slices.Sorted(slices.Values(story))
}

func TestThePodsOfTheJobListEachObjectOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	want := p.configMaps(12)
	var listed []string
	for _, pod := range p.deployed("job.yaml") {
		part := newContainer(t, pod, nil).start().succeeds()
		if len(part) == len(want) {
			t.Errorf("the pod %s lists all %d objects", pod.Name, len(part))
		}
		listed = append(listed, part...)
	}
	if slices.Sort(listed); !slices.Equal(listed, want) {
		t.Errorf("listed are %q, there are %q", listed, want)
	}
}

func TestThePodsOfTheStatefulSetShareThePods(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pods := p.deployed("statefulset.yaml")
	var told, want []string
	var containers []*container
	var running []*process
	for _, pod := range pods {
		want = append(want, pod.Name)
		c := newContainer(t, pod, nil)
		containers, running = append(containers, c), append(running, c.start())
	}
	for n, c := range containers {
		c.untilHealthy()
		for name, probe := range map[string]int{
			"readiness": c.probe(c.spec.ReadinessProbe).Code, "liveness": c.probe(c.spec.LivenessProbe).Code,
		} {
			if probe != 0 {
				t.Errorf("the %s probe of a healthy pod fails", name)
			}
		}
		if err := running[n].Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		ended := running[n].end()
		for _, one := range events(t, strings.Split(strings.TrimSuffix(ended.Stdout, "\n"), "\n")[:strings.Count(ended.Stdout, "\n")]) {
			if one.Type == watch.Added {
				told = append(told, one.Object.Name)
			}
		}
		if probe := c.probe(c.spec.LivenessProbe); ended.Code != 143 || probe.Code != 1 || !strings.HasPrefix(probe.Stderr, "error: not healthy: ") {
			t.Errorf("after SIGTERM: %+v, and the probe is %+v", ended, probe)
		}
	}
	if slices.Sort(told); !slices.Equal(told, want) {
		t.Errorf("reported are %q, there are %q", told, want)
	}
}

func TestTheSecondRunOfTheCronJobReportsChangesAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pod := p.deployed("cronjob.yaml")[0]
	state := map[string]string{"/state": t.TempDir()}
	run := func() []string {
		t.Helper()
		return story(events(t, newContainer(t, pod, state).start().succeeds()))
	}
	p.labelled("one", "1")
	p.labelled("two", "1")
	if got, want := run(), []string{"ADDED one 1", "ADDED two 1"}; !slices.Equal(got, want) {
		t.Errorf("the first run reports %q, want %q", got, want)
	}
	p.labelled("one", "2")
	p.kubectl("delete", "deployment", "two")
	p.labelled("three", "1")
	// The deployment controller writes a status of its own.
	want := []string{"ADDED three 1 since state", "DELETED two 1 since state", "MODIFIED one 2 since state"}
	if got := run(); !slices.Equal(got, want) {
		t.Errorf("the second run reports %q, want %q", got, want)
	}
}

// A pod whose API server does not answer any more is not ready, and is again.
func TestTheProbesOfAPodSeeThatTheConnectionIsLost(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pods := p.deployed("deployment.yaml")
	proxy, err := stage.cluster.TCPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	leads := newContainer(t, pods[0], nil)
	leads.server = proxy.URL()
	leads.start().says("leading: ")
	waits := newContainer(t, pods[1], nil)
	waits.server = proxy.URL()
	waits.start().says("waiting to become the leader: ")
	both := []*container{leads, waits}
	for _, c := range both {
		c.untilHealthy()
	}
	proxy.Refuse()
	proxy.Cut()
	// The leader has lost the Lease before long, and ends.
	for _, c := range both {
		p.eventually(func() error {
			probe := c.probe(c.spec.ReadinessProbe, "--max-age=5s")
			if probe.Code != 1 || !strings.HasPrefix(probe.Stderr, "error: not healthy: ") {
				return fmt.Errorf("the connection is lost, and the probe is %+v", probe)
			}
			return nil
		})
	}
	if err := proxy.Resume(); err != nil {
		t.Fatal(err)
	}
	waits.untilHealthy()
}

// untilMay waits until authorizers know that a pod may watch a type, or may not; they
// learn of rights by watching.
func (p *place) untilMay(watchType string, pod corev1.Pod, want bool) {
	p.Helper()
	p.eventually(func() error {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               "system:serviceaccount:" + p.namespace + ":" + pod.Spec.ServiceAccountName,
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: p.namespace, Verb: "watch", Resource: watchType},
		}}
		answer, err := stage.client.AuthorizationV1().SubjectAccessReviews().Create(p.Context(), review, metav1.CreateOptions{})
		if err == nil && answer.Status.Allowed != want {
			return fmt.Errorf("that %s may be watched is %v", watchType, answer.Status.Allowed)
		}
		return err
	})
}

// Of two types one may not be read any more: it ends by itself, and that does not heal.
func TestAPodThatMayNotReadATypeAnyMoreIsNotHealthy(t *testing.T) {
	t.Parallel()
	p, m := newPlace(t), read(t, "statefulset.yaml")
	proxy, err := stage.cluster.TCPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.grant(m, []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods", "configmaps"}, Verbs: []string{"list", "watch"}}})
	c := newContainer(t, p.imagined(m), nil)
	c.spec.Args[slices.Index(c.spec.Args, "pods")], c.server = "pods,configmaps", proxy.URL()
	p.untilMay("configmaps", c.pod, true)
	running := c.start()
	c.untilHealthy()

	revocation := []byte(`[{"op":"replace","path":"/rules/0/resources","value":["pods"]}]`)
	if _, err := stage.client.RbacV1().Roles(p.namespace).Patch(t.Context(), find[*rbacv1.Role](t, m).Name, types.JSONPatchType, revocation, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	p.untilMay("configmaps", c.pod, false)
	proxy.Cut() // a watch that is open goes on
	p.eventually(func() error {
		probe := c.probe(c.spec.LivenessProbe, "--max-age=5s")
		if said := strings.Join(running.Notices(), "\n"); probe.Code != 1 || !strings.Contains(said, "configmaps is forbidden") {
			return fmt.Errorf("%+v, and stderr is %s", probe, said)
		}
		return nil
	})
	if err := running.Signal(syscall.SIGTERM); err != nil || running.end().Code != 143 {
		t.Errorf("with one type left it goes on: %v", err)
	}
}
