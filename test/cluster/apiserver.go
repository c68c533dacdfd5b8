package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/loopback"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/process"
)

// portTaken is in what a Go program writes when it cannot have a port, on every
// system.
const portTaken = "bind: "

// startFirstAPIServer finds the port that the API server keeps from then on. A
// port that somebody else takes between our look and the server's is replaced.
func (c *Cluster) startFirstAPIServer(ctx context.Context) error {
	var err error
	for range 5 {
		if c.port, err = loopback.FreePort(); err != nil {
			return err
		}
		if err = c.StartAPIServer(ctx); err == nil || !strings.Contains(err.Error(), portTaken) {
			return err
		}
	}
	return err
}

// StartAPIServer starts the API server again, on the port it had, and returns
// when it is ready. Objects are as they were; the history of changes is not:
// watches from an older resourceVersion may be told that it expired.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.apiServer != nil {
		return errors.New("the API server is running already")
	}
	client, err := c.adminClient()
	if err != nil {
		return err
	}
	server, err := c.run("kube-apiserver", c.apiServerArgs(c.port, c.etcdSocket()))
	if err != nil {
		return err
	}
	if err := waitFor(ctx, server, func(ctx context.Context) error { return apiServerReady(ctx, client) }); err != nil {
		server.Kill()
		return err
	}
	c.apiServer = server
	return nil
}

// KillAPIServer ends the API server as a crash would, and returns when it is
// gone: open connections are reset, new ones refused. It does nothing where no
// API server runs.
func (c *Cluster) KillAPIServer() {
	c.stopAPIServer((*process.Process).Kill)
}

// StopAPIServer ends the API server in good order: it closes its watches before
// it goes. After ten seconds, or when ctx is done, it is killed.
func (c *Cluster) StopAPIServer(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c.stopAPIServer(func(server *process.Process) { server.Stop(ctx) })
}

func (c *Cluster) stopAPIServer(end func(*process.Process)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.apiServer != nil {
		end(c.apiServer)
		c.apiServer = nil
	}
}

// RestartAPIServer ends the API server in good order and starts it again.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	c.StopAPIServer(ctx)
	if err := c.StartAPIServer(ctx); err != nil {
		return fmt.Errorf("cannot restart the API server: %w", err)
	}
	return nil
}
