package match

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// UnknownConditions are the conditions asked for by name that no object of the set has,
// or may get as far as is known; present are those that they have or may get.
func (t *Tally) UnknownConditions() (asked, present []string) {
	wanted := map[string]bool{}
	for _, c := range []*Condition{t.condition, t.failing} {
		for _, one := range c.terms {
			if status, ok := one.term.(statusCondition); ok {
				wanted[status.name] = true
			}
		}
	}
	found := map[string]bool{}
	learn := func(name string) {
		found[name] = true
		maps.DeleteFunc(wanted, func(asked string, _ bool) bool { return strings.EqualFold(asked, name) })
	}
	for id, m := range t.members {
		if len(wanted) == 0 {
			return nil, nil
		}
		for _, name := range append(knownConditions(id.kind), m.conditions()...) {
			learn(name)
		}
	}
	return slices.Sorted(maps.Keys(wanted)), slices.Sorted(maps.Keys(found))
}

// conditions are the names of the conditions that an object has.
func (m *member) conditions() (names []string) {
	if m.row == nil {
		return nil
	}
	object, err := m.row.Unstructured()
	if err != nil {
		return nil // which its verdict says
	}
	status, _ := object.Object["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, one := range conditions {
		condition, _ := one.(map[string]any)
		if name, ok := condition["type"].(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// knownConditions are those that objects of a kind get in the course of their lives.
func knownConditions(kind schema.GroupKind) []string {
	switch kind {
	case schema.GroupKind{Kind: "Pod"}:
		return texts(corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady, corev1.DisruptionTarget)
	case schema.GroupKind{Kind: "Node"}:
		return texts(corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeNetworkUnavailable)
	case schema.GroupKind{Group: appsv1.GroupName, Kind: "Deployment"}:
		return texts(appsv1.DeploymentAvailable, appsv1.DeploymentProgressing, appsv1.DeploymentReplicaFailure)
	case schema.GroupKind{Group: batchv1.GroupName, Kind: "Job"}:
		return texts(batchv1.JobComplete, batchv1.JobFailed, batchv1.JobSuspended, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet)
	}
	return nil
}

func texts[T ~string](names ...T) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = string(name)
	}
	return out
}
