package stories

import (
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deployment is a Deployment of some pods.
const deployment = `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, labels: {app: %[1]s}}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      containers: [{name: main, image: "%[1]s:1"}]
`

// broken is an image that does not start. Here every image does, so that a gate
// keeps its pods from running.
const broken = `{"spec":{"template":{"spec":{
	"containers":[{"name":"main","image":"worker:broken"}],
	"schedulingGates":[{"name":"example.com/broken-image"}]}}}}`

// rollout is a namespace in which Deployments live and die, and a stream that
// tells of it.
type rollout struct {
	*user
	stream *stream
	ledger *ledger
}

const rolledOut = "deployments,replicasets,pods"

func newRollout(t *testing.T) (*rollout, *watched) {
	user := newUser(t)
	apps := appsv1.SchemeGroupVersion
	truth := watchServer(t, user.namespace, apps.WithResource("deployments"), apps.WithResource("replicasets"),
		corev1.SchemeGroupVersion.WithResource("pods"))
	stream := user.tail(rolledOut, "-o", "json", "--sync-events")
	stream.until(func(stdout, _ []string) bool { return len(stdout) == 3 })
	return &rollout{user: user, stream: stream, ledger: newLedger()}, truth
}

// chapter waits until what was told so far adds up to what the server has: by
// then the Deployments have to be as the chapter leaves them.
func (r *rollout) chapter(name string, left func([]appsv1.Deployment) error) {
	r.t.Helper()
	eventually(r.t, func() error {
		deployments, err := stage.client.AppsV1().Deployments(r.namespace).List(r.t.Context(), metav1.ListOptions{})
		if err == nil {
			err = left(deployments.Items)
		}
		if err == nil {
			list := r.kubectl("get", rolledOut, "-o", "json")
			err = errors.Join(r.ledger.read(r.stream.Lines()), r.ledger.differs(list))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// allUp says that as many Deployments as wanted have all their pods, and no others.
func allUp(want int) func([]appsv1.Deployment) error {
	return func(deployments []appsv1.Deployment) error {
		if len(deployments) != want {
			return fmt.Errorf("there are %d Deployments, not %d", len(deployments), want)
		}
		for _, d := range deployments {
			wanted, status := *d.Spec.Replicas, d.Status
			if status.ObservedGeneration != d.Generation || status.UpdatedReplicas != wanted ||
				status.AvailableReplicas != wanted || status.Replicas != wanted {
				return fmt.Errorf("%s is not up: %+v", d.Name, status)
			}
		}
		return nil
	}
}

// stuck says that one Deployment has new pods, of which none comes up.
func stuck(name string) func([]appsv1.Deployment) error {
	return func(deployments []appsv1.Deployment) error {
		for _, d := range deployments {
			status := d.Status
			if d.Name == name && status.ObservedGeneration == d.Generation && status.UpdatedReplicas > 0 &&
				status.UnavailableReplicas == status.UpdatedReplicas {
				return nil
			}
		}
		return fmt.Errorf("%s is not stuck", name)
	}
}

// A script that follows a rollout by a watch misses what happens between its
// list and its watch, or is told things twice: it never ends up with what the
// server has.
func TestReplayedStreamIsWhatTheServerHas(t *testing.T) {
	t.Parallel()
	r, truth := newRollout(t)
	r.apply(fmt.Sprintf(deployment, "front", 20) + fmt.Sprintf(deployment, "cart", 20) + fmt.Sprintf(deployment, "worker", 10))
	r.chapter("rolled out", allUp(3))
	r.kubectl("scale", "deployment/front", "--replicas=26")
	r.kubectl("scale", "deployment/cart", "--replicas=5")
	r.chapter("scaled up and down", allUp(3))
	r.kubectl("patch", "deployment/worker", "--patch", broken)
	r.chapter("one image broken", stuck("worker"))
	r.kubectl("rollout", "undo", "deployment/worker")
	r.chapter("mended", allUp(3))
	r.kubectl("delete", "deployment/front")
	r.chapter("one deleted", allUp(2))
	r.kubectl("delete", "deployments", "--all")
	r.chapter("all deleted", allUp(0))

	eventually(t, func() error {
		return errors.Join(r.ledger.read(r.stream.Lines()), truth.differs(r.ledger.told))
	})
	deleted := 0
	for uid, told := range r.ledger.told {
		if err := lawful(told); err != nil {
			t.Errorf("%s: %v: %v", uid, err, told)
		}
		if told[len(told)-1].Type == "DELETED" {
			deleted++
		}
	}
	// 3 Deployments, their 3 ReplicaSets and the one of the broken image, and
	// their pods: 50 and 6 more and those of the broken image.
	if least := 3 + 4 + 50 + 6 + 1; deleted != len(r.ledger.told) || deleted < least {
		t.Errorf("told of %d objects and %d deletions, want equally many, and %d at least", len(r.ledger.told), deleted, least)
	}
	r.stream.interrupt()
}
