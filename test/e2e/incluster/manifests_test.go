package incluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// folder is where the manifests are.
var folder = filepath.FromSlash("../../../docs/in-cluster")

// manifest is one of the files.
type manifest struct {
	path    string
	objects []runtime.Object
}

// read reads a manifest; a field that its type does not have is an error.
func read(t *testing.T, name string) manifest {
	t.Helper()
	m := manifest{path: filepath.Join(folder, name)}
	text, err := os.ReadFile(m.path)
	if err != nil {
		t.Fatal(err)
	}
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	for {
		document := make([]byte, len(text))
		n, err := documents.Read(document)
		if errors.Is(err, io.EOF) {
			return m
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := strict.Decode(document[:n], nil, nil)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, document[:n])
		}
		m.objects = append(m.objects, object)
	}
}

// find returns the only object of a type that a manifest has.
func find[T runtime.Object](t *testing.T, m manifest) T {
	t.Helper()
	var found []T
	for _, object := range m.objects {
		if object, ok := object.(T); ok {
			found = append(found, object)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d objects of the type %T", m.path, len(found), *new(T))
	}
	return found[0]
}

// names are the manifests.
func names(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	if !slices.Equal(names, []string{"cronjob.yaml", "deployment.yaml", "job.yaml", "statefulset.yaml"}) {
		t.Fatalf("there are the manifests %q", names)
	}
	return names
}

// place is a namespace of a test's own, in which only restricted pods may be.
type place struct {
	*testing.T
	namespace string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	restricted := map[string]string{"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted"}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "in-cluster-", Labels: restricted}}
	created, err := stage.client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &place{t, created.Name}
}

// kubectl runs kubectl as the administrator. It has to succeed, and to warn of nothing.
func (p *place) kubectl(args ...string) (stdout string) {
	p.Helper()
	result, err := stage.programs.Run(p.Context(), stage.admin, "kubectl", append(args, "-n", p.namespace)...)
	if err != nil || result.Code != 0 || result.Stderr != "" {
		p.Fatalf("kubectl %s: %v, %+v", strings.Join(args, " "), err, result)
	}
	return result.Stdout
}

// eventually waits until the check returns no error.
func (p *place) eventually(check func() error) {
	p.Helper()
	if err := harness.Eventually(p.Context(), check); err != nil {
		p.Fatal(err)
	}
}

// pods waits until a number of pods with a label run, or have run, and returns them by
// name. kwok plays the kubelet.
func (p *place) pods(selector string, count int) (pods []corev1.Pod) {
	p.Helper()
	p.eventually(func() error {
		list, err := stage.client.CoreV1().Pods(p.namespace).List(p.Context(), metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return err
		}
		pods = list.Items
		if len(pods) != count {
			return fmt.Errorf("there are %d pods with %s, want %d", len(pods), selector, count)
		}
		for _, pod := range pods {
			if phase := pod.Status.Phase; phase != corev1.PodRunning && phase != corev1.PodSucceeded {
				return fmt.Errorf("the pod %s is %s: %+v", pod.Name, phase, pod.Status.Conditions)
			}
		}
		return nil
	})
	slices.SortFunc(pods, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods
}

// volumes makes what the claims of a manifest are bound to.
func (p *place) volumes(m manifest) {
	p.Helper()
	for _, object := range m.objects {
		claim, ok := object.(*corev1.PersistentVolumeClaim)
		if !ok {
			continue
		}
		volume := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: p.namespace + "-" + claim.Name},
			Spec: corev1.PersistentVolumeSpec{
				Capacity: claim.Spec.Resources.Requests, AccessModes: claim.Spec.AccessModes,
				ClaimRef:               &corev1.ObjectReference{Namespace: p.namespace, Name: claim.Name},
				PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/nowhere"}},
			},
		}
		if _, err := stage.client.CoreV1().PersistentVolumes().Create(p.Context(), volume, metav1.CreateOptions{}); err != nil {
			p.Fatal(err)
		}
	}
}

// apply creates what a manifest has.
func (p *place) apply(m manifest) {
	p.Helper()
	p.volumes(m)
	p.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", m.path)
	p.kubectl("apply", "--validate=strict", "-f", m.path)
}

// deployed are the pods of a manifest that has been applied.
func (p *place) deployed(name string) []corev1.Pod {
	p.Helper()
	m := read(p.T, name)
	p.apply(m)
	switch name {
	case "deployment.yaml":
		return p.pods("app=informer-leader", int(*find[*appsv1.Deployment](p.T, m).Spec.Replicas))
	case "statefulset.yaml":
		return p.pods("app=informer-shards", int(*find[*appsv1.StatefulSet](p.T, m).Spec.Replicas))
	case "job.yaml":
		return p.pods("app=informer-once", int(*find[*batchv1.Job](p.T, m).Spec.Completions))
	default: // Kubernetes does the same when it is time
		p.kubectl("create", "job", "first", "--from=cronjob/"+find[*batchv1.CronJob](p.T, m).Name)
		return p.pods("app=informer-changes", 1)
	}
}

// The API server takes each manifest as it is, and the controllers make pods of it where
// nothing but restricted pods is let in.
func TestTheManifestsArePodsUnderRestrictedPodSecurity(t *testing.T) {
	t.Parallel()
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			for _, pod := range p.deployed(name) {
				if len(pod.Spec.Containers) != 1 || pod.Spec.ServiceAccountName != find[*corev1.ServiceAccount](t, read(t, name)).Name {
					t.Errorf("%+v", pod.Spec)
				}
			}
		})
	}
}

// That a namespace is restricted is what the test above rests on.
func TestAPodThatIsNotRestrictedIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := read(t, "job.yaml")
	template := find[*batchv1.Job](t, m).Spec.Template
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "open-"}, Spec: template.Spec}
	pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(true)
	if _, err := stage.client.CoreV1().Pods(p.namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err == nil || !strings.Contains(err.Error(), "violates PodSecurity") {
		t.Errorf("got %v", err)
	}
}
