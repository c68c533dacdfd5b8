package tables

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

func policies() family {
	autoscalerColumns := show("Name", "Reference", "Targets", "MinPods", "MaxPods", "Replicas", "Age")
	return family{
		policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"): of(
			show("Name", "Min Available", "Max Unavailable", "Allowed Disruptions", "Age"), disruptionBudget),
		autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"): of(autoscalerColumns, autoscaler),
		autoscalingv1.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"): of(autoscalerColumns, autoscalerV1),
	}
}

func disruptionBudget(o *policyv1.PodDisruptionBudget, at clock) []any {
	bound := func(n *intstr.IntOrString) string {
		if n == nil {
			return "N/A"
		}
		return n.String()
	}
	return []any{o.Name, bound(o.Spec.MinAvailable), bound(o.Spec.MaxUnavailable), o.Status.DisruptionsAllowed, at.age(o)}
}

func autoscaler(o *autoscalingv2.HorizontalPodAutoscaler, at clock) []any {
	specs := o.Spec.Metrics
	if len(specs) == 0 {
		specs = []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
			Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{AverageUtilization: ptr.To[int32](80)},
		}}}
	}
	var metrics []string
	for i, spec := range specs {
		var status autoscalingv2.MetricStatus
		if i < len(o.Status.CurrentMetrics) {
			status = o.Status.CurrentMetrics[i]
		}
		metrics = append(metrics, metric(spec, status))
	}
	return []any{
		o.Name, o.Spec.ScaleTargetRef.Kind + "/" + o.Spec.ScaleTargetRef.Name, firstOf(2, metrics, ", ", "<none>"),
		ptr.Deref(o.Spec.MinReplicas, oneReplica), o.Spec.MaxReplicas, o.Status.CurrentReplicas, at.age(o),
	}
}

// metric is the present value of a metric, and its target. The present one is unknown
// where the status has none, or one of another kind.
func metric(spec autoscalingv2.MetricSpec, status autoscalingv2.MetricStatus) string {
	switch {
	case spec.Type == autoscalingv2.ExternalMetricSourceType && spec.External != nil:
		var now *autoscalingv2.MetricValueStatus
		if status.External != nil {
			now = &status.External.Current
		}
		return valueOrAverage(spec.External.Target, now)
	case spec.Type == autoscalingv2.ObjectMetricSourceType && spec.Object != nil:
		var now *autoscalingv2.MetricValueStatus
		if status.Object != nil {
			now = &status.Object.Current
		}
		return valueOrAverage(spec.Object.Target, now)
	case spec.Type == autoscalingv2.PodsMetricSourceType && spec.Pods != nil:
		now := unknown
		if status.Pods != nil {
			now = status.Pods.Current.AverageValue.String()
		}
		return now + "/" + spec.Pods.Target.AverageValue.String()
	case spec.Type == autoscalingv2.ResourceMetricSourceType && spec.Resource != nil:
		var now *autoscalingv2.MetricValueStatus
		if status.Resource != nil {
			now = &status.Resource.Current
		}
		return string(spec.Resource.Name) + ": " + utilization(spec.Resource.Target, now)
	case spec.Type == autoscalingv2.ContainerResourceMetricSourceType && spec.ContainerResource != nil:
		var now *autoscalingv2.MetricValueStatus
		if status.ContainerResource != nil {
			now = &status.ContainerResource.Current
		}
		return string(spec.ContainerResource.Name) + ": " + utilization(spec.ContainerResource.Target, now)
	}
	return "<unknown type>"
}

const unknown = "<unknown>"

func valueOrAverage(target autoscalingv2.MetricTarget, now *autoscalingv2.MetricValueStatus) string {
	current := unknown
	if target.AverageValue != nil {
		if now != nil && now.AverageValue != nil {
			current = now.AverageValue.String()
		}
		return current + "/" + target.AverageValue.String() + " (avg)"
	}
	if now != nil {
		current = now.Value.String()
	}
	return current + "/" + target.Value.String()
}

func utilization(target autoscalingv2.MetricTarget, now *autoscalingv2.MetricValueStatus) string {
	current := unknown
	if target.AverageValue != nil {
		if now != nil {
			current = now.AverageValue.String()
		}
		return current + "/" + target.AverageValue.String()
	}
	if now != nil && now.AverageUtilization != nil {
		current = fmt.Sprintf("%d%%", *now.AverageUtilization)
	}
	wanted := "<auto>"
	if target.AverageUtilization != nil {
		wanted = fmt.Sprintf("%d%%", *target.AverageUtilization)
	}
	return current + "/" + wanted
}
