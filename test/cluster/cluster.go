package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/binaries"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/loopback"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/process"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
)

// Options say what of a control plane to start. The zero value starts all of it.
type Options struct {
	// APIServerOnly leaves out the controllers, the scheduler and kwok: objects
	// stay as they are written, and the start takes a third of the time.
	APIServerOnly bool
	// APIServerFlags are added to the flags of kube-apiserver, for example
	// "--feature-gates=WatchList=false".
	APIServerFlags []string
	// Release is the one that the Kubernetes programs are of; empty means that of the
	// environment, so that all tests can run against an older server as they are.
	Release binaries.Release
}

// Cluster is a running control plane. Its methods may be called from any
// goroutine.
type Cluster struct {
	options     Options
	programs    string // the folder of the present release's binaries
	kubernetes  binaries.Release
	dir         string
	authority   *authority
	tokens      map[string]string
	port        int
	kubeconfigs atomic.Int64

	// alive ends when the cluster does; every process and proxy hangs on it.
	alive context.Context
	end   context.CancelFunc
	// others are all processes but etcd and the API server.
	others []*process.Process

	mu        sync.Mutex // guards what follows, and is held while an API server or etcd starts or stops
	etcd      *process.Process
	apiServer *process.Process
	proxies   []func() // what ends each
}

// Start starts a cluster and returns when it is ready. The cluster lives until
// ctx is done or Stop is called; Stop has to be called in both cases, to wait
// for the end and to remove the cluster's folder.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	c := &Cluster{options: options, tokens: newTokens()}
	var err error
	if c.programs, err = ControlPlaneDir(); err != nil {
		return nil, err
	}
	if c.kubernetes, err = options.release(); err != nil {
		return nil, err
	}
	// A short name: the path of a Unix socket has room for 104 bytes.
	if c.dir, err = os.MkdirTemp("", "cluster-"); err != nil {
		return nil, err
	}
	c.alive, c.end = context.WithCancel(ctx)
	if err := c.start(c.alive); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	if err := c.writeFiles(); err != nil {
		return err
	}
	if err := c.StartEtcd(ctx); err != nil {
		return err
	}
	if err := c.startFirstAPIServer(ctx); err != nil {
		return err
	}
	admin, err := c.Config(Admin)
	if err != nil {
		return err
	}
	if err := workloads.Access(ctx, admin); err != nil {
		return fmt.Errorf("cannot create the users' rights: %w", err)
	}
	if c.options.APIServerOnly {
		return nil
	}
	return c.startControllers(ctx)
}

// writeFiles writes what the API server needs before its first start.
func (c *Cluster) writeFiles() error {
	var err error
	if c.authority, err = newAuthority(); err != nil {
		return err
	}
	serviceAccounts, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return err
	}
	return errors.Join(
		c.authority.writeServing(c.path("apiserver.crt"), c.path("apiserver.key")),
		os.WriteFile(c.path("service-accounts.key"), serviceAccounts, 0o600),
		writeTokenFile(c.path("tokens.csv"), c.tokens),
	)
}

func (c *Cluster) startControllers(ctx context.Context) error {
	if err := clientcmd.WriteToFile(c.kubeconfig(Admin, KubeconfigOptions{}), c.path("controllers.kubeconfig")); err != nil {
		return err
	}
	for _, program := range []struct {
		name string
		args []string
	}{
		{"kube-scheduler", c.schedulerArgs()},
		{"kwok", c.kwokArgs()},
		{"kube-controller-manager", c.controllerManagerArgs()},
	} {
		started, err := c.run(program.name, program.args)
		if err != nil {
			return err
		}
		c.others = append(c.others, started)
	}
	client, err := c.adminClient()
	if err != nil {
		return err
	}
	manager := c.others[len(c.others)-1]
	return waitFor(ctx, manager, func(ctx context.Context) error { return controllersReady(ctx, client) })
}

// run starts one of the programs; its log has its name.
func (c *Cluster) run(name string, args []string) (*process.Process, error) {
	path, err := c.binaryPath(name)
	if err != nil {
		return nil, err
	}
	return process.Start(c.alive, process.Spec{Name: name, Path: path, Args: args, Dir: c.dir, Log: c.path(name + ".log")})
}

func (c *Cluster) adminClient() (kubernetes.Interface, error) { return c.adminClientOf(c.URL()) }

// adminClientOf returns a client of an API server of the cluster.
func (c *Cluster) adminClientOf(url string) (kubernetes.Interface, error) {
	config, err := c.Config(Admin)
	if err != nil {
		return nil, err
	}
	config.Host = url
	return kubernetes.NewForConfig(config)
}

// URL returns the API server's URL. It stays the same when the server restarts.
func (c *Cluster) URL() string { return "https://" + c.Address() }

// Release returns the release that the cluster's Kubernetes programs are of.
func (c *Cluster) Release() binaries.Release { return c.kubernetes }

// Address returns the API server's host and port.
func (c *Cluster) Address() string { return loopback.Address(c.port) }

// Wait returns nil when the cluster has been told to end, and an error when one
// of its programs, the API server apart, has ended by itself.
func (c *Cluster) Wait() error {
	ctx, cancel := context.WithCancelCause(c.alive)
	defer cancel(nil)
	c.mu.Lock()
	watched := slices.Clone(c.others)
	if c.etcd != nil { // it has been killed on purpose, or the cluster has ended
		watched = append(watched, c.etcd)
	}
	c.mu.Unlock()
	for _, p := range watched {
		go func() {
			select {
			case <-p.Done():
				cancel(fmt.Errorf("%s ended; the end of its log:\n%s", p.Name(), p.LogTail(logTail)))
			case <-ctx.Done():
			}
		}()
	}
	<-ctx.Done()
	if c.alive.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}

// Stop ends everything that belongs to the cluster, proxies too, and returns
// when it is gone. It may be called more than once.
func (c *Cluster) Stop() error {
	c.end()
	c.mu.Lock()
	proxies := c.proxies
	c.mu.Unlock()
	for _, end := range proxies {
		end()
	}
	c.KillAPIServer()
	c.KillEtcd()
	for _, p := range c.others {
		p.Kill()
	}
	return os.RemoveAll(c.dir)
}
