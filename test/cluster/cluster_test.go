package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func startCluster(t *testing.T, options Options) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func clientFor(t *testing.T, c *Cluster, user string) kubernetes.Interface {
	t.Helper()
	config, err := c.Config(user)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// eventually waits until the check returns no error.
func eventually(t *testing.T, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestWholeControlPlane(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	c := startCluster(t, Options{})
	admin := clientFor(t, c, Admin)
	if err := c.Load(t.Context(), workloads.Small); err != nil {
		t.Fatal(err)
	}
	t.Run("a deployment of twelve runs", func(t *testing.T) { deploymentRuns(t, admin) })
	t.Run("deleting a deployment takes its pods along", func(t *testing.T) { deploymentIsCollected(t, admin) })
	t.Run("loading again changes nothing", func(t *testing.T) { loadIsIdempotent(t, c, admin) })
	t.Run("the viewer's role reaches types of our own namespaces", func(t *testing.T) {
		if _, err := clientFor(t, c, Viewer).AppsV1().Deployments("shop").List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a restart keeps what is stored", func(t *testing.T) { restartKeepsData(t, c, admin) })
	t.Run("controllers survive a restart", func(t *testing.T) { deploymentRuns(t, admin) })
	t.Run("stopping leaves nothing behind", func(t *testing.T) { stopLeavesNothing(t, c) })
}

const deployed = "twelve"

func deploymentRuns(t *testing.T, client kubernetes.Interface) {
	labels := map[string]string{"app": deployed}
	replicas := int32(12)
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: deployed},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "busybox"}}},
			},
		},
	}
	if _, err := client.AppsV1().Deployments("default").Create(t.Context(), deployment, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error { return podsAre(ctx, client, corev1.PodRunning, 12) })
}

func deploymentIsCollected(t *testing.T, client kubernetes.Interface) {
	if err := client.AppsV1().Deployments("default").Delete(t.Context(), deployed, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error { return podsAre(ctx, client, corev1.PodRunning, 0) })
}

// podsAre says whether the deployment has so many pods, all in one phase.
func podsAre(ctx context.Context, client kubernetes.Interface, phase corev1.PodPhase, want int) error {
	pods, err := client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "app=" + deployed})
	if err != nil {
		return err
	}
	if len(pods.Items) != want {
		return fmt.Errorf("there are %d pods, want %d", len(pods.Items), want)
	}
	for _, pod := range pods.Items {
		if pod.Status.Phase != phase {
			return fmt.Errorf("pod %s is %s, want %s", pod.Name, pod.Status.Phase, phase)
		}
	}
	return nil
}

func loadIsIdempotent(t *testing.T, c *Cluster, client kubernetes.Interface) {
	web := func() *appsv1.Deployment {
		deployment, err := client.AppsV1().Deployments("shop").Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return deployment
	}
	before := web()
	if err := c.Load(t.Context(), workloads.Small); err != nil {
		t.Fatal(err)
	}
	if after := web(); after.Generation != before.Generation || after.UID != before.UID {
		t.Errorf("generation %d and uid %s became %d and %s", before.Generation, before.UID, after.Generation, after.UID)
	}
}

func restartKeepsData(t *testing.T, c *Cluster, client kubernetes.Interface) {
	url := c.URL()
	before, err := client.CoreV1().ConfigMaps("dev").Get(t.Context(), "settings", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c.KillAPIServer()
	if _, err := client.CoreV1().ConfigMaps("dev").Get(t.Context(), "settings", metav1.GetOptions{}); err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		t.Fatalf("a killed API server answered: %v", err)
	}
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := client.CoreV1().ConfigMaps("dev").Get(t.Context(), "settings", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if after.ResourceVersion != before.ResourceVersion || c.URL() != url {
		t.Errorf("resourceVersion %s at %s became %s at %s", before.ResourceVersion, url, after.ResourceVersion, c.URL())
	}
}

func TestAPIServerAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	c := startCluster(t, Options{APIServerOnly: true})
	if err := c.Load(t.Context(), workloads.Demo); err != nil {
		t.Fatal(err)
	}
	t.Run("users have the rights they should and no others", func(t *testing.T) { rights(t, c) })
	t.Run("kubeconfigs", func(t *testing.T) { kubeconfigs(t, c) })
	t.Run("proxies", func(t *testing.T) { proxies(t, c) })
	t.Run("a second API server is not started", func(t *testing.T) {
		if err := c.StartAPIServer(t.Context()); err == nil {
			t.Error("it was")
		}
	})
	t.Run("a port that was taken is recognised", func(t *testing.T) { takenPort(t, c) })
	t.Run("a program that dies is named", func(t *testing.T) { deadProgramIsNamed(t, c) })
}

// stopLeavesNothing ends the cluster.
func stopLeavesNothing(t *testing.T, c *Cluster) {
	dir, programs := c.dir, append(c.others, c.apiServer)
	proxy, err := c.TCPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		select {
		case <-program.Done():
		default:
			t.Errorf("%s still runs", program.Name())
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("a stopped cluster counts as failed: %v", err)
	}
	if conn, err := net.Dial("tcp", proxy.Addr()); err == nil {
		conn.Close()
		t.Error("a proxy still listens")
	}
}

// takenPort lets somebody else have the API server's port for a while.
func takenPort(t *testing.T, c *Cluster) {
	c.StopAPIServer(t.Context())
	other, err := net.Listen("tcp", c.Address())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.StartAPIServer(t.Context()); err == nil || !strings.Contains(err.Error(), portTaken) {
		t.Errorf("got %v, want words by which a first start looks for another port", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Error(err)
	}
}

// deadProgramIsNamed kills etcd, after which the cluster is of no use.
func deadProgramIsNamed(t *testing.T, c *Cluster) {
	c.etcd.Kill()
	if err := c.Wait(); err == nil || !strings.Contains(err.Error(), "etcd") {
		t.Errorf("got %v", err)
	}
}

func TestFailedStartShowsTheLogAndLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	_, err := Start(t.Context(), Options{APIServerOnly: true, APIServerFlags: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "unknown flag") {
		t.Errorf("got %v", err)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestMissingProgramsFailAtOnce(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(root+"/test/controlplane", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := os.WriteFile(root+"/test/controlplane/"+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	if _, err := Start(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "run `make controlplane`") {
		t.Errorf("got %v", err)
	}
}
