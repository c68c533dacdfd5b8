package index

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func coreTarget(kind string) cache.Target {
	t := targetOf(schema.GroupVersionKind{Version: "v1", Kind: kind})
	t.Namespaced = kind != "Node" && kind != "PersistentVolume"
	return t
}

func TestUsesNameTheNamespaceThatIsMeant(t *testing.T) {
	for _, tc := range []struct{ used, user, want string }{
		{"PersistentVolumeClaim", "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: dev}, spec: {volumes: [{persistentVolumeClaim: {claimName: data}}]}}", "dev/data"},
		{"PersistentVolumeClaim", "{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: {claimRef: {namespace: dev, name: data}}}", "dev/data"},
		// A claim is no user of itself, only of what it copies.
		{"PersistentVolumeClaim", "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: dev}, spec: {dataSourceRef: {kind: PersistentVolumeClaim, name: a}}}", "dev/a"},
		{"PersistentVolumeClaim", "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: dev}, spec: {dataSourceRef: {kind: PersistentVolumeClaim, name: a, namespace: shop}}}", "shop/a"},
		{"Secret", "{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: {csi: {nodeStageSecretRef: {namespace: kube, name: s}}}}", "kube/s"},
		{"Secret", "{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: {azureFile: {secretNamespace: kube, secretName: s}}}", "kube/s"},
		{"Secret", "{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: {flexVolume: {secretRef: {namespace: kube, name: s}}}}", "kube/s"},
		{"Secret", "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: dev}, imagePullSecrets: [{name: s}]}", "dev/s"},
		{"ServiceAccount", "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a, namespace: dev}, subjects: [{kind: ServiceAccount, namespace: ops, name: robot}, {kind: User, name: me}]}", "ops/robot"},
		{"ServiceAccount", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: dev}, spec: {template: {spec: {containers: []}}}}", "dev/default"},
		{"ServiceAccount", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: dev}, spec: {template: {spec: {serviceAccountName: robot}}}}", "dev/robot"},
		{"ServiceAccount", "{apiVersion: v1, kind: Pod, metadata: {name: mirror, namespace: dev}, spec: {containers: []}}", ""},
		{"Node", "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: dev}, spec: {nodeName: node-1}}", "/node-1"},
		{"Node", "{apiVersion: v1, kind: Event, metadata: {name: p, namespace: dev}, involvedObject: {kind: Node, namespace: default, name: node-1}}", "/node-1"},
		{"ConfigMap", "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: dev}, spec: {any: {containers: [{name: a, envFrom: [{configMapRef: {name: c}}]}]}}}", "dev/c"},
	} {
		row := rowOf(t, tc.user)
		user := targetFor(row)
		user.Namespaced = row.Namespace != ""
		d, err := Uses(user, coreTarget(tc.used))
		if err != nil {
			t.Errorf("%s: %v", tc.user, err)
			continue
		}
		if got := strings.Join(d.Values(row), " "); got != tc.want {
			t.Errorf("%s of %s: got %q, want %q", tc.used, tc.user, got, tc.want)
		}
		if typed := typedRow(t, row); typed != nil {
			if got := strings.Join(d.Values(typed), " "); got != tc.want {
				t.Errorf("typed: %s of %s: got %q, want %q", tc.used, tc.user, got, tc.want)
			}
		}
	}
}

func TestWhoCannotUseWhat(t *testing.T) {
	cluster := targetOf(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Cluster"})
	cluster.Namespaced = false
	for _, tc := range []struct {
		user, used cache.Target
		want       string
	}{
		{coreTarget("Pod"), coreTarget("Service"), "it is not known who uses services: "},
		{coreTarget("Service"), coreTarget("Secret"), "services do not name secrets"},
		{cluster, coreTarget("Secret"), "clusters.example.com are in no namespace: "},
	} {
		if _, err := Uses(tc.user, tc.used); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("got %v, want %s", err, tc.want)
		}
	}
}

// typedRow is the row with a Go struct for its body; nil for a custom resource.
func typedRow(t *testing.T, row *cache.Row) *cache.Row {
	t.Helper()
	kind := schema.FromAPIVersionAndKind(row.APIVersion, row.Kind)
	if !scheme.Scheme.Recognizes(kind) {
		return nil
	}
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	content, err := row.Unstructured()
	if err != nil {
		t.Fatal(err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, object); err != nil {
		t.Fatal(err)
	}
	return &cache.Row{TypeMeta: row.TypeMeta, ObjectMeta: row.ObjectMeta, Body: structBody{object}}
}
