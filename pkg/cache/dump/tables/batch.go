package tables

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"
)

func batch() family {
	return family{
		batchv1.SchemeGroupVersion.WithKind("Job"): of(
			show("Name", "Status", "Completions", "Duration", "Age").wide("Containers", "Images", "Selector"), job),
		batchv1.SchemeGroupVersion.WithKind("CronJob"): of(
			show("Name", "Schedule", "Timezone", "Suspend", "Active", "Last Schedule", "Age").wide("Containers", "Images", "Selector"), cronJob),
	}
}

func job(o *batchv1.Job, at clock) []any {
	names, images := containers(o.Spec.Template.Spec)
	return []any{
		o.Name, jobStatus(o), completions(o), jobDuration(o, at), at.age(o), names, images, metav1.FormatLabelSelector(o.Spec.Selector),
	}
}

// jobStatus is what comes first of what holds.
func jobStatus(o *batchv1.Job) string {
	holds := func(kind batchv1.JobConditionType) bool {
		for _, c := range o.Status.Conditions {
			if c.Type == kind {
				return c.Status == corev1.ConditionTrue
			}
		}
		return false
	}
	for _, ended := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed} {
		if holds(ended) {
			return string(ended)
		}
	}
	if o.DeletionTimestamp != nil {
		return "Terminating"
	}
	for _, going := range []batchv1.JobConditionType{batchv1.JobSuspended, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet} {
		if holds(going) {
			return string(going)
		}
	}
	return "Running"
}

func completions(o *batchv1.Job) string {
	parallel := ptr.Deref(o.Spec.Parallelism, 0)
	switch {
	case o.Spec.Completions != nil:
		return fmt.Sprintf("%d/%d", o.Status.Succeeded, *o.Spec.Completions)
	case parallel > 1:
		return fmt.Sprintf("%d/1 of %d", o.Status.Succeeded, parallel)
	}
	return fmt.Sprintf("%d/1", o.Status.Succeeded)
}

func jobDuration(o *batchv1.Job, at clock) string {
	switch start, end := o.Status.StartTime, o.Status.CompletionTime; {
	case start == nil:
		return ""
	case end == nil:
		return duration.HumanDuration(at.Sub(start.Time))
	default:
		return duration.HumanDuration(end.Sub(start.Time))
	}
}

func cronJob(o *batchv1.CronJob, at clock) []any {
	names, images := containers(o.Spec.JobTemplate.Spec.Template.Spec)
	suspended := "False"
	if ptr.Deref(o.Spec.Suspend, false) {
		suspended = "True"
	}
	last := "<none>"
	if o.Status.LastScheduleTime != nil {
		last = at.since(*o.Status.LastScheduleTime)
	}
	return []any{
		o.Name, o.Spec.Schedule, derefOr(o.Spec.TimeZone, "<none>"), suspended, len(o.Status.Active), last, at.age(o),
		names, images, metav1.FormatLabelSelector(o.Spec.JobTemplate.Spec.Selector),
	}
}
