package index

import (
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// nodeSources are the ways, other than a pod spec, in which an object names a
// node. A Lease's holder is left out: it is any string.
func nodeSources(kind schema.GroupKind, custom bool) []source {
	if custom {
		return []source{at("spec.nodeName", "status.nodeName")}
	}
	switch kind {
	case schema.GroupKind{Kind: "Endpoints"}:
		return []source{at("subsets[*].addresses[*].nodeName", "subsets[*].notReadyAddresses[*].nodeName")}
	case schema.GroupKind{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:
		return []source{at("endpoints[*].nodeName")}
	case schema.GroupKind{Kind: "Event"}:
		return []source{at("source.host"), namedAt("Node", "involvedObject")}
	case schema.GroupKind{Group: "events.k8s.io", Kind: "Event"}:
		return []source{at("deprecatedSource.host"), namedAt("Node", "regarding", "related")}
	case schema.GroupKind{Group: "storage.k8s.io", Kind: "CSINode"}:
		return []source{at("metadata.name")}
	case schema.GroupKind{Group: "storage.k8s.io", Kind: "VolumeAttachment"},
		schema.GroupKind{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"}:
		return []source{at("spec.nodeName")}
	case schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceSlice"}:
		return []source{at("spec.nodeName", "spec.devices[*].nodeName", "spec.devices[*].basic.nodeName")}
	}
	return nil
}

func serviceAccountSources(kind schema.GroupKind) []source {
	switch kind {
	case schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"},
		schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:
		return []source{namedAt("ServiceAccount", "subjects[*]")}
	case schema.GroupKind{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"}:
		return []source{referencesAt("namespace", "name", "spec.rules[*].subjects[*].serviceAccount")}
	case schema.GroupKind{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"}:
		return []source{at("spec.serviceAccountName")}
	case schema.GroupKind{Kind: "Secret"}:
		return []source{tokenOwner()}
	}
	return nil
}

// tokenOwner reads whose token a Secret is.
func tokenOwner() source {
	const key = "kubernetes.io/service-account.name"
	return source{
		reads:  `.metadata.annotations.kubernetes\.io/service-account\.name`,
		values: func(v *view, value func(string)) { value(v.row.Annotations[key]) },
	}
}

func secretSources(kind schema.GroupKind) []source {
	switch kind {
	case schema.GroupKind{Kind: "ServiceAccount"}:
		return []source{at("secrets[*].name", "imagePullSecrets[*].name")}
	case schema.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}:
		return []source{at("spec.tls[*].secretName")}
	case schema.GroupKind{Kind: "PersistentVolume"}:
		return []source{credentialsIn("spec")}
	case schema.GroupKind{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:
		return []source{credentialsIn("spec.source.inlineVolumeSpec")}
	}
	return nil
}

// credentialsIn reads the Secrets that a PersistentVolume's spec names. Of a pod's
// volume they are in the pod's namespace; here each reference says in which.
func credentialsIn(spec string) source {
	references := []string{
		"csi.controllerExpandSecretRef",
		"csi.controllerPublishSecretRef",
		"csi.nodeExpandSecretRef",
		"csi.nodePublishSecretRef",
		"csi.nodeStageSecretRef",
	}
	for _, path := range volumeSecrets() {
		if reference, ok := strings.CutSuffix(path, ".name"); ok {
			references = append(references, reference)
		}
	}
	s := both(
		referencesAt("namespace", "name", under(spec, references...)...),
		referencesAt("secretNamespace", "secretName", spec+".azureFile"))
	s.reads = "every Secret named by the driver in ." + spec
	return s
}

// both reads what two sources that know namespaces read.
func both(a, b source) source {
	return references(source{needs: a.needs | b.needs}, func(v *view, found func(namespace, name string)) {
		a.references(v, found)
		b.references(v, found)
	})
}

// claimSources are the ways, other than a pod's volume, in which an object
// names a PersistentVolumeClaim.
func claimSources(kind schema.GroupKind) []source {
	switch kind {
	case schema.GroupKind{Kind: "PersistentVolume"}:
		return []source{referencesAt("namespace", "name", "spec.claimRef")}
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		return []source{namedAt("PersistentVolumeClaim", "spec.dataSource", "spec.dataSourceRef")}
	case schema.GroupKind{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:
		return []source{referencesAt("namespace", "name", "spec.source.inlineVolumeSpec.claimRef")}
	case schema.GroupKind{Group: "apps", Kind: "StatefulSet"}:
		return append(clonedClaims("spec.template.spec"), claimsOfReplicas())
	case schema.GroupKind{Kind: "Pod"}:
		return append(clonedClaims("spec"), claimsOfPod())
	}
	if path, ok := podSpecOf(kind); ok {
		return clonedClaims(path)
	}
	return nil
}

// clonedClaims reads the claims that a pod's ephemeral volumes are copies of.
func clonedClaims(podSpec string) []source {
	s := namedAt("PersistentVolumeClaim", under(podSpec+".volumes[*].ephemeral.volumeClaimTemplate.spec",
		"dataSource", "dataSourceRef")...)
	s.reads = "the claims that its ephemeral volumes copy"
	return []source{s}
}

// claimsOfPod names the claims that Kubernetes makes for a pod's ephemeral
// volumes: the pod's name, a dash, the volume's name.
func claimsOfPod() source {
	volumes := nodes("spec.volumes[*]")
	return source{
		reads: "the claims made for its ephemeral volumes", needs: cache.Whole,
		values: func(v *view, value func(string)) {
			volumes.walk(v, func(volume reflect.Value) {
				name := memberText(volume, "name")
				if name != "" && fieldpath.Has(volume, "ephemeral") {
					value(v.row.Name + "-" + name)
				}
			})
		},
	}
}

// maxReplicas bounds how many claims are named for one StatefulSet, so that an
// absurd number of replicas costs no memory.
const maxReplicas = 10_000

// claimsOfReplicas names the claims of a StatefulSet's present replicas: the
// template's name, the set's name and the ordinal, joined by dashes.
func claimsOfReplicas() source {
	templates := nodes("spec.volumeClaimTemplates[*].metadata.name")
	replicas, start := nodes("spec.replicas"), nodes("spec.ordinals.start")
	return source{
		reads: "the claims made for its replicas", needs: cache.Whole,
		values: func(v *view, value func(string)) {
			first, count := start.number(v, 0), min(replicas.number(v, 1), maxReplicas)
			templates.walk(v, func(node reflect.Value) {
				name, ok := fieldpath.Text(node)
				for i := int64(0); ok && i < count; i++ {
					value(name + "-" + v.row.Name + "-" + strconv.FormatInt(first+i, 10))
				}
			})
		},
	}
}

// number reads one integer, which is otherwise where there is none.
func (p *place) number(v *view, otherwise int64) int64 {
	p.walk(v, func(node reflect.Value) {
		s, _ := fieldpath.Text(node)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			otherwise = n
		}
	})
	return otherwise
}
