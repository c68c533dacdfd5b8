package faults

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// server is an API server, with clients that reach it past every proxy.
type server struct {
	*cluster.Cluster
	kubernetes.Interface
	dynamic dynamic.Interface
	config  *rest.Config
}

func newServer(ctx context.Context, flags ...string) (*server, error) {
	c, err := cluster.Start(ctx, cluster.Options{APIServerOnly: true, APIServerFlags: flags})
	if err != nil {
		return nil, err
	}
	s := &server{Cluster: c}
	if err := s.connect(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return s, nil
}

func (s *server) connect() (err error) {
	if s.config, err = s.Config(cluster.Admin); err != nil {
		return err
	}
	if s.Interface, err = kubernetes.NewForConfig(s.config); err != nil {
		return err
	}
	s.dynamic, err = dynamic.NewForConfig(s.config)
	return err
}

// startServer starts a server of the test's own, which it may end. The flags are added
// to those of kube-apiserver.
func startServer(t *testing.T, flags ...string) *server {
	t.Helper()
	s, err := newServer(t.Context(), flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newNamespace creates a namespace of the test's own.
func (s *server) newNamespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	created, err := s.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created.Name
}

// configMaps changes the ConfigMaps of one namespace; what fails ends the test.
type configMaps struct {
	t      *testing.T
	client typedcorev1.ConfigMapInterface
}

func (s *server) configMaps(t *testing.T, namespace string) configMaps {
	return configMaps{t, s.CoreV1().ConfigMaps(namespace)}
}

func (c configMaps) create(names ...string) {
	c.t.Helper()
	for _, name := range names {
		c.createWith(name, "colour", "blue")
	}
}

func (c configMaps) createWith(name, key, value string) {
	c.t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: value}}
	if _, err := c.client.Create(c.t.Context(), object, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

func (c configMaps) change(name string) {
	c.t.Helper()
	object, err := c.client.Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	object.Data = map[string]string{"changed": time.Now().String()}
	if _, err := c.client.Update(c.t.Context(), object, metav1.UpdateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

func (c configMaps) delete(names ...string) {
	c.t.Helper()
	for _, name := range names {
		if err := c.client.Delete(c.t.Context(), name, metav1.DeleteOptions{}); err != nil {
			c.t.Fatal(err)
		}
	}
}

// object reads a manifest.
func object(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), object); err != nil {
		t.Fatal(err)
	}
	return object
}

// tcpProxy starts a proxy in front of the server that makes faults of a network.
func (s *server) tcpProxy(t *testing.T) *faultproxy.TCP {
	t.Helper()
	proxy, err := s.TCPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return proxy
}

// httpProxy starts a proxy in front of the server that answers in its place.
func (s *server) httpProxy(t *testing.T) *faultproxy.HTTP {
	t.Helper()
	proxy, err := s.HTTPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return proxy
}

// kubeconfig writes a kubeconfig of a user of the cluster, with what is wrong
// with it.
func (s *server) kubeconfig(t *testing.T, name string, wrong []func(*clientcmdapi.Config)) string {
	t.Helper()
	path, err := s.Kubeconfig(name, cluster.KubeconfigOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range wrong {
		change(config)
	}
	changed := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, changed); err != nil {
		t.Fatal(err)
	}
	return changed
}

// reaching changes how a kubeconfig reaches its server.
func reaching(change func(*clientcmdapi.Cluster)) func(*clientcmdapi.Config) {
	return func(config *clientcmdapi.Config) {
		for _, cluster := range config.Clusters {
			change(cluster)
		}
	}
}

// through leads a kubeconfig to another URL, of a proxy or of nothing.
func through(url string) func(*clientcmdapi.Config) {
	return reaching(func(cluster *clientcmdapi.Cluster) { cluster.Server = url })
}

// in gives a kubeconfig's context a namespace.
func in(namespace string) func(*clientcmdapi.Config) {
	return func(config *clientcmdapi.Config) { config.Contexts[config.CurrentContext].Namespace = namespace }
}

// eventually waits until the check returns no error.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	if err := harness.Eventually(t.Context(), check); err != nil {
		t.Fatal(err)
	}
}

// more says whether there are more than there were.
func more(now, before int) error {
	if now <= before {
		return fmt.Errorf("there are %d, as before", now)
	}
	return nil
}
