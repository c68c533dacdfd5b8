package cluster

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// proxies talks to the real API server through both proxies, one behind the
// other, with a kubeconfig that has nothing but their URL.
func proxies(t *testing.T, c *Cluster) {
	http, err := c.HTTPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := faultproxy.ListenTCP(t.Context(), http.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	client := clientThrough(t, c, tcp.URL())
	http.Answer(faultproxy.List("nodes"), 1, faultproxy.Status(apierrors.NewForbidden(
		metav1.Unversioned.WithResource("nodes").GroupResource(), "", nil).ErrStatus))
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want the injected error", err)
	}
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if got := http.Count(faultproxy.List("nodes")); got != 2 {
		t.Errorf("counted %d lists, want 2", got)
	}
	closingBookmark(t, client, http)
	tcp.Cut()
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("after a cut: %v", err)
	}
}

// closingBookmark opens a streaming list twice: as it is, and robbed of its end.
func closingBookmark(t *testing.T, client kubernetes.Interface, proxy *faultproxy.HTTP) {
	for _, dropped := range []bool{false, true} {
		proxy.DropClosingBookmark(dropped)
		stream, err := client.CoreV1().ConfigMaps("dev").Watch(t.Context(), metav1.ListOptions{
			SendInitialEvents: new(true), AllowWatchBookmarks: true,
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			// With the server's help the stream ends by itself, soon.
			TimeoutSeconds: new(int64(1)),
		})
		if err != nil {
			t.Fatal(err)
		}
		added, closed := 0, 0
		for event := range stream.ResultChan() {
			if event.Type == watch.Error {
				t.Fatalf("dropped %v: %v", dropped, apierrors.FromObject(event.Object))
			}
			switch object := event.Object.(metav1.ObjectMetaAccessor).GetObjectMeta(); {
			case event.Type == watch.Added:
				added++
			case object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true":
				closed++
			}
		}
		if want := map[bool]int{false: 1, true: 0}[dropped]; added == 0 || closed != want {
			t.Errorf("dropped %v: got %d objects and %d closing bookmarks, want %d", dropped, added, closed, want)
		}
	}
}

func clientThrough(t *testing.T, c *Cluster, url string) kubernetes.Interface {
	t.Helper()
	path, err := c.Kubeconfig(Admin, KubeconfigOptions{Server: url})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
