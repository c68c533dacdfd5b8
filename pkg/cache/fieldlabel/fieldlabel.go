// Package fieldlabel knows by which fields an API server selects the objects of its
// built-in types. The list is in the server's code, and is not served.
package fieldlabel

import "k8s.io/apimachinery/pkg/runtime/schema"

// Builtin are the field labels, besides metadata.name and metadata.namespace, of a
// built-in type, as a 1.37 server knows them. A test of test/e2e/dump compares them
// with a server's.
func Builtin(kind schema.GroupKind) []string {
	switch kind.String() {
	case "Pod":
		return []string{
			"spec.nodeName", "spec.host", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
			"spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
		}
	case "Event":
		return append(reference("involvedObject"), "reason", "reportingComponent", "source", "type")
	case "Event.events.k8s.io":
		return append(reference("regarding"), "reason", "reportingController", "type")
	case "Namespace":
		return []string{"status.phase"}
	case "Node":
		return []string{"spec.unschedulable"}
	case "ReplicationController":
		return []string{"status.replicas"}
	case "Secret":
		return []string{"type"}
	case "Service":
		return []string{"spec.clusterIP", "spec.type"}
	case "Job.batch":
		return []string{"status.successful"}
	case "CertificateSigningRequest.certificates.k8s.io", "ClusterTrustBundle.certificates.k8s.io":
		return []string{"spec.signerName"}
	case "PodCertificateRequest.certificates.k8s.io":
		return []string{"spec.signerName", "spec.podName", "spec.nodeName"}
	case "ResourceSlice.resource.k8s.io":
		return []string{"spec.nodeName", "spec.driver", "spec.pool.name"}
	}
	return nil
}

func reference(to string) []string {
	var labels []string
	for _, field := range []string{"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"} {
		labels = append(labels, to+"."+field)
	}
	return labels
}
