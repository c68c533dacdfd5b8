package decode

import (
	"encoding/json"
	"fmt"
	goruntime "runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// benchPage is how many objects the pages have.
const benchPage = 500

// runningPod is a pod of two containers as a server has it, with managedFields.
func runningPod(n int) *corev1.Pod {
	now, yes := metav1.Now().Rfc3339Copy(), true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("web-6d4cf56db6-%05d", n), GenerateName: "web-6d4cf56db6-", Namespace: "shop",
			UID: "7d3c1c52-6c53-4d3e-8b1c-2f1f2a6e0a11", ResourceVersion: fmt.Sprint(1000 + n), CreationTimestamp: now,
			Labels:          map[string]string{"app": "web", "pod-template-hash": "6d4cf56db6", "tier": "front"},
			Annotations:     map[string]string{"example.com/checksum": fmt.Sprintf("%064x", n)},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-6d4cf56db6", UID: "1", Controller: &yes}},
		},
		Spec:   corev1.PodSpec{NodeName: fmt.Sprintf("node-%d", n%200)},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.0.0.7", StartTime: &now},
	}
	for _, name := range []string{"web", "proxy"} {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
			Name: name, Image: "shop/" + name + ":1.27", Env: []corev1.EnvVar{{Name: "LOG_LEVEL", Value: "info"}},
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": apiresource.MustParse("100m"), "memory": apiresource.MustParse("128Mi")}},
			Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		})
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: name, Ready: true, Image: "shop/" + name, ContainerID: fmt.Sprintf("containerd://%064x", n),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	fields, _ := json.Marshal(map[string]any{"f:spec": pod.Spec, "f:status": pod.Status})
	for _, manager := range []string{"kube-controller-manager", "kubelet"} {
		pod.ManagedFields = append(pod.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: manager, Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: fields},
		})
	}
	return pod
}

// benchAnswers are one page of pods in the forms in which it can be had.
type benchAnswers struct{ json, protobuf, metadata, table, cells []byte }

func answersOf(b *testing.B) benchAnswers {
	b.Helper()
	must := func(data []byte, err error) []byte {
		if err != nil {
			b.Fatal(err)
		}
		return data
	}
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
	meta := &metav1.PartialObjectMetadataList{}
	table := &metav1.Table{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"},
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name", Format: "name"}, {Name: "Ready"}, {Name: "Status"}, {Name: "Restarts"}, {Name: "Age"}}}
	cells := *table
	for n := range benchPage {
		pod := runningPod(n)
		partial := metav1.PartialObjectMetadata{ObjectMeta: pod.ObjectMeta}
		values := []any{pod.Name, "2/2", "Running", 0, "5d"}
		list.Items, meta.Items = append(list.Items, *pod), append(meta.Items, partial)
		table.Rows = append(table.Rows, metav1.TableRow{Cells: values, Object: runtime.RawExtension{Object: &partial}})
		cells.Rows = append(cells.Rows, metav1.TableRow{Cells: values})
	}
	return benchAnswers{
		json: must(json.Marshal(list)), table: must(json.Marshal(table)), cells: must(json.Marshal(&cells)),
		protobuf: envelope("v1", "PodList", must(list.Marshal())),
		metadata: envelope("meta.k8s.io/v1", "PartialObjectMetadataList", must(meta.Marshal())),
	}
}

// BenchmarkPage reads a page of 500 pods in each of the forms.
func BenchmarkPage(b *testing.B) {
	answers, tables := answersOf(b), NewTables(podKind, false)
	for _, way := range []struct {
		name string
		read Reader
		data []byte
	}{
		{"metadata", MetadataProtobuf(podKind, false).List, answers.metadata},
		{"cells-with-metadata", tables.WithMetadata().List, answers.table},
		{"cells-alone", tables.CellsAlone(), answers.cells},
		{"whole-json", WholeJSON(podKind, false).List, answers.json},
		{"whole-protobuf", WholeProtobuf(podKind, false).List, answers.protobuf},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(way.data)))
			for b.Loop() {
				if _, err := way.read(way.data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMetadata reads the metadata of a page of pods, ten of each owner: as we do,
// without managedFields and with one value for equal labels and owners; without
// managedFields alone; and by the generated code.
func BenchmarkMetadata(b *testing.B) {
	list := &metav1.PartialObjectMetadataList{}
	for n := range benchPage {
		meta := runningPod(n).ObjectMeta
		meta.Labels["pod-template-hash"], meta.OwnerReferences[0].Name = fmt.Sprint(n/10), fmt.Sprint("web-", n/10)
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: meta})
	}
	message, err := list.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	answer := envelope("meta.k8s.io/v1", "PartialObjectMetadataList", message)
	for name, read := range map[string]Reader{
		"ours": func(data []byte) (runtime.Object, error) { return MetadataProtobuf(podKind, false).List(data) },
		"cut-alone": protobufList{
			kinds: []metav1.TypeMeta{typeMeta(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList"))},
			row: func(message []byte) (*cache.Row, error) {
				parts, err := splitObject(message, false)
				if err != nil {
					return nil, err
				}
				row := &cache.Row{}
				return row, row.ObjectMeta.Unmarshal(parts.metadata)
			},
		}.list,
		"generated": func([]byte) (runtime.Object, error) {
			var all metav1.PartialObjectMetadataList
			err := all.Unmarshal(message)
			for i := range all.Items {
				all.Items[i].ManagedFields = nil
			}
			return &all, err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := read(answer); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(held(b, func() (runtime.Object, error) { return read(answer) })/benchPage, "held-B/pod")
		})
	}
}

// held is how much memory an answer takes that is kept.
func held(b *testing.B, read func() (runtime.Object, error)) float64 {
	b.Helper()
	const times = 20
	var before, after goruntime.MemStats
	kept := make([]runtime.Object, times)
	goruntime.GC()
	goruntime.ReadMemStats(&before)
	for i := range kept {
		var err error
		if kept[i], err = read(); err != nil {
			b.Fatal(err)
		}
	}
	goruntime.GC()
	goruntime.ReadMemStats(&after)
	goruntime.KeepAlive(kept)
	return (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / times
}

// BenchmarkBody decodes one pod, in each of the ways in which it is asked for.
func BenchmarkBody(b *testing.B) {
	answers := answersOf(b)
	for name, read := range map[string]func() (runtime.Object, error){
		"json":     func() (runtime.Object, error) { return WholeJSON(podKind, false).List(answers.json) },
		"protobuf": func() (runtime.Object, error) { return WholeProtobuf(podKind, false).List(answers.protobuf) },
	} {
		list, err := read()
		if err != nil {
			b.Fatal(err)
		}
		body := list.(*cache.RowList).Items[0].Body
		ways := map[string]func() error{
			"maps": func() error { _, err := body.Unstructured(); return err },
			"json": func() error { _, err := body.(cache.JSONBody).JSON(); return err },
		}
		if typed, ok := body.(cache.TypedBody); ok {
			ways["struct"] = func() error { _, err := typed.Object(); return err }
		}
		for way, decode := range ways {
			b.Run(name+"-to-"+way, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := decode(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
