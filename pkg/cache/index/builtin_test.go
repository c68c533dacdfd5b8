package index

import (
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

const dressedPod = `
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: shop
  uid: 5d0c
  labels: {app: web, empty: ""}
  annotations: {note: "a=b, c", example.com/team: "ünï"}
  finalizers: [example.com/hold, example.com/hold2]
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: web-5d7c, uid: 77aa, controller: true}
  - {apiVersion: v1, kind: ConfigMap, name: web, uid: 88bb}
  managedFields:
  - {manager: kubectl, operation: Apply}
  - {manager: kubelet, operation: Update, subresource: status}
  - {manager: kubectl, operation: Update}
spec:
  nodeName: node-1
  serviceAccountName: robot
  containers:
  - {name: a, image: "nginx:1.27"}
status:
  phase: Running
  conditions:
  - {type: Ready, status: "True"}
  - {type: PodScheduled, status: "False"}
  - {type: Broken}
`

const barePod = `
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {containers: [{name: a, image: ""}]}
`

func TestBuiltinIndexesOfAPod(t *testing.T) {
	dressed, bare := rowOf(t, dressedPod), rowOf(t, barePod)
	for name, tc := range map[string]struct {
		dressed, bare []string
	}{
		"namespace":      {dressed: []string{"shop"}},
		"name":           {dressed: []string{"web-1"}, bare: []string{"bare"}},
		"uid":            {dressed: []string{"5d0c"}},
		"label":          {dressed: []string{"app", "app=web", "empty", "empty="}},
		"annotation":     {dressed: []string{"note", "note=a=b, c", "example.com/team", "example.com/team=ünï"}},
		"owner":          {dressed: []string{"ReplicaSet/web-5d7c", "ReplicaSet.apps/web-5d7c", "77aa", "ConfigMap/web", "88bb"}},
		"controller":     {dressed: []string{"ReplicaSet/web-5d7c", "ReplicaSet.apps/web-5d7c", "77aa"}},
		"finalizer":      {dressed: []string{"example.com/hold", "example.com/hold2"}},
		"manager":        {dressed: []string{"kubectl", "kubelet"}},
		"node":           {dressed: []string{"node-1"}},
		"image":          {dressed: []string{"nginx:1.27"}},
		"serviceaccount": {dressed: []string{"robot"}},
		"phase":          {dressed: []string{"Running"}},
		"condition":      {dressed: []string{"Ready=True", "PodScheduled=False"}},
		"configmap":      {},
		"secret":         {},
		"pvc":            {},
	} {
		t.Run(name, func(t *testing.T) {
			d := mustLookup(t, targetFor(dressed), name)
			wantValues(t, d, dressed, tc.dressed)
			wantValues(t, d, bare, tc.bare)
			if d.Needs == cache.Metadata {
				wantValues(t, d, metadataOf(dressed), tc.dressed)
			}
		})
	}
}

// The places below are written out by hand; that none is missing is shown by
// TestNoPlaceOfAnyKindIsForgotten.
const everyReference = `
containers:
- name: a
  image: image-main
  env:
  - {name: A, valueFrom: {configMapKeyRef: {name: cm-env, key: k}}}
  - {name: B, valueFrom: {secretKeyRef: {name: secret-env, key: k}}}
  - {name: C, value: plain}
  envFrom:
  - {configMapRef: {name: cm-envfrom}}
  - {secretRef: {name: secret-envfrom}}
initContainers:
- name: i
  image: image-init
  env:
  - {name: A, valueFrom: {configMapKeyRef: {name: cm-init-env, key: k}}}
  - {name: B, valueFrom: {secretKeyRef: {name: secret-init-env, key: k}}}
  envFrom:
  - {configMapRef: {name: cm-init-envfrom}}
  - {secretRef: {name: secret-init-envfrom}}
ephemeralContainers:
- name: e
  image: image-debug
  env:
  - {name: A, valueFrom: {configMapKeyRef: {name: cm-debug-env, key: k}}}
  - {name: B, valueFrom: {secretKeyRef: {name: secret-debug-env, key: k}}}
  envFrom:
  - {configMapRef: {name: cm-debug-envfrom}}
  - {secretRef: {name: secret-debug-envfrom}}
imagePullSecrets: [{name: secret-pull}]
nodeName: node-1
serviceAccountName: robot
volumes:
- {name: v1, configMap: {name: cm-volume}}
- {name: v2, secret: {secretName: secret-volume}}
- {name: v3, persistentVolumeClaim: {claimName: claim}}
- name: v4
  projected:
    sources:
    - {configMap: {name: cm-projected}}
    - {secret: {name: secret-projected}}
    - {serviceAccountToken: {path: token}}
- {name: v5, csi: {driver: d, nodePublishSecretRef: {name: secret-csi}}}
- {name: v6, flexVolume: {driver: d, secretRef: {name: secret-flex}}}
- {name: v7, azureFile: {shareName: s, secretName: secret-azure}}
- {name: v8, cephfs: {monitors: [m], secretRef: {name: secret-ceph}}}
- {name: v9, cinder: {volumeID: i, secretRef: {name: secret-cinder}}}
- {name: v10, rbd: {image: not-a-container-image, secretRef: {name: secret-rbd}}}
- {name: v11, iscsi: {iqn: i, secretRef: {name: secret-iscsi}}}
- {name: v12, scaleIO: {system: s, secretRef: {name: secret-scaleio}}}
- {name: v13, storageos: {volumeName: vol, secretRef: {name: secret-storageos}}}
- {name: v14, image: {reference: image-volume}}
- name: v15
  ephemeral:
    volumeClaimTemplate:
      spec: {dataSource: {kind: PersistentVolumeClaim, name: claim-cloned}}
- name: v16
  ephemeral:
    volumeClaimTemplate:
      spec: {dataSourceRef: {kind: VolumeSnapshot, name: no-claim}}
- {name: v17, emptyDir: {}}
`

// everyValue is what everyReference names, by index.
func everyValue() map[string][]string {
	return map[string][]string{
		"node":           {"node-1"},
		"serviceaccount": {"robot"},
		"image":          {"image-main", "image-init", "image-debug", "image-volume"},
		"configmap": {
			"cm-env", "cm-envfrom", "cm-init-env", "cm-init-envfrom", "cm-debug-env", "cm-debug-envfrom",
			"cm-volume", "cm-projected",
		},
		"secret": {
			"secret-env", "secret-envfrom", "secret-init-env", "secret-init-envfrom", "secret-debug-env",
			"secret-debug-envfrom", "secret-pull", "secret-volume", "secret-projected", "secret-csi", "secret-flex",
			"secret-azure", "secret-ceph", "secret-cinder", "secret-rbd", "secret-iscsi", "secret-scaleio",
			"secret-storageos",
		},
		"pvc": {"claim"},
	}
}

// embed puts everyReference at a path of a manifest, such as "spec.template.spec".
func embed(header, path string) string {
	var b strings.Builder
	b.WriteString(header)
	indent := ""
	for name := range strings.SplitSeq(path, ".") {
		name, inList := strings.CutSuffix(name, "[*]")
		b.WriteString(indent + name + ":\n")
		if indent += "  "; inList {
			b.WriteString(indent + "-\n")
			indent += "  "
		}
	}
	for line := range strings.Lines(strings.TrimSpace(everyReference)) {
		b.WriteString(indent + line)
	}
	return b.String()
}

func TestEveryReferenceInEveryPlaceOfAPodSpec(t *testing.T) {
	for _, tc := range []struct {
		apiVersion, kind, path string
		// claims are those beyond the ones that a volume names.
		claims []string
	}{
		{"v1", "Pod", "spec", []string{"claim-cloned", "x-v15", "x-v16"}},
		{"v1", "PodTemplate", "template.spec", []string{"claim-cloned"}},
		{"v1", "ReplicationController", "spec.template.spec", []string{"claim-cloned"}},
		{"apps/v1", "ControllerRevision", "data.spec.template.spec", []string{"claim-cloned"}},
		{"apps/v1", "DaemonSet", "spec.template.spec", []string{"claim-cloned"}},
		{"apps/v1", "Deployment", "spec.template.spec", []string{"claim-cloned"}},
		{"apps/v1", "ReplicaSet", "spec.template.spec", []string{"claim-cloned"}},
		{"apps/v1", "StatefulSet", "spec.template.spec", []string{"claim-cloned"}},
		{"batch/v1", "Job", "spec.template.spec", []string{"claim-cloned"}},
		{"batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec", []string{"claim-cloned"}},
		{"argoproj.io/v1alpha1", "Rollout", "spec.template.spec", nil},
		{"example.com/v1", "Nightly", "spec.jobTemplate.spec.template.spec", nil},
		{"example.com/v1", "Patched", "spec", nil},
		{"example.com/v1", "Flat", "podSpec", nil},
		{"jobset.x-k8s.io/v1alpha2", "JobSet", "spec.replicatedJobs[*].template.spec.template.spec", nil},
		{"kubeflow.org/v1", "PyTorchJob", "spec.pytorchReplicaSpecs.Worker.template.spec", nil},
	} {
		t.Run(tc.kind, func(t *testing.T) {
			header := "apiVersion: " + tc.apiVersion + "\nkind: " + tc.kind + "\nmetadata: {name: x}\n"
			row := rowOf(t, embed(header, tc.path))
			for name, want := range everyValue() {
				if name == "pvc" {
					want = append(want, tc.claims...)
				}
				wantValues(t, mustLookup(t, targetFor(row), name), row, want)
			}
		})
	}
}

func TestNoPodSpecIsSeenWhereThereIsNone(t *testing.T) {
	for name, manifest := range map[string]string{
		"in the status, which tells of other objects": embed("kind: X\napiVersion: example.com/v1\n", "status.template.spec"),
		"in the metadata":               embed("kind: X\napiVersion: example.com/v1\n", "metadata.extra.spec"),
		"containers that are no list":   "{apiVersion: example.com/v1, kind: X, spec: {containers: 3, nodeNames: n, serviceAccountName: s}}",
		"containers without names":      "{apiVersion: example.com/v1, kind: X, spec: {containers: [{image: i}], serviceAccountName: s}}",
		"containers that are strings":   "{apiVersion: example.com/v1, kind: X, spec: {containers: [a, b], serviceAccountName: s}}",
		"an empty list of containers":   "{apiVersion: example.com/v1, kind: X, spec: {containers: [], serviceAccountName: s}}",
		"deeper than anyone nests them": embed("kind: X\napiVersion: example.com/v1\n", strings.Repeat("spec.", 20)+"spec"),
	} {
		t.Run(name, func(t *testing.T) {
			row := rowOf(t, manifest)
			for index := range everyValue() {
				wantValues(t, mustLookup(t, targetFor(row), index), row, nil)
			}
		})
	}
}

// Several pod specs in one custom resource, each with its own references.
func TestAllPodSpecsOfACustomResourceCount(t *testing.T) {
	row := rowOf(t, `
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: r}
spec:
  headGroupSpec: {template: {spec: {containers: [{name: h, image: head}], nodeName: n1}}}
  workerGroupSpecs:
  - {template: {spec: {containers: [{name: w, image: worker}], nodeName: n2}}}
  - {template: {spec: {containers: [{name: w, image: worker}], serviceAccountName: s}}}
`)
	wantValues(t, mustLookup(t, targetFor(row), "image"), row, []string{"head", "worker"})
	wantValues(t, mustLookup(t, targetFor(row), "node"), row, []string{"n1", "n2"})
	wantValues(t, mustLookup(t, targetFor(row), "serviceaccount"), row, []string{"s"})
}
