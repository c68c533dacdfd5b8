package compress

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// message is a pod of two containers in protobuf, as a server sends it.
func message(b *testing.B, n int) []byte {
	b.Helper()
	sum := func(of string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(of))) }
	now := metav1.Unix(1_700_000_000+int64(n), 0)
	owner := fmt.Sprintf("app-%d-6d4cf56db6", n%100)
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%05x", owner, n), GenerateName: owner + "-", Namespace: fmt.Sprintf("ns-%d", n%50), ResourceVersion: fmt.Sprint(90_000 + n),
			UID: types.UID(sum(fmt.Sprint(n))[:36]), CreationTimestamp: now, Labels: map[string]string{"app": owner[:6], "tier": "front"},
			Annotations:     map[string]string{"example.com/checksum": sum(owner)},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: owner, UID: types.UID(sum(owner)[:36])}},
		},
		Spec:   corev1.PodSpec{NodeName: fmt.Sprintf("node-%d", n%200), ServiceAccountName: "default", RestartPolicy: "Always", SchedulerName: "default-scheduler"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: fmt.Sprintf("10.%d.%d.7", n>>8, n&255), HostIP: "10.0.0.1", StartTime: &now},
	}
	for _, condition := range []corev1.PodConditionType{"Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: condition, Status: "True", LastTransitionTime: now})
	}
	for _, name := range []string{"web", "proxy"} {
		probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"/bin/probe", "--of", name}}}, PeriodSeconds: 10}
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
			Name: name, Image: fmt.Sprintf("shop/%s:1.%d", name, n%30), Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}},
			Env:           []corev1.EnvVar{{Name: "LOG_LEVEL", Value: "info"}, {Name: "POD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
			Resources:     corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")}},
			LivenessProbe: probe, ReadinessProbe: probe, TerminationMessagePath: "/dev/termination-log", ImagePullPolicy: "IfNotPresent",
			VolumeMounts: []corev1.VolumeMount{{Name: "kube-api-access-" + fmt.Sprintf("%05x", n), MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
		})
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: name, Ready: true, Image: "shop/" + name, ImageID: "shop/" + name + "@sha256:" + sum(fmt.Sprint(name, n%30)),
			ContainerID: "containerd://" + sum(fmt.Sprint(name, " of ", n)), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	data, err := pod.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// BenchmarkCompression compresses and opens pods in the ways there are: see
// docs/performance.md.
func BenchmarkCompression(b *testing.B) {
	objects := make([][]byte, enough)
	for n := range objects {
		objects[n] = message(b, n)
	}
	var like [samples][]byte
	for n := range like {
		like[n] = objects[n*sampled]
	}
	ours := newEncoder(like[:], &rooms{})
	raw := make([]byte, 0, 1<<16)
	for _, object := range like {
		raw = append(raw, object...)
	}
	writer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderDictRaw(1, raw), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		b.Fatal(err)
	}
	defer writer.Close()
	reader, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(1, raw), zstd.WithDecoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	for _, way := range []struct {
		name     string
		compress func(room, data []byte) []byte
		open     func(room, data []byte) ([]byte, error)
	}{
		{"s2", func(room, data []byte) []byte { return s2.Encode(room[:cap(room)], data) },
			func(room, data []byte) ([]byte, error) { return s2.Decode(room[:cap(room)], data) }},
		{"s2-dictionary", ours.compress, ours.open},
		{"zstd-dictionary", func(room, data []byte) []byte { return writer.EncodeAll(data, room[:0]) },
			func(room, data []byte) ([]byte, error) { return reader.DecodeAll(data, room[:0]) }},
	} {
		var compressed [][]byte
		plain, size := 0, 0
		for _, object := range objects {
			compressed = append(compressed, way.compress(nil, object))
			plain, size = plain+len(object), size+len(compressed[len(compressed)-1])
		}
		b.Run(way.name+"/compress", func(b *testing.B) {
			var room []byte
			for n := 0; b.Loop(); n++ {
				room = way.compress(room, objects[n%enough])
			}
			b.ReportMetric(float64(plain)/enough, "plain-B")
			b.ReportMetric(float64(size)/enough, "kept-B")
		})
		b.Run(way.name+"/open", func(b *testing.B) {
			var room []byte
			for n := 0; b.Loop(); n++ {
				var err error
				if room, err = way.open(room, compressed[n%enough]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
