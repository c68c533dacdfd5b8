package tables

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// oneReplica is how many replicas are meant where none are given.
const oneReplica int32 = 1

func workloads() family {
	apps := appsv1.SchemeGroupVersion
	return family{
		apps.WithKind("Deployment"):  of(show("Name", "Ready", "Up-to-date", "Available", "Age").wide("Containers", "Images", "Selector"), deployment),
		apps.WithKind("ReplicaSet"):  of(show("Name", "Desired", "Current", "Ready", "Age").wide("Containers", "Images", "Selector"), replicaSet),
		apps.WithKind("StatefulSet"): of(show("Name", "Ready", "Age").wide("Containers", "Images"), statefulSet),
		apps.WithKind("DaemonSet"): of(show("Name", "Desired", "Current", "Ready", "Up-to-date", "Available", "Node Selector", "Age").
			wide("Containers", "Images", "Selector"), daemonSet),
		apps.WithKind("ControllerRevision"): of(show("Name", "Controller", "Revision", "Age"), controllerRevision),
		corev1.SchemeGroupVersion.WithKind("ReplicationController"): of(
			show("Name", "Desired", "Current", "Ready", "Age").wide("Containers", "Images", "Selector"), replicationController),
	}
}

func deployment(o *appsv1.Deployment, at clock) []any {
	names, images := containers(o.Spec.Template.Spec)
	selector := "<invalid>"
	if parsed, err := metav1.LabelSelectorAsSelector(o.Spec.Selector); err == nil {
		selector = parsed.String()
	}
	return []any{
		o.Name, fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, ptr.Deref(o.Spec.Replicas, oneReplica)),
		o.Status.UpdatedReplicas, o.Status.AvailableReplicas, at.age(o), names, images, selector,
	}
}

func replicaSet(o *appsv1.ReplicaSet, at clock) []any {
	names, images := containers(o.Spec.Template.Spec)
	return []any{
		o.Name, ptr.Deref(o.Spec.Replicas, oneReplica), o.Status.Replicas, o.Status.ReadyReplicas, at.age(o),
		names, images, metav1.FormatLabelSelector(o.Spec.Selector),
	}
}

func replicationController(o *corev1.ReplicationController, at clock) []any {
	template := ptr.Deref(o.Spec.Template, corev1.PodTemplateSpec{})
	names, images := containers(template.Spec)
	selector := o.Spec.Selector
	if len(selector) == 0 {
		selector = template.Labels
	}
	return []any{
		o.Name, ptr.Deref(o.Spec.Replicas, oneReplica), o.Status.Replicas, o.Status.ReadyReplicas, at.age(o),
		names, images, labels.FormatLabels(selector),
	}
}

func statefulSet(o *appsv1.StatefulSet, at clock) []any {
	names, images := containers(o.Spec.Template.Spec)
	ready := fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, ptr.Deref(o.Spec.Replicas, oneReplica))
	return []any{o.Name, ready, at.age(o), names, images}
}

func daemonSet(o *appsv1.DaemonSet, at clock) []any {
	names, images := containers(o.Spec.Template.Spec)
	s := o.Status
	return []any{
		o.Name, s.DesiredNumberScheduled, s.CurrentNumberScheduled, s.NumberReady, s.UpdatedNumberScheduled, s.NumberAvailable,
		labels.FormatLabels(o.Spec.Template.Spec.NodeSelector), at.age(o), names, images, metav1.FormatLabelSelector(o.Spec.Selector),
	}
}

func controllerRevision(o *appsv1.ControllerRevision, at clock) []any {
	controller := "<none>"
	if owner := metav1.GetControllerOf(o); owner != nil {
		kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
		controller = strings.ToLower(kind.String()) + "/" + owner.Name
	}
	return []any{o.Name, controller, o.Revision, at.age(o)}
}

// containers are the names of the containers, and their images.
func containers(pod corev1.PodSpec) (names, images string) {
	var allNames, allImages []string
	for _, c := range pod.Containers {
		allNames, allImages = append(allNames, c.Name), append(allImages, c.Image)
	}
	return strings.Join(allNames, ","), strings.Join(allImages, ",")
}
