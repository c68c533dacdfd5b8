package tables

import (
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
)

// devices is dynamic resource allocation.
func devices() family {
	group := resourcev1.SchemeGroupVersion
	return family{
		group.WithKind("DeviceClass"): of(show("Name", "Age"), func(o *resourcev1.DeviceClass, at clock) []any {
			return []any{o.Name, at.age(o)}
		}),
		group.WithKind("ResourceClaim"): of(show("Name", "State", "Age"), func(o *resourcev1.ResourceClaim, at clock) []any {
			return []any{o.Name, claimState(o), at.age(o)}
		}),
		group.WithKind("ResourceClaimTemplate"): of(show("Name", "Age"), func(o *resourcev1.ResourceClaimTemplate, at clock) []any {
			return []any{o.Name, at.age(o)}
		}),
		group.WithKind("ResourceSlice"): of(show("Name", "Node", "Driver", "Pool", "Age"), func(o *resourcev1.ResourceSlice, at clock) []any {
			return []any{o.Name, derefOr(o.Spec.NodeName, ""), o.Spec.Driver, o.Spec.Pool.Name, at.age(o)}
		}),
		group.WithKind("DeviceTaintRule"): of(show("Name", "Key", "Value", "Effect", "TimeAdded", "Age"), func(o *resourcev1.DeviceTaintRule, at clock) []any {
			taint, added := o.Spec.Taint, ""
			if taint.TimeAdded != nil {
				added = at.since(*taint.TimeAdded)
			}
			return []any{o.Name, taint.Key, taint.Value, taint.Effect, added, at.age(o)}
		}),
	}
}

func claimState(o *resourcev1.ResourceClaim) string {
	var states []string
	if o.DeletionTimestamp != nil {
		states = append(states, "deleted")
	}
	switch {
	case o.Status.Allocation == nil && o.DeletionTimestamp == nil:
		states = append(states, "pending")
	case o.Status.Allocation == nil:
	case len(o.Status.ReservedFor) > 0:
		states = append(states, "allocated", "reserved")
	default:
		states = append(states, "allocated")
	}
	return strings.Join(states, ",")
}
