package index

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// IsKubernetes says whether Kubernetes itself defines the kinds of a group, so
// that it is known what they have. A group that is missing here, such as one of
// a later Kubernetes, is read as a custom resource's.
func IsKubernetes(group string) bool {
	switch group {
	case "", "apps", "autoscaling", "batch", "policy",
		"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "authentication.k8s.io",
		"authorization.k8s.io", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io",
		"flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io", "lifecycle.k8s.io", "networking.k8s.io",
		"node.k8s.io", "rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io",
		"storagemigration.k8s.io":
		return true
	}
	return false
}

// hasPhase leaves out Node, whose phase Kubernetes no longer sets.
func hasPhase(kind schema.GroupKind) bool {
	switch kind {
	case schema.GroupKind{Kind: "Namespace"},
		schema.GroupKind{Kind: "PersistentVolume"},
		schema.GroupKind{Kind: "PersistentVolumeClaim"},
		schema.GroupKind{Kind: "Pod"}:
		return true
	}
	return false
}

// hasConditions says whether a kind's status has conditions.
func hasConditions(kind schema.GroupKind) bool {
	switch kind.Group {
	case "":
		switch kind.Kind {
		case "Namespace", "Node", "PersistentVolumeClaim", "Pod", "ReplicationController", "Service":
			return true
		}
	case "apps":
		return kind.Kind != "ControllerRevision"
	case "certificates.k8s.io":
		return kind.Kind == "CertificateSigningRequest" || kind.Kind == "PodCertificateRequest"
	case "resource.k8s.io":
		return kind.Kind == "DeviceTaintRule" || kind.Kind == "ResourcePoolStatusRequest"
	case "scheduling.k8s.io":
		return kind.Kind == "PodGroup" || kind.Kind == "CompositePodGroup"
	case "flowcontrol.apiserver.k8s.io", "lifecycle.k8s.io":
		return true
	}
	switch kind {
	case schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"},
		schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
		schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"},
		schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
		schema.GroupKind{Group: "batch", Kind: "Job"},
		schema.GroupKind{Group: "internal.apiserver.k8s.io", Kind: "StorageVersion"},
		schema.GroupKind{Group: "networking.k8s.io", Kind: "ServiceCIDR"},
		schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"},
		schema.GroupKind{Group: "storagemigration.k8s.io", Kind: "StorageVersionMigration"}:
		return true
	}
	return false
}

func phaseSources(kind schema.GroupKind, custom bool) []source {
	if custom || hasPhase(kind) {
		return []source{at("status.phase")}
	}
	return nil
}

func conditionSources(kind schema.GroupKind, custom bool) []source {
	switch {
	case kind == schema.GroupKind{Kind: "ComponentStatus"}:
		return []source{typeAndStatus("conditions[*]")}
	case custom || hasConditions(kind):
		return []source{typeAndStatus("status.conditions[*]")}
	}
	return nil
}

// typeAndStatus reads conditions as TYPE=STATUS.
func typeAndStatus(path string) source {
	conditions := nodes(path)
	return source{
		reads: "." + path + ", as TYPE=STATUS", needs: cache.Whole,
		values: func(v *view, value func(string)) {
			conditions.walk(v, func(condition reflect.Value) {
				name, status := memberText(condition, "type"), memberText(condition, "status")
				if name != "" && status != "" {
					value(name + "=" + status)
				}
			})
		},
	}
}
