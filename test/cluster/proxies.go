package cluster

import (
	"context"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// TCPProxy starts a proxy in front of the API server that makes the faults of a
// network. It ends with ctx, and with the cluster.
func (c *Cluster) TCPProxy(ctx context.Context) (*faultproxy.TCP, error) {
	proxy, err := faultproxy.ListenTCP(ctx, c.Address())
	if err != nil {
		return nil, err
	}
	c.endWithIt(proxy.Close)
	return proxy, nil
}

// HTTPProxy starts a proxy in front of the API server that makes the faults of
// servers and of what stands before them. Its certificate is of the cluster's
// authority, so a kubeconfig needs its URL only. It ends with ctx, and with the
// cluster.
func (c *Cluster) HTTPProxy(ctx context.Context) (*faultproxy.HTTP, error) {
	return c.httpProxy(ctx, faultproxy.HTTPOptions{Target: c.URL()})
}

// GatewayTo starts such a proxy in front of a TCP proxy of the cluster, which
// speaks HTTP/2 to clients as API servers do.
func (c *Cluster) GatewayTo(ctx context.Context, behind *faultproxy.TCP) (*faultproxy.HTTP, error) {
	return c.httpProxy(ctx, faultproxy.HTTPOptions{Target: behind.URL(), HTTP2: true})
}

func (c *Cluster) httpProxy(ctx context.Context, options faultproxy.HTTPOptions) (*faultproxy.HTTP, error) {
	certificate, err := c.authority.serving()
	if err != nil {
		return nil, err
	}
	options.RootCAs, options.Certificate = c.authority.pool(), &certificate
	proxy, err := faultproxy.ListenHTTP(ctx, options)
	if err != nil {
		return nil, err
	}
	c.endWithIt(proxy.Close)
	return proxy, nil
}

// endWithIt has Stop call a function first of all.
func (c *Cluster) endWithIt(end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proxies = append(c.proxies, end)
}
