package tables

import (
	"cmp"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/ptr"
)

// admission is what a server does with requests: webhooks, policies, priorities.
func admission() family {
	group, flow := admissionv1.SchemeGroupVersion, flowcontrolv1.SchemeGroupVersion
	return family{
		group.WithKind("MutatingWebhookConfiguration"): of(show("Name", "Webhooks", "Age"),
			func(o *admissionv1.MutatingWebhookConfiguration, at clock) []any {
				return []any{o.Name, len(o.Webhooks), at.age(o)}
			}),
		group.WithKind("ValidatingWebhookConfiguration"): of(show("Name", "Webhooks", "Age"),
			func(o *admissionv1.ValidatingWebhookConfiguration, at clock) []any {
				return []any{o.Name, len(o.Webhooks), at.age(o)}
			}),
		group.WithKind("ValidatingAdmissionPolicy"): of(show("Name", "Validations", "ParamKind", "Age"),
			func(o *admissionv1.ValidatingAdmissionPolicy, at clock) []any {
				return []any{o.Name, len(o.Spec.Validations), paramKind(o.Spec.ParamKind), at.age(o)}
			}),
		group.WithKind("MutatingAdmissionPolicy"): of(show("Name", "Mutations", "ParamKind", "Age"),
			func(o *admissionv1.MutatingAdmissionPolicy, at clock) []any {
				return []any{o.Name, len(o.Spec.Mutations), paramKind(o.Spec.ParamKind), at.age(o)}
			}),
		group.WithKind("ValidatingAdmissionPolicyBinding"): of(show("Name", "PolicyName", "ParamRef", "Age"),
			func(o *admissionv1.ValidatingAdmissionPolicyBinding, at clock) []any {
				return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef), at.age(o)}
			}),
		group.WithKind("MutatingAdmissionPolicyBinding"): of(show("Name", "PolicyName", "ParamRef", "Age"),
			func(o *admissionv1.MutatingAdmissionPolicyBinding, at clock) []any {
				return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef), at.age(o)}
			}),
		flow.WithKind("FlowSchema"): flowSchemas(),
		flow.WithKind("PriorityLevelConfiguration"): of(
			show("Name", "Type", "NominalConcurrencyShares", "Queues", "HandSize", "QueueLengthLimit", "Age"), priorityLevel),
	}
}

func paramKind(kind *admissionv1.ParamKind) string {
	if kind == nil {
		return "<unset>"
	}
	return kind.APIVersion + "/" + kind.Kind
}

// paramRef has * for a namespace that is not said: the parameter may have none.
func paramRef(ref *admissionv1.ParamRef) string {
	switch {
	case ref == nil:
		return "<unset>"
	case ref.Name != "":
		return cmp.Or(ref.Namespace, "*") + "/" + ref.Name
	case ref.Selector != nil:
		return ref.Selector.String()
	}
	return "<unset>"
}

// flowSchemas come in the order in which they are tried, and in that of their names.
func flowSchemas() *Generator {
	g := of(show("Name", "PriorityLevel", "MatchingPrecedence", "DistinguisherMethod", "Age", "MissingPL"), flowSchema)
	g.Order = func(a, b []any) int {
		precedenceOfA, _ := a[2].(int32)
		precedenceOfB, _ := b[2].(int32)
		return cmp.Compare(precedenceOfA, precedenceOfB)
	}
	return g
}

func flowSchema(o *flowcontrolv1.FlowSchema, at clock) []any {
	method, missing := "<none>", "?"
	if o.Spec.DistinguisherMethod != nil {
		method = string(o.Spec.DistinguisherMethod.Type)
	}
	dangling := func(c flowcontrolv1.FlowSchemaCondition) bool {
		return c.Type == flowcontrolv1.FlowSchemaConditionDangling
	}
	if i := slices.IndexFunc(o.Status.Conditions, dangling); i >= 0 {
		missing = string(o.Status.Conditions[i].Status)
	}
	return []any{
		o.Name, o.Spec.PriorityLevelConfiguration.Name, cmp.Or(o.Spec.MatchingPrecedence, 1000), method, at.age(o), missing,
	}
}

func priorityLevel(o *flowcontrolv1.PriorityLevelConfiguration, at clock) []any {
	const none = "<none>"
	shares, queues, hand, length := any(none), any(none), any(none), any(none)
	if limited := o.Spec.Limited; limited != nil {
		shares = ptr.Deref(limited.NominalConcurrencyShares, 30)
		if q := limited.LimitResponse.Queuing; q != nil {
			queues, hand, length = cmp.Or(q.Queues, 64), cmp.Or(q.HandSize, 8), cmp.Or(q.QueueLengthLimit, 50)
		}
	}
	return []any{o.Name, o.Spec.Type, shares, queues, hand, length, at.age(o)}
}
