package match

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kubectl/pkg/polymorphichelpers"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// rolledOut is --for=rollout: what kubectl rollout status says.
type rolledOut struct{}

func (rolledOut) reads() reads { return reads{form: cache.Whole} }

func (rolledOut) check(_ context.Context, in input) (finding, error) {
	object := &unstructured.Unstructured{Object: in.object}
	viewer, err := polymorphichelpers.StatusViewerFor(object.GroupVersionKind().GroupKind())
	if err != nil {
		return finding{}, err
	}
	text, done, err := viewer.Status(object, 0)
	switch {
	case done && err != nil:
		// There is nothing to wait for: only rolling updates are reported.
		return finding{}, fmt.Errorf("%s %s: %w", strings.ToLower(object.GetKind()), object.GetName(), err)
	case err != nil:
		return finding{failed: true, what: err.Error(), message: progress(in.object)}, nil
	case done:
		return finding{met: true, what: "rollout"}, nil
	}
	return finding{what: strings.TrimSpace(text)}, nil
}

// progress is the condition that kubectl takes a failed rollout from.
func progress(object map[string]any) string {
	condition, err := statusCondition{name: "Progressing"}.find(object)
	if err != nil || condition == nil {
		return ""
	}
	return describe(condition).full()
}

// ready is --for=ready: what kstatus says, which has rules for Kubernetes' own types
// and goes by the usual conditions of all others.
type ready struct{}

func (ready) reads() reads { return reads{form: cache.Whole} }

func (ready) check(_ context.Context, in input) (finding, error) {
	object := &unstructured.Unstructured{Object: in.object}
	result, err := status.Compute(object)
	if err != nil {
		return finding{what: err.Error()}, nil
	}
	if result.Status == status.CurrentStatus {
		return finding{met: true, what: "ready"}, nil
	}
	// A pod may be unschedulable for so long, by kstatus' own clock, before that counts.
	if object.GetKind() == "Pod" {
		in.clock.note(object.GetCreationTimestamp().Add(status.ScheduleWindow))
	}
	found := finding{failed: result.Status == status.FailedStatus, what: result.Status.String(), message: result.Message}
	for _, condition := range result.Conditions {
		found.reason, found.message = condition.Reason, condition.Message
	}
	return found, nil
}
