package tables

import (
	"encoding/json"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// autoscalerV1 prints an autoscaler of the version that has a field for the CPU, and
// keeps its other metrics in annotations. A server puts those first.
func autoscalerV1(o *autoscalingv1.HorizontalPodAutoscaler, at clock) []any {
	same := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: o.ObjectMeta}
	same.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference(o.Spec.ScaleTargetRef)
	same.Spec.MinReplicas, same.Spec.MaxReplicas = o.Spec.MinReplicas, o.Spec.MaxReplicas
	same.Status.CurrentReplicas = o.Status.CurrentReplicas
	for _, spec := range annotated[autoscalingv1.MetricSpec](o, "autoscaling.alpha.kubernetes.io/metrics") {
		same.Spec.Metrics = append(same.Spec.Metrics, specV1(spec))
	}
	if cpu := o.Spec.TargetCPUUtilizationPercentage; cpu != nil {
		same.Spec.Metrics = append(same.Spec.Metrics, autoscalingv2.MetricSpec{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{
				Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{AverageUtilization: cpu},
			},
		})
	}
	for _, status := range annotated[autoscalingv1.MetricStatus](o, "autoscaling.alpha.kubernetes.io/current-metrics") {
		same.Status.CurrentMetrics = append(same.Status.CurrentMetrics, statusV1(status))
	}
	if cpu := o.Status.CurrentCPUUtilizationPercentage; cpu != nil && len(same.Status.CurrentMetrics) == 0 {
		same.Status.CurrentMetrics = []autoscalingv2.MetricStatus{{
			Resource: &autoscalingv2.ResourceMetricStatus{Current: autoscalingv2.MetricValueStatus{AverageUtilization: cpu}},
		}}
	}
	return autoscaler(same, at)
}

// annotated are the metrics in an annotation; none where it cannot be read, as a server
// has it.
func annotated[T any](o *autoscalingv1.HorizontalPodAutoscaler, name string) []T {
	var metrics []T
	if err := json.Unmarshal([]byte(o.Annotations[name]), &metrics); err != nil {
		return nil
	}
	return metrics
}

func specV1(in autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	out := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(in.Type)}
	if m := in.External; m != nil {
		out.External = &autoscalingv2.ExternalMetricSource{Target: autoscalingv2.MetricTarget{Value: m.TargetValue, AverageValue: m.TargetAverageValue}}
	}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv2.ObjectMetricSource{Target: autoscalingv2.MetricTarget{Value: &m.TargetValue, AverageValue: m.AverageValue}}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv2.PodsMetricSource{Target: autoscalingv2.MetricTarget{AverageValue: &m.TargetAverageValue}}
	}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv2.ResourceMetricSource{Name: m.Name, Target: autoscalingv2.MetricTarget{
			AverageUtilization: m.TargetAverageUtilization, AverageValue: m.TargetAverageValue,
		}}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: m.Name, Target: autoscalingv2.MetricTarget{
			AverageUtilization: m.TargetAverageUtilization, AverageValue: m.TargetAverageValue,
		}}
	}
	return out
}

func statusV1(in autoscalingv1.MetricStatus) autoscalingv2.MetricStatus {
	var out autoscalingv2.MetricStatus
	if m := in.External; m != nil {
		out.External = &autoscalingv2.ExternalMetricStatus{Current: autoscalingv2.MetricValueStatus{Value: &m.CurrentValue, AverageValue: m.CurrentAverageValue}}
	}
	if m := in.Object; m != nil {
		out.Object = &autoscalingv2.ObjectMetricStatus{Current: autoscalingv2.MetricValueStatus{Value: &m.CurrentValue, AverageValue: m.AverageValue}}
	}
	if m := in.Pods; m != nil {
		out.Pods = &autoscalingv2.PodsMetricStatus{Current: autoscalingv2.MetricValueStatus{AverageValue: &m.CurrentAverageValue}}
	}
	if m := in.Resource; m != nil {
		out.Resource = &autoscalingv2.ResourceMetricStatus{Current: autoscalingv2.MetricValueStatus{
			AverageUtilization: m.CurrentAverageUtilization, AverageValue: &m.CurrentAverageValue,
		}}
	}
	if m := in.ContainerResource; m != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricStatus{Current: autoscalingv2.MetricValueStatus{
			AverageUtilization: m.CurrentAverageUtilization, AverageValue: &m.CurrentAverageValue,
		}}
	}
	return out
}
