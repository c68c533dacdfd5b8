package cluster

import (
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

func kubeconfigs(t *testing.T, c *Cluster) {
	path, err := c.Kubeconfig(Dev, KubeconfigOptions{Server: "https://127.0.0.1:1", Namespace: "dev"})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	current := config.Contexts[config.CurrentContext]
	if current.AuthInfo != Dev || current.Namespace != "dev" || config.Clusters[current.Cluster].Server != "https://127.0.0.1:1" {
		t.Errorf("got %+v with server %s", current, config.Clusters[current.Cluster].Server)
	}
	for _, user := range Users() {
		if config.Contexts[user] == nil {
			t.Errorf("no context for %s", user)
		}
	}
	if other, err := c.Kubeconfig(Dev, KubeconfigOptions{}); err != nil || other == path {
		t.Errorf("a second kubeconfig: %s, %v", other, err)
	}
	if _, err := c.Kubeconfig("root", KubeconfigOptions{}); err == nil {
		t.Error("an unknown user was given a kubeconfig")
	}
}
