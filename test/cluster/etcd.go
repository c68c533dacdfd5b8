package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/loopback"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/process"
)

// StartEtcd starts etcd again, with what is in its folder, and returns when it
// is ready.
func (c *Cluster) StartEtcd(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.etcd != nil {
		return errors.New("etcd is running already")
	}
	etcd, err := c.run("etcd", c.etcdArgs())
	if err != nil {
		return err
	}
	c.etcd = etcd
	return waitFor(ctx, etcd, c.etcdReady)
}

// KillEtcd ends etcd as a crash would, and returns when it is gone. It does
// nothing where no etcd runs.
func (c *Cluster) KillEtcd() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.etcd != nil {
		c.etcd.Kill()
		c.etcd = nil
	}
}

// SaveEtcd keeps a copy of all that etcd holds, which the next RestoreEtcd
// brings back. etcd must not run.
func (c *Cluster) SaveEtcd() error { return c.copyEtcd("etcd", "etcd-saved") }

// RestoreEtcd brings back what SaveEtcd has kept, as an administrator does after
// a loss: revisions that have been given since are given again. Neither etcd nor
// an API server may run.
func (c *Cluster) RestoreEtcd() error { return c.copyEtcd("etcd-saved", "etcd") }

func (c *Cluster) copyEtcd(from, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.etcd != nil {
		return errors.New("etcd is running")
	}
	if err := os.RemoveAll(c.path(to)); err != nil {
		return err
	}
	return os.CopyFS(c.path(to), os.DirFS(c.path(from)))
}

// Compact has etcd forget all changes but the last of each object.
func (c *Cluster) Compact(ctx context.Context) error {
	var read struct{ Header struct{ Revision string } }
	if err := c.askEtcd(ctx, "/v3/kv/range", map[string]any{"key": "AA==", "limit": 1}, &read); err != nil {
		return err
	}
	return c.askEtcd(ctx, "/v3/kv/compaction", map[string]any{"revision": read.Header.Revision, "physical": true}, &struct{}{})
}

// askEtcd asks etcd in JSON, through the gateway to its gRPC.
func (c *Cluster) askEtcd(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := c.etcdClient().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd answers %s to %s", response.Status, path)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

func (c *Cluster) etcdClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", c.etcdSocket())
		},
	}}
}

// Replica is a second API server on the same etcd.
type Replica struct {
	// Etcd is the way that it reaches etcd: while that is frozen, the replica
	// answers from what it knew before.
	Etcd    *faultproxy.TCP
	address string
	server  *process.Process
}

// Address returns its host and port.
func (r *Replica) Address() string { return r.address }

// Kill ends it at once.
func (r *Replica) Kill() {
	r.server.Kill()
	r.Etcd.Close()
}

// StartReplica starts a second API server and returns when it is ready. It ends
// with the cluster, if it is not killed before.
func (c *Cluster) StartReplica(ctx context.Context) (*Replica, error) {
	socket := c.path("replica.sock")
	etcd, err := faultproxy.ListenUnix(c.alive, socket, c.etcdSocket())
	if err != nil {
		return nil, err
	}
	c.endWithIt(etcd.Close)
	port, err := loopback.FreePort()
	if err != nil {
		return nil, err
	}
	path, err := c.binaryPath("kube-apiserver")
	if err != nil {
		return nil, err
	}
	server, err := process.Start(c.alive, process.Spec{
		Name: "the second kube-apiserver", Path: path, Args: c.apiServerArgs(port, socket), Dir: c.dir, Log: c.path("replica.log"),
	})
	if err != nil {
		return nil, err
	}
	c.endWithIt(server.Kill)
	replica := &Replica{Etcd: etcd, address: loopback.Address(port), server: server}
	client, err := c.adminClientOf("https://" + replica.address)
	if err != nil {
		return nil, err
	}
	return replica, waitFor(ctx, server, func(ctx context.Context) error { return apiServerReady(ctx, client) })
}
