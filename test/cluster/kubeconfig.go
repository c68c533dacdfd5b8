package cluster

import (
	"fmt"
	"path/filepath"
	"slices"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// KubeconfigOptions are what of a kubeconfig may differ. The zero value is a
// plain one.
type KubeconfigOptions struct {
	// Server is the URL to talk to, for example a proxy's; empty means the API
	// server's own.
	Server string
	// Namespace is the namespace of the contexts; empty leaves it unset.
	Namespace string
}

// Kubeconfig writes a new kubeconfig and returns its path, which is good until
// Stop. It has a context for every user, named like the user; the current one
// is that of the user asked for.
func (c *Cluster) Kubeconfig(user string, options KubeconfigOptions) (string, error) {
	if err := known(user); err != nil {
		return "", err
	}
	path := filepath.Join(c.dir, fmt.Sprintf("%s-%d.kubeconfig", user, c.kubeconfigs.Add(1)))
	return path, clientcmd.WriteToFile(c.kubeconfig(user, options), path)
}

func (c *Cluster) kubeconfig(user string, options KubeconfigOptions) clientcmdapi.Config {
	const name = "test"
	server := options.Server
	if server == "" {
		server = c.URL()
	}
	config := *clientcmdapi.NewConfig()
	config.CurrentContext = user
	config.Clusters[name] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: c.authority.pem()}
	for user, token := range c.tokens {
		config.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: token}
		config.Contexts[user] = &clientcmdapi.Context{Cluster: name, AuthInfo: user, Namespace: options.Namespace}
	}
	return config
}

// Config returns a client configuration for a user, without a rate limit.
func (c *Cluster) Config(user string) (*rest.Config, error) {
	if err := known(user); err != nil {
		return nil, err
	}
	return &rest.Config{
		Host:            c.URL(),
		BearerToken:     c.tokens[user],
		TLSClientConfig: rest.TLSClientConfig{CAData: c.authority.pem()},
		QPS:             -1,
	}, nil
}

func known(user string) error {
	if !slices.Contains(Users(), user) {
		return fmt.Errorf("the cluster has no user %q, only %v", user, Users())
	}
	return nil
}
