package index

import (
	"slices"
	"testing"
)

func TestIndexesOfOtherKinds(t *testing.T) {
	for _, tc := range []struct {
		index, manifest string
		want            []string
	}{
		{"node", "{apiVersion: v1, kind: Node, metadata: {name: n1}}", []string{"n1"}},
		{"node", "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: [{nodeID: i-3}]}}", []string{"n1"}},
		{"node", "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec: {nodeName: n1}}", []string{"n1"}},
		{"node", "{apiVersion: certificates.k8s.io/v1, kind: PodCertificateRequest, spec: {nodeName: n1}}", []string{"n1"}},
		{"node", "{apiVersion: v1, kind: Endpoints, subsets: [{addresses: [{nodeName: n1}, {ip: i}], notReadyAddresses: [{nodeName: n2}]}]}", []string{"n1", "n2"}},
		{"node", "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, endpoints: [{nodeName: n1}, {nodeName: n1}, {}]}", []string{"n1"}},
		{"node", "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, spec: {nodeName: n1, devices: [{nodeName: n2}]}}", []string{"n1", "n2"}},
		{"node", "{apiVersion: resource.k8s.io/v1beta1, kind: ResourceSlice, spec: {devices: [{basic: {nodeName: n2}}]}}", []string{"n2"}},
		{"node", "{apiVersion: v1, kind: Event, source: {host: n1}, involvedObject: {kind: Pod, name: p}}", []string{"n1"}},
		{"node", "{apiVersion: v1, kind: Event, involvedObject: {kind: Node, name: n1}, reportingInstance: other}", []string{"n1"}},
		{"node", "{apiVersion: events.k8s.io/v1, kind: Event, deprecatedSource: {host: n1}, regarding: {kind: Node, name: n2}, related: {kind: Node, name: n3}}", []string{"n1", "n2", "n3"}},
		{"node", "{apiVersion: karpenter.sh/v1, kind: NodeClaim, status: {nodeName: n1}}", []string{"n1"}},
		{"node", "{apiVersion: example.com/v1, kind: Probe, spec: {nodeName: n1}}", []string{"n1"}},
		{"serviceaccount", "{apiVersion: v1, kind: ServiceAccount, metadata: {name: s}}", []string{"s"}},
		{"serviceaccount", "{apiVersion: v1, kind: Secret, metadata: {name: t, annotations: {kubernetes.io/service-account.name: s}}}", []string{"s"}},
		{"serviceaccount", "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, subjects: [{kind: ServiceAccount, name: s}, {kind: User, name: u}]}", []string{"s"}},
		{"serviceaccount", "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, subjects: [{kind: Group, name: g}]}", nil},
		{"serviceaccount", "{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, spec: {rules: [{subjects: [{kind: ServiceAccount, serviceAccount: {name: s, namespace: '*'}}]}]}}", []string{"s"}},
		{"serviceaccount", "{apiVersion: certificates.k8s.io/v1, kind: PodCertificateRequest, spec: {serviceAccountName: s}}", []string{"s"}},
		{"configmap", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {name: other}}", []string{"c"}},
		{"secret", "{apiVersion: v1, kind: Secret, metadata: {name: s}}", []string{"s"}},
		{"secret", "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}, secrets: [{name: s1}], imagePullSecrets: [{name: s2}]}", []string{"s1", "s2"}},
		{"secret", "{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {tls: [{secretName: s1}, {hosts: [h]}]}}", []string{"s1"}},
		{"secret", "{apiVersion: v1, kind: PersistentVolume, spec: {csi: {nodeStageSecretRef: {name: s1, namespace: x}, controllerExpandSecretRef: {name: s2}}}}", []string{"s1", "s2"}},
		{"secret", "{apiVersion: v1, kind: PersistentVolume, spec: {cephfs: {secretRef: {name: s1}}}}", []string{"s1"}},
		{"secret", "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, spec: {source: {inlineVolumeSpec: {csi: {nodePublishSecretRef: {name: s1}}}}}}", []string{"s1"}},
		{"pvc", "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {dataSource: {kind: PersistentVolumeClaim, name: from}, dataSourceRef: {kind: VolumeSnapshot, name: s}}}", []string{"c", "from"}},
		{"pvc", "{apiVersion: v1, kind: PersistentVolume, spec: {claimRef: {name: c}}}", []string{"c"}},
		{"pvc", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2, volumeClaimTemplates: [{metadata: {name: data}}, {metadata: {name: log}}]}}", []string{"data-db-0", "data-db-1", "log-db-0", "log-db-1"}},
		{"pvc", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {ordinals: {start: 5}, volumeClaimTemplates: [{metadata: {name: data}}]}}", []string{"data-db-5"}},
		{"pvc", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 0, volumeClaimTemplates: [{metadata: {name: data}}]}}", nil},
		{"phase", "{apiVersion: v1, kind: Namespace, status: {phase: Terminating}}", []string{"Terminating"}},
		{"phase", "{apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Bound}}", []string{"Bound"}},
		{"phase", "{apiVersion: cluster.x-k8s.io/v1beta1, kind: Machine, status: {phase: Provisioned}}", []string{"Provisioned"}},
		{"condition", "{apiVersion: v1, kind: Node, status: {conditions: [{type: Ready, status: Unknown}]}}", []string{"Ready=Unknown"}},
		{"condition", "{apiVersion: v1, kind: ComponentStatus, conditions: [{type: Healthy, status: 'True'}]}", []string{"Healthy=True"}},
		{"condition", "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, status: {conditions: [{type: Established, status: 'True'}]}}", []string{"Established=True"}},
		{"condition", "{apiVersion: apiregistration.k8s.io/v1, kind: APIService, status: {conditions: [{type: Available, status: 'False'}]}}", []string{"Available=False"}},
		{"condition", "{apiVersion: cert-manager.io/v1, kind: Certificate, status: {conditions: [{type: Ready, status: 'True'}]}}", []string{"Ready=True"}},
		{"condition", "{apiVersion: example.com/v1, kind: Odd, status: {conditions: {Ready: true}}}", nil},
	} {
		row := rowOf(t, tc.manifest)
		t.Run(tc.index+" of "+row.Kind, func(t *testing.T) {
			wantValues(t, mustLookup(t, targetFor(row), tc.index), row, tc.want)
		})
	}
}

func TestAnAbsurdNumberOfReplicasCostsNoMemory(t *testing.T) {
	row := rowOf(t, "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2147483647, volumeClaimTemplates: [{metadata: {name: data}}]}}")
	values := mustLookup(t, targetFor(row), "pvc").Values(row)
	if len(values) != maxReplicas || !slices.Contains(values, "data-db-9999") {
		t.Errorf("%d claims", len(values))
	}
}
