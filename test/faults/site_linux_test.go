package faults

import (
	"context"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/faults/ledger"
)

// The types of most scenarios: configMaps break, the others are to go on.
var (
	configMaps = ledger.Type{Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap"}
	secrets    = ledger.Type{Resource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, Kind: "Secret"}
	gauges     = ledger.Type{Resource: customVersion.WithResource("gauges"), Kind: "Gauge"}
)

var (
	customVersion = schema.GroupVersion{Group: "faults.example.com", Version: "v1"}
	definitions   = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// site is an API server, with clients that reach it past every proxy.
type site struct {
	*cluster.Cluster
	kubernetes.Interface
	dynamic dynamic.Interface
	config  *rest.Config
}

func newSite(ctx context.Context) (*site, error) {
	c, err := cluster.Start(ctx, cluster.Options{APIServerOnly: true})
	if err != nil {
		return nil, err
	}
	s := &site{Cluster: c}
	if err := s.connect(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return s, nil
}

func (s *site) connect(ctx context.Context) (err error) {
	if s.config, err = s.Config(cluster.Admin); err != nil {
		return err
	}
	if s.Interface, err = kubernetes.NewForConfig(s.config); err != nil {
		return err
	}
	if s.dynamic, err = dynamic.NewForConfig(s.config); err != nil {
		return err
	}
	return s.define(ctx, definition(gauges, "Namespaced", "v1"))
}

// startSite starts a site of a test's own, which it may end.
func startSite(t *testing.T) *site {
	t.Helper()
	s, err := newSite(t.Context())
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

func (s *site) newNamespace(ctx context.Context) (string, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "faults-"}}
	created, err := s.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return created.Name, nil
}

// definition is that of a custom type, in some versions, of which the first is
// stored.
func definition(t ledger.Type, scope string, versions ...string) string {
	text := fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s}
spec:
  group: %s
  scope: %s
  names: {kind: %s, plural: %s}
  versions:`, t.Resource.GroupResource(), t.Resource.Group, scope, t.Kind, t.Resource.Resource)
	for n, version := range versions {
		text += fmt.Sprintf(`
  - name: %s
    served: true
    storage: %v
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`, version, n == 0)
	}
	return text
}

// define creates a definition and waits until its type is served.
func (s *site) define(ctx context.Context, manifest string) error {
	object, err := decode(manifest)
	if err != nil {
		return err
	}
	if _, err := s.dynamic.Resource(definitions).Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(object.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(object.Object, "spec", "versions")
	version := versions[0].(map[string]any)["name"].(string)
	served := schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
	return eventually(ctx, patience, func() error {
		_, err := s.dynamic.Resource(served).List(ctx, metav1.ListOptions{})
		return err
	})
}

func decode(manifest string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	return object, yaml.Unmarshal([]byte(manifest), object)
}

// chain is the way from one program to the API server, on which faults happen:
// a network, a gateway that understands requests, another network.
type chain struct {
	front   *faultproxy.TCP
	gateway *faultproxy.HTTP
	back    *faultproxy.TCP
}

func (s *site) newChain(ctx context.Context) (c chain, err error) {
	if c.back, err = s.TCPProxy(ctx); err != nil {
		return c, err
	}
	if c.gateway, err = s.GatewayTo(ctx, c.back); err != nil {
		return c, err
	}
	c.front, err = faultproxy.ListenTCP(ctx, c.gateway.Addr())
	return c, err
}
