package tables

import (
	"cmp"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

func pods() family {
	return family{
		corev1.SchemeGroupVersion.WithKind("Pod"): of(
			show("Name", "Ready", "Status", "Restarts", "Age").wide("IP", "Node", "Nominated Node", "Readiness Gates"), podCells),
		corev1.SchemeGroupVersion.WithKind("PodTemplate"): of(show("Name", "Containers", "Images", "Pod Labels"),
			func(o *corev1.PodTemplate, _ clock) []any {
				names, images := containers(o.Template.Spec)
				return []any{o.Name, names, images, labels.FormatLabels(o.Template.Labels)}
			}),
	}
}

func podCells(pod *corev1.Pod, at clock) []any {
	s := summarize(pod)
	restarts := strconv.Itoa(s.restarts)
	if s.restarts > 0 && !s.lastRestart.IsZero() {
		restarts += " (" + at.since(s.lastRestart) + " ago)"
	}
	// What was read of an old server has one address and no list of them.
	ip := pod.Status.PodIP
	if len(pod.Status.PodIPs) > 0 {
		ip = pod.Status.PodIPs[0].IP
	}
	return []any{
		pod.Name, fmt.Sprintf("%d/%d", s.ready, s.total), s.status, restarts, at.age(pod),
		orNone(ip), orNone(pod.Spec.NodeName), orNone(pod.Status.NominatedNodeName), readinessGates(pod),
	}
}

// podSummary is what the cells of a pod are made of.
type podSummary struct {
	ready, total, restarts int
	lastRestart            metav1.Time
	status                 string
}

func summarize(pod *corev1.Pod) podSummary {
	s := podSummary{total: len(pod.Spec.Containers), status: string(cmp.Or(pod.Status.Phase, corev1.PodPending))}
	if pod.Status.Reason != "" {
		s.status = pod.Status.Reason
	}
	if c := podCondition(pod, corev1.PodScheduled, corev1.PodReasonSchedulingGated); c {
		s.status = corev1.PodReasonSchedulingGated
	}
	sidecars := map[string]bool{}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars[c.Name] = true
			s.total++
		}
	}
	initializing := s.countInit(pod, sidecars)
	if !initializing || isTrue(pod, corev1.PodInitialized) {
		s.restarts, s.lastRestart = 0, metav1.Time{}
		for _, c := range pod.Status.InitContainerStatuses {
			if sidecars[c.Name] {
				s.countRestarts(c)
			}
		}
		s.countContainers(pod)
	}
	ended := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
	switch {
	case pod.DeletionTimestamp == nil:
	case pod.Status.Reason == "NodeLost":
		s.status = "Unknown"
	case !ended:
		s.status = "Terminating"
	}
	return s
}

// countInit looks at the init containers up to the first that has not done its part,
// and says whether there is one.
func (s *podSummary) countInit(pod *corev1.Pod, sidecars map[string]bool) (initializing bool) {
	for i, c := range pod.Status.InitContainerStatuses {
		s.countRestarts(c)
		terminated, waiting := c.State.Terminated, c.State.Waiting
		switch {
		case terminated != nil && terminated.ExitCode == 0:
			continue
		case sidecars[c.Name] && ptr.Deref(c.Started, false):
			if c.Ready {
				s.ready++
			}
			continue
		case terminated != nil:
			s.status = "Init:" + endOf(terminated)
		case waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing":
			s.status = "Init:" + waiting.Reason
		default:
			s.status = fmt.Sprintf("Init:%d/%d", i, len(pod.Spec.InitContainers))
		}
		return true
	}
	return false
}

// countContainers looks at the containers from the last: the first one's state counts
// most.
func (s *podSummary) countContainers(pod *corev1.Pod) {
	running, failure := false, ""
	statuses := pod.Status.ContainerStatuses
	for i := len(statuses) - 1; i >= 0; i-- {
		c := statuses[i]
		s.countRestarts(c)
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			s.status = c.State.Waiting.Reason
		case c.State.Terminated != nil:
			s.status = endOf(c.State.Terminated)
			if c.State.Terminated.ExitCode != 0 {
				failure = s.status
			}
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	if s.status != "Completed" {
		return
	}
	switch {
	case running && isTrue(pod, corev1.PodReady):
		s.status = "Running"
	case failure != "":
		s.status = failure
	case running:
		s.status = "NotReady"
	}
}

func (s *podSummary) countRestarts(c corev1.ContainerStatus) {
	s.restarts += int(c.RestartCount)
	if last := c.LastTerminationState.Terminated; last != nil && s.lastRestart.Before(&last.FinishedAt) {
		s.lastRestart = last.FinishedAt
	}
}

func endOf(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return fmt.Sprintf("Signal:%d", t.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", t.ExitCode)
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType, reason string) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind && c.Reason == reason {
			return true
		}
	}
	return false
}

// isTrue looks at the first condition of a type.
func isTrue(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func readinessGates(pod *corev1.Pod) string {
	if len(pod.Spec.ReadinessGates) == 0 {
		return "<none>"
	}
	passed := 0
	for _, gate := range pod.Spec.ReadinessGates {
		if isTrue(pod, gate.ConditionType) {
			passed++
		}
	}
	return fmt.Sprintf("%d/%d", passed, len(pod.Spec.ReadinessGates))
}
