package tables

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func services() family {
	core := corev1.SchemeGroupVersion
	return family{
		core.WithKind("Service"):   of(show("Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age").wide("Selector"), service),
		core.WithKind("Endpoints"): of(show("Name", "Endpoints", "Age"), endpoints),
		discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"): of(
			show("Name", "AddressType", "Ports", "Endpoints", "Age"), endpointSlice),
	}
}

func service(o *corev1.Service, at clock) []any {
	kind, ip := cmp.Or(o.Spec.Type, corev1.ServiceTypeClusterIP), o.Spec.ClusterIP
	if len(o.Spec.ClusterIPs) > 0 {
		ip = o.Spec.ClusterIPs[0]
	}
	return []any{o.Name, kind, orNone(ip), externalIP(o, kind), orNone(servicePorts(o)), at.age(o), labels.FormatLabels(o.Spec.Selector)}
}

func externalIP(o *corev1.Service, kind corev1.ServiceType) string {
	external := strings.Join(o.Spec.ExternalIPs, ",")
	switch kind {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return orNone(external)
	case corev1.ServiceTypeExternalName:
		return o.Spec.ExternalName
	case corev1.ServiceTypeLoadBalancer:
		addresses := map[string]bool{}
		for _, ingress := range o.Status.LoadBalancer.Ingress {
			addresses[cmp.Or(ingress.IP, ingress.Hostname)] = true
		}
		return or(strings.Join(append(sortedAddresses(addresses), o.Spec.ExternalIPs...), ","), "<pending>")
	}
	return "<unknown>"
}

// sortedAddresses leaves out that of an ingress point without any.
func sortedAddresses(addresses map[string]bool) []string {
	delete(addresses, "")
	return slices.Sorted(maps.Keys(addresses))
}

func servicePorts(o *corev1.Service) string {
	var ports []string
	for _, p := range o.Spec.Ports {
		port := strconv.Itoa(int(p.Port))
		if p.NodePort > 0 {
			port += ":" + strconv.Itoa(int(p.NodePort))
		}
		ports = append(ports, port+"/"+string(cmp.Or(p.Protocol, corev1.ProtocolTCP)))
	}
	return strings.Join(ports, ",")
}

func endpoints(o *corev1.Endpoints, at clock) []any { //nolint:staticcheck // deprecated, and in every cluster
	var all []string
	for _, subset := range o.Subsets {
		if len(subset.Ports) == 0 { // a headless service may have none
			for _, address := range subset.Addresses {
				all = append(all, address.IP)
			}
		}
		for _, port := range subset.Ports {
			for _, address := range subset.Addresses {
				all = append(all, hostPort(address.IP, port.Port))
			}
		}
	}
	none := ""
	if len(o.Subsets) == 0 {
		none = "<none>"
	}
	return []any{o.Name, firstOf(3, all, ",", none), at.age(o)}
}

func endpointSlice(o *discoveryv1.EndpointSlice, at clock) []any {
	var ports, addresses []string
	for _, port := range o.Ports {
		switch {
		case port.Port != nil:
			ports = append(ports, strconv.Itoa(int(*port.Port)))
		default:
			ports = append(ports, derefOr(port.Name, "*"))
		}
	}
	for _, endpoint := range o.Endpoints {
		addresses = append(addresses, endpoint.Addresses...)
	}
	return []any{o.Name, o.AddressType, firstOf(3, ports, ",", "<unset>"), firstOf(3, addresses, ",", "<unset>"), at.age(o)}
}

// more says how many are left out.
func more(n int) string { return fmt.Sprintf(" + %d more...", n) }

// hostPort has brackets round what has colons of its own.
func hostPort(ip string, port int32) string {
	if address, err := netip.ParseAddr(ip); err == nil && address.Is6() {
		ip = "[" + ip + "]"
	}
	return ip + ":" + strconv.Itoa(int(port))
}
