package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
)

// images is how many different images the pods have.
const images = 30

// workers is how many objects are created at a time.
const workers = 32

// adminConfig is one that the server does not slow down more than it has to.
func adminConfig(c *cluster.Cluster) (*rest.Config, error) {
	config, err := c.Config(cluster.Admin)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	config.ContentType = runtime.ContentTypeProtobuf
	return config, nil
}

// fill creates what is asked about. No controller runs: the objects stay as
// they are made.
func fill(ctx context.Context, c *cluster.Cluster, config *rest.Config, s size) error {
	// The small workloads bring the custom resource's definition.
	if err := c.Load(ctx, workloads.Small); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := each(ctx, 0, s.namespaces, func(ctx context.Context, n int) error {
		_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace(n)}}, metav1.CreateOptions{})
		return err
	}); err != nil {
		return err
	}
	if err := fillPods(ctx, client, s, 0); err != nil {
		return err
	}
	if err := fillWidgets(ctx, config, s); err != nil {
		return err
	}
	fmt.Printf("%d pods on %d nodes, %d custom resources, %d namespaces, created in %.0f s; medians of %d run(s): kubectl, ours, our share\n\n",
		s.pods, s.nodes, s.widgets, s.namespaces, time.Since(began).Seconds(), s.runs)
	return nil
}

// fillPods creates the pods from a number on.
func fillPods(ctx context.Context, client kubernetes.Interface, s size, from int) error {
	return each(ctx, from, s.pods, func(ctx context.Context, n int) error { return createPod(ctx, client, s, n) })
}

func namespace(n int) string { return fmt.Sprintf("bench-%d", n) }

// each calls create for the numbers up to one, many at a time, until one fails.
func each(ctx context.Context, from, to int, create func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for number := range numbers {
				if err := create(ctx, number); err != nil {
					cancel(err)
				}
			}
		})
	}
	for number := from; number < to; number++ {
		select {
		case numbers <- number:
		case <-ctx.Done():
		}
	}
	close(numbers)
	running.Wait()
	return context.Cause(ctx)
}

func createPod(ctx context.Context, client kubernetes.Interface, s size, n int) error {
	pod := realisticPod(s, n)
	pods := client.CoreV1().Pods(pod.Namespace)
	created, err := pods.Create(ctx, pod, metav1.CreateOptions{FieldManager: "kube-controller-manager"})
	if err != nil {
		return err
	}
	created.Status = realisticStatus(n)
	_, err = pods.UpdateStatus(ctx, created, metav1.UpdateOptions{FieldManager: "kubelet"})
	return err
}

func appOf(n int) string { return fmt.Sprintf("app-%d", n%100) }

func ownerOf(n int) string { return fmt.Sprintf("%s-%x", appOf(n), 0x6d4cf56d+n%100) }

func podName(n int) string { return fmt.Sprintf("%s-%05x", ownerOf(n), n) }

// realisticPod is a pod of two containers as a Deployment makes them.
func realisticPod(s size, n int) *corev1.Pod {
	app, owner := appOf(n), ownerOf(n)
	yes := true
	container := func(name, image string, port int32) corev1.Container {
		return corev1.Container{
			Name: name, Image: image,
			Env: []corev1.EnvVar{
				{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
				{Name: "LOG_LEVEL", Value: "info"},
			},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
				Limits:   corev1.ResourceList{"memory": resource.MustParse("256Mi")},
			},
			Ports:          []corev1.ContainerPort{{Name: "http-" + name[:3], ContainerPort: port}},
			LivenessProbe:  probe("/healthz", port),
			ReadinessProbe: probe("/readyz", port),
			VolumeMounts: []corev1.VolumeMount{
				{Name: "config", MountPath: "/etc/" + name},
				{Name: tokenVolume(n), MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true},
			},
		}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: podName(n), Namespace: namespace(n % s.namespaces), GenerateName: owner + "-",
			Labels:          map[string]string{"app": app, "pod-template-hash": owner[len(app)+1:], "tier": []string{"front", "middle", "back"}[n%3]},
			Annotations:     map[string]string{"prometheus.io/scrape": "true", "example.com/checksum": checksum("config of " + app)},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: owner, UID: types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012d", n%100)), Controller: &yes, BlockOwnerDeletion: &yes}},
		},
		Spec: corev1.PodSpec{
			NodeName: fmt.Sprintf("node-%d", n%s.nodes), ServiceAccountName: "default",
			Containers: []corev1.Container{container("web", fmt.Sprintf("shop/web:1.%d", n%images), 8080), container("proxy", "mesh/proxy:2.9.1", 15001)},
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{
					ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: app}}}},
				token(tokenVolume(n)),
			},
		},
	}
}

// checksum is one that looks like those of a cluster: it cannot be compressed.
func checksum(of string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(of))) }

func probe(path string, port int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(port)}},
		InitialDelaySeconds: 5, TimeoutSeconds: 2,
	}
}

func tokenVolume(n int) string { return fmt.Sprintf("kube-api-access-%05x", n) }

// token is the volume that each pod has, where ServiceAccounts are on.
func token(name string) corev1.Volume {
	seconds := int64(3607)
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: &seconds, Path: "token"}},
		{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
			{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}}},
	}}}}
}

// realisticStatus is the status of a pod that runs; one of fifty has ended.
func realisticStatus(n int) corev1.PodStatus {
	now := metav1.Now()
	phase := corev1.PodRunning
	if n%50 == 0 {
		phase = corev1.PodSucceeded
	}
	status := corev1.PodStatus{
		Phase: phase, PodIP: fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255), HostIP: "10.0.0.1", StartTime: &now,
	}
	for _, condition := range []corev1.PodConditionType{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	for _, name := range []string{"web", "proxy"} {
		started := true
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: name, Ready: true, Started: &started, Image: "shop/" + name, RestartCount: int32(n % 3),
			ImageID:     "registry.example.com/shop/" + name + "@sha256:" + checksum(fmt.Sprint(name, n%images)),
			ContainerID: "containerd://" + checksum(fmt.Sprint(name, " of ", n)),
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	return status
}

func fillWidgets(ctx context.Context, config *rest.Config, s size) error {
	config = rest.CopyConfig(config)
	config.ContentType = ""
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	resource := schema.GroupVersionResource{Group: "factory.example.com", Version: "v1", Resource: "widgets"}
	return each(ctx, 0, s.widgets, func(ctx context.Context, n int) error {
		widget, err := realisticWidget(n)
		if err != nil {
			return err
		}
		_, err = client.Resource(resource).Namespace(namespace(n%s.namespaces)).Create(ctx, widget, metav1.CreateOptions{})
		return err
	})
}

// realisticWidget is a custom resource of 4 KB as `kubectl apply` makes them: with
// a copy of itself in an annotation.
func realisticWidget(n int) (*unstructured.Unstructured, error) {
	parts := make([]any, 36)
	for i := range parts {
		parts[i] = map[string]any{"name": fmt.Sprintf("part-%02d-%04x", i, (n*37+i*101)&0xffff), "count": int64(i + n%7)}
	}
	spec := map[string]any{"color": []string{"red", "green", "blue"}[n%3], "size": int64(n), "parts": parts}
	applied, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "factory.example.com/v1", "kind": "Widget",
		"metadata": map[string]any{
			"name":        fmt.Sprintf("widget-%05d", n),
			"labels":      map[string]any{"line": fmt.Sprint("line-", n%20)},
			"annotations": map[string]any{"kubectl.kubernetes.io/last-applied-configuration": string(applied)},
		},
		"spec": spec,
	}}, nil
}
