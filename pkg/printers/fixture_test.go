package printers

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// maxExact is an integer that a float cannot hold.
const maxExact = int64(9007199254740993)

func podColumns() *cache.Columns {
	return &cache.Columns{
		{Name: "Name", Type: "string", Format: "name"},
		{Name: "Ready", Type: "string"},
		{Name: "Status", Type: "string"},
		{Name: "Restarts", Type: "integer"},
		{Name: "Age", Type: "string", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]},
		{Name: "Node", Type: "string", Priority: 1},
	}
}

func nameAge(more ...string) *cache.Columns {
	columns := cache.Columns{{Name: "Name", Type: "string", Format: "name"}}
	for _, name := range more {
		columns = append(columns, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	columns = append(columns, metav1.TableColumnDefinition{Name: "Age", Type: "date"})
	return &columns
}

func pod(namespace, name, status, node string, restarts int64) testObject {
	return testObject{
		body: map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{
				"name": name, "namespace": namespace, "uid": namespace + "-" + name, "resourceVersion": "5",
				"creationTimestamp": "2020-01-02T03:04:05Z",
				"labels":            map[string]any{"app": "web", "app.kubernetes.io/part-of": "shop<&>"},
				"annotations":       map[string]any{"big": "9007199254740993", "html": "a<b>&c", "unicode": "é世界"},
				"managedFields":     []any{map[string]any{"manager": "kubelet", "operation": "Update"}},
			},
			"spec": map[string]any{
				"nodeName": node, "priority": maxExact, "weight": 0.5, "empty": map[string]any{}, "none": []any{}, "nothing": nil,
				"containers": []any{map[string]any{"name": "main", "image": "nginx:1.27", "args": []any{"a: b", "- c", "multi\nline\n"}}},
			},
			"status": map[string]any{"phase": status, "restarts": restarts},
		},
		cells: []any{name, "1/1", status, restarts, "5y", node},
	}
}

func object(gvk schema.GroupVersionKind, namespace, name string, cells ...any) testObject {
	metadata := map[string]any{"name": name, "creationTimestamp": "2020-01-02T03:04:05Z"}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	return testObject{
		body:  map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "spec": map[string]any{"size": "1Gi"}},
		cells: append([]any{name}, cells...),
	}
}

// shop is a cluster of namespaced, cluster-scoped and custom types, of one that
// the server cannot print and of one without objects.
func shop() testCluster {
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	node := schema.GroupVersionKind{Version: "v1", Kind: "Node"}
	gadget := schema.GroupVersionKind{Group: "example.com", Version: "v1alpha1", Kind: "Gadget"}
	return testCluster{
		{
			GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, resource: "pods", namespaced: true, columns: podColumns(),
			objects: []testObject{
				pod("prod", "web-1", "Running", "node-1", 0),
				pod("prod", "web-2-with-a-long-name", "CrashLoopBackOff", "node-2", 12),
				pod("test", "web-1", "Line\nbreak", "\x1b[31mnode-é", 3),
			},
		},
		{
			GroupVersionKind: deployment, resource: "deployments", namespaced: true, columns: nameAge("Ready", "Up-to-date"),
			objects: []testObject{
				object(deployment, "prod", "web", "2/2", int64(2), "5y"),
				object(deployment, "test", "web", "1/1", nil, "5y"),
			},
		},
		{
			GroupVersionKind: node, resource: "nodes", columns: nameAge("Status"),
			objects: []testObject{object(node, "", "node-1", "Ready", "5y"), object(node, "", "node-2", "NotReady", "5y")},
		},
		{
			GroupVersionKind: gadget, resource: "gadgets", namespaced: true,
			objects: []testObject{object(gadget, "prod", "gizmo"), object(gadget, "prod", "widget")},
		},
		{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, resource: "secrets", namespaced: true, columns: nameAge()},
	}
}

// crowd is a type with more objects than kubectl asks for at once, among them
// names that are wider in bytes than in characters, and many equal values.
func crowd(n int) testCluster {
	typ := &testType{
		GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, resource: "pods", namespaced: true, columns: podColumns(),
	}
	for i := range n {
		name := fmt.Sprintf("pod-%04d", i)
		if i%250 == 240 {
			name += fmt.Sprintf("-éé-%0*d", i/50, 0)
		}
		typ.objects = append(typ.objects, pod("prod", name, "Running", fmt.Sprintf("node-%d", i%7), int64(i%11)))
	}
	return testCluster{typ}
}
