package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cluster is what a cluster is made of: nodes, namespaces and what they hold.
func cluster() family {
	core := corev1.SchemeGroupVersion
	eventColumns := show("Last Seen", "Type", "Reason", "Object").wide("Subobject", "Source").
		show("Message").wide("First Seen", "Count", "Name")
	return family{
		core.WithKind("Node"): of(show("Name", "Status", "Roles", "Age", "Version").
			wide("Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime"), node),
		core.WithKind("Namespace"): of(show("Name", "Status", "Age"), func(o *corev1.Namespace, at clock) []any {
			return []any{o.Name, cmp.Or(o.Status.Phase, corev1.NamespaceActive), at.age(o)}
		}),
		core.WithKind("Event"):                        of(eventColumns, event),
		eventsv1.SchemeGroupVersion.WithKind("Event"): of(eventColumns, newEvent),
		core.WithKind("ConfigMap"): of(show("Name", "Data", "Age"), func(o *corev1.ConfigMap, at clock) []any {
			return []any{o.Name, len(o.Data) + len(o.BinaryData), at.age(o)}
		}),
		core.WithKind("Secret"): of(show("Name", "Type", "Data", "Age"), secret),
		core.WithKind("ServiceAccount"): of(show("Name", "Age"), func(o *corev1.ServiceAccount, at clock) []any {
			return []any{o.Name, at.age(o)}
		}),
		core.WithKind("ResourceQuota"): of(show("Name", "Request", "Limit", "Age"), resourceQuota),
		core.WithKind("LimitRange"): of(show("Name", "Created At"), func(o *corev1.LimitRange, _ clock) []any {
			return []any{o.Name, created(o)}
		}),
		core.WithKind("ComponentStatus"): of(show("Name", "Status", "Message", "Error"), componentStatus),
		coordinationv1.SchemeGroupVersion.WithKind("Lease"): of(show("Name", "Holder", "Age"), func(o *coordinationv1.Lease, at clock) []any {
			return []any{o.Name, derefOr(o.Spec.HolderIdentity, ""), at.age(o)}
		}),
		schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"): of(show("Name", "Value", "Global-Default", "Age", "PreemptionPolicy"),
			func(o *schedulingv1.PriorityClass, at clock) []any {
				return []any{o.Name, o.Value, o.GlobalDefault, at.age(o), derefOr(o.PreemptionPolicy, string(corev1.PreemptLowerPriority))}
			}),
		nodev1.SchemeGroupVersion.WithKind("RuntimeClass"): of(show("Name", "Handler", "Age"), func(o *nodev1.RuntimeClass, at clock) []any {
			return []any{o.Name, o.Handler, at.age(o)}
		}),
	}
}

func node(o *corev1.Node, at clock) []any {
	info := o.Status.NodeInfo
	kernel := or(info.KernelVersion, "<unknown>")
	if info.Architecture != "" {
		kernel += " (" + info.Architecture + ")"
	}
	return []any{
		o.Name, nodeStatus(o), orNone(strings.Join(nodeRoles(o), ",")), at.age(o), info.KubeletVersion,
		nodeAddress(o, corev1.NodeInternalIP), nodeAddress(o, corev1.NodeExternalIP),
		or(info.OSImage, "<unknown>"), kernel, or(info.ContainerRuntimeVersion, "<unknown>"),
	}
}

func nodeStatus(o *corev1.Node) string {
	status := "Unknown"
	for _, c := range o.Status.Conditions {
		switch {
		case c.Type != corev1.NodeReady:
		case c.Status == corev1.ConditionTrue:
			status = "Ready"
		default:
			status = "NotReady"
		}
	}
	if o.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	return status
}

func nodeRoles(o *corev1.Node) []string {
	roles := map[string]bool{}
	for name, value := range o.Labels {
		if role, ok := strings.CutPrefix(name, "node-role.kubernetes.io/"); ok && role != "" {
			roles[role] = true
		} else if name == "kubernetes.io/role" && value != "" {
			roles[value] = true
		}
	}
	return slices.Sorted(maps.Keys(roles))
}

func nodeAddress(o *corev1.Node, kind corev1.NodeAddressType) string {
	for _, address := range o.Status.Addresses {
		if address.Type == kind {
			return address.Address
		}
	}
	return "<none>"
}

func event(o *corev1.Event, at clock) []any {
	first := at.since(o.FirstTimestamp)
	if o.FirstTimestamp.IsZero() {
		first = at.since(metav1.Time(o.EventTime))
	}
	last, count := at.since(o.LastTimestamp), max(o.Count, 1)
	switch {
	case o.Series != nil:
		last, count = at.since(metav1.Time(o.Series.LastObservedTime)), o.Series.Count
	case o.LastTimestamp.IsZero():
		last = first
	}
	object := strings.ToLower(o.InvolvedObject.Kind)
	if o.InvolvedObject.Name != "" {
		object += "/" + o.InvolvedObject.Name
	}
	source := cmp.Or(o.Source.Component, o.ReportingController)
	if host := cmp.Or(o.Source.Host, o.ReportingInstance); host != "" {
		source += ", " + host
	}
	return []any{
		last, o.Type, o.Reason, object, o.InvolvedObject.FieldPath, source, strings.TrimSpace(o.Message), first, count, o.Name,
	}
}

// newEvent prints an event of events.k8s.io: it is the same object under other names.
func newEvent(o *eventsv1.Event, at clock) []any {
	same := &corev1.Event{
		ObjectMeta: o.ObjectMeta, InvolvedObject: o.Regarding, Reason: o.Reason, Message: o.Note, Type: o.Type,
		Source: o.DeprecatedSource, FirstTimestamp: o.DeprecatedFirstTimestamp, LastTimestamp: o.DeprecatedLastTimestamp,
		Count: o.DeprecatedCount, EventTime: o.EventTime,
		ReportingController: o.ReportingController, ReportingInstance: o.ReportingInstance,
	}
	if o.Series != nil {
		same.Series = &corev1.EventSeries{Count: o.Series.Count, LastObservedTime: o.Series.LastObservedTime}
	}
	return event(same, at)
}

// secret counts, in a manifest, what is given as text too.
func secret(o *corev1.Secret, at clock) []any {
	data := len(o.Data)
	for name := range o.StringData {
		if _, both := o.Data[name]; !both {
			data++
		}
	}
	return []any{o.Name, cmp.Or(o.Type, corev1.SecretTypeOpaque), data, at.age(o)}
}

func resourceQuota(o *corev1.ResourceQuota, at clock) []any {
	var requests, limits []string
	for _, name := range slices.Sorted(maps.Keys(o.Status.Hard)) {
		used, hard := o.Status.Used[name], o.Status.Hard[name]
		line := fmt.Sprintf("%s: %s/%s", name, used.String(), hard.String())
		if strings.HasPrefix(string(name), "limits.") {
			limits = append(limits, line)
		} else {
			requests = append(requests, line)
		}
	}
	return []any{o.Name, strings.Join(requests, ", "), strings.Join(limits, ", "), at.age(o)}
}

func componentStatus(o *corev1.ComponentStatus, _ clock) []any {
	for _, c := range o.Conditions {
		if c.Type == corev1.ComponentHealthy {
			status := "Unhealthy"
			if c.Status == corev1.ConditionTrue {
				status = "Healthy"
			}
			return []any{o.Name, status, c.Message, c.Error}
		}
	}
	return []any{o.Name, "Unknown", "", ""}
}
