package tables

import (
	"cmp"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func networking() family {
	group := networkingv1.SchemeGroupVersion
	return family{
		group.WithKind("Ingress"):      of(show("Name", "Class", "Hosts", "Address", "Ports", "Age"), ingress),
		group.WithKind("IngressClass"): of(show("Name", "Controller", "Parameters", "Age"), ingressClass),
		group.WithKind("NetworkPolicy"): of(show("Name", "Pod-Selector", "Age"), func(o *networkingv1.NetworkPolicy, at clock) []any {
			return []any{o.Name, metav1.FormatLabelSelector(&o.Spec.PodSelector), at.age(o)}
		}),
		group.WithKind("ServiceCIDR"): of(show("Name", "CIDRs", "Age"), func(o *networkingv1.ServiceCIDR, at clock) []any {
			return []any{o.Name, strings.Join(o.Spec.CIDRs, ","), at.age(o)}
		}),
		group.WithKind("IPAddress"): of(show("Name", "ParentRef"), ipAddress),
	}
}

func ingress(o *networkingv1.Ingress, at clock) []any {
	addresses := map[string]bool{}
	for _, point := range o.Status.LoadBalancer.Ingress {
		addresses[cmp.Or(point.IP, point.Hostname)] = true
	}
	ports := "80"
	if len(o.Spec.TLS) > 0 {
		ports = "80, 443"
	}
	return []any{
		o.Name, derefOr(o.Spec.IngressClassName, "<none>"), ingressHosts(o.Spec.Rules),
		strings.Join(sortedAddresses(addresses), ","), ports, at.age(o),
	}
}

// ingressHosts are up to three hosts; the rules after them are counted, whether they
// have hosts or not.
func ingressHosts(rules []networkingv1.IngressRule) string {
	var hosts []string
	for _, rule := range rules {
		if len(hosts) == 3 {
			return strings.Join(hosts, ",") + more(len(rules)-3)
		}
		if rule.Host != "" {
			hosts = append(hosts, rule.Host)
		}
	}
	return or(strings.Join(hosts, ","), "*")
}

func ingressClass(o *networkingv1.IngressClass, at clock) []any {
	name, parameters := o.Name, "<none>"
	if o.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true" {
		name += " (default)"
	}
	if p := o.Spec.Parameters; p != nil {
		parameters = p.Kind
		if p.APIGroup != nil {
			parameters += "." + *p.APIGroup
		}
		parameters += "/" + p.Name
	}
	return []any{name, o.Spec.Controller, parameters, at.age(o)}
}

// ipAddress has a cell more than there are columns, which kubectl prints under the
// first column that it adds itself.
func ipAddress(o *networkingv1.IPAddress, at clock) []any {
	parent := "<none>"
	if ref := o.Spec.ParentRef; ref != nil {
		parent = strings.ToLower(schema.GroupResource{Group: ref.Group, Resource: ref.Resource}.String())
		if ref.Namespace != "" {
			parent += "/" + ref.Namespace
		}
		parent += "/" + ref.Name
	}
	return []any{o.Name, parent, at.age(o)}
}
