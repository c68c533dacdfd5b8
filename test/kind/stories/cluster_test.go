package stories

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// reach reads a kubeconfig, or several as $KUBECONFIG lists them, and looks at
// the cluster of its current context.
func reach(ctx context.Context, path string) error {
	rules := &clientcmd.ClientConfigLoadingRules{Precedence: filepath.SplitList(path)}
	config, err := rules.Load()
	if err != nil {
		return err
	}
	if err := clientcmdapi.MinifyConfig(config); err != nil {
		return err
	}
	if err := clientcmdapi.FlattenConfig(config); err != nil {
		return err
	}
	client, err := clientcmd.NewDefaultClientConfig(*config, nil).ClientConfig()
	if err != nil {
		return err
	}
	client.QPS = -1
	if stage.client, err = kubernetes.NewForConfig(client); err != nil {
		return err
	}
	nodes, err := stage.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot look at the cluster's nodes: %w", err)
	}
	stage.kubeconfig, stage.kubelets = config, haveKubelets(nodes.Items)
	return nil
}

// haveKubelets says whether pods really run on every node: kwok says that they
// do, and runs nothing.
func haveKubelets(nodes []corev1.Node) bool {
	for _, node := range nodes {
		_, annotated := node.Annotations["kwok.x-k8s.io/node"]
		if annotated || node.Labels["type"] == "kwok" || strings.HasPrefix(node.Status.NodeInfo.KubeletVersion, "kwok-") {
			return false
		}
	}
	return len(nodes) > 0
}

func TestKwokIsNotTakenForAKubelet(t *testing.T) {
	genuine := corev1.Node{Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.37.0"}}}
	annotated, labelled, versioned := *genuine.DeepCopy(), *genuine.DeepCopy(), *genuine.DeepCopy()
	annotated.Annotations = map[string]string{"kwok.x-k8s.io/node": "fake"}
	labelled.Labels = map[string]string{"type": "kwok"}
	versioned.Status.NodeInfo.KubeletVersion = "kwok-v0.8.0"
	if !haveKubelets([]corev1.Node{genuine, genuine}) {
		t.Error("two nodes of a kind cluster are taken for kwok's")
	}
	for _, nodes := range [][]corev1.Node{nil, {genuine, annotated}, {labelled}, {versioned, genuine}} {
		if haveKubelets(nodes) {
			t.Errorf("pods are believed to run on %v", nodes)
		}
	}
}

// newNamespace creates a namespace of a story's own, in which pods can be created.
func newNamespace(ctx context.Context) (string, error) {
	namespaces := stage.client.CoreV1().Namespaces()
	created, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "informer-story-",
		Labels:       map[string]string{"app.kubernetes.io/managed-by": "kubectl-informer-stories"},
	}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return created.Name, harness.Eventually(ctx, func() error {
		_, err := stage.client.CoreV1().ServiceAccounts(created.Name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// writeKubeconfig writes a kubeconfig of somebody who works in a namespace.
func writeKubeconfig(path, namespace string) error {
	config := stage.kubeconfig.DeepCopy()
	config.Contexts[config.CurrentContext].Namespace = namespace
	return clientcmd.WriteToFile(*config, path)
}
