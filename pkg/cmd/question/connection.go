package question

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// Connection is how the cluster is reached: kubectl's connection flags, and
// what the requests of this invocation share.
type Connection struct {
	Flags *genericclioptions.ConfigFlags
	// context is the one to whose cluster this leads, where several are asked; contexts
	// are the connections to all of them then, and this one is used for none.
	context  string
	contexts []*Connection
	// Console gets the server's warnings.
	Console *process.Console
	// defaultCacheDir is where discovery is cached without --cache-dir.
	defaultCacheDir string
	client.Connection
	// Dump, where set, is what --from names: it is asked instead of a cluster.
	Dump *savedDump
	// asOf and ignoreBroken are about dumps: --now and --ignore-broken.
	asOf         asOf
	ignoreBroken bool
	// playback is about records: --at and --speed.
	playback playback
}

// NewConnection returns the connection to the cluster that the flags will name.
func NewConnection(console *process.Console) *Connection {
	c := &Connection{
		// As many requests at a time as kubectl makes when discovery is not cached.
		Flags:   genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag().WithDiscoveryBurst(300).WithDiscoveryQPS(50),
		Console: console,
	}
	c.defaultCacheDir = *c.Flags.CacheDir
	c.Flags.WrapConfigFn = func(config *rest.Config) *rest.Config {
		config.WarningHandler = c.serverWarnings()
		return c.Configure(config)
	}
	// Ours names several namespaces, and belongs to the commands that take resources.
	c.Flags.Namespace = nil
	return c
}

// AddFlags adds kubectl's connection flags, but for --namespace.
func (c *Connection) AddFlags(flags *pflag.FlagSet) { c.Flags.AddFlags(flags) }

// resolver returns what turns resource arguments into Targets.
func (c *Connection) resolver() resolver {
	if c.Dump != nil {
		return c.Dump
	}
	if c.context != "" {
		return inContext{resolve.New(c.Getter()), c.context}
	}
	return resolve.New(c.Getter())
}

// Getter connects to the cluster that the flags name.
func (c *Connection) Getter() genericclioptions.RESTClientGetter { return cluster{c.Flags, c} }

// warn prints a warning of our own once. It does not count for
// --warnings-as-errors, which is about the server's.
func (c *Connection) warn(text string) {
	if c.Console != nil {
		c.Console.WarnOnce(text)
	}
}

// client returns what makes ListerWatchers.
func (c *Connection) client() (lister, error) {
	if c.Dump != nil {
		return c.Dump, nil
	}
	config, err := c.Flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	return c.NewClient(config)
}

// cluster is kubectl's way to a cluster, but that it does not trust a folder for
// discovery's cache that somebody else can write to: what is written there would
// be written where they want, and what is read there would be what they say.
type cluster struct {
	*genericclioptions.ConfigFlags
	connection *Connection
}

// ToDiscoveryClient is that of kubectl, with its cache on disk where that is safe.
func (c cluster) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	dir := *c.CacheDir
	if dir == "" {
		dir = c.connection.defaultCacheDir
	}
	err := prepareCacheDir(dir)
	if err == nil {
		return c.ConfigFlags.ToDiscoveryClient()
	}
	c.connection.warn(fmt.Sprintf("discovery is not cached: %v; --cache-dir names another folder", err))
	config, err := c.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return memory.NewMemCacheClient(client), nil
}

// ToRESTMapper is kubectl's mapper over that client.
func (c cluster) ToRESTMapper() (meta.RESTMapper, error) {
	client, err := c.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	return restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(client), client, c.connection.warn), nil
}

// prepareCacheDir makes the folder, and those that client-go makes in it, for the
// user alone; what is there already stays as it is. The error says why it cannot
// be trusted: nil where it can, and where it cannot be made, which is no danger.
func prepareCacheDir(dir string) error {
	if os.MkdirAll(dir, 0o700) == nil {
		if err := trusted(dir); err != nil {
			return err
		}
		for _, name := range []string{"discovery", "http"} {
			_ = os.Mkdir(filepath.Join(dir, name), 0o700)
		}
	}
	held := []string{dir, filepath.Join(dir, "http"), filepath.Join(dir, "discovery")}
	// A server's own folder has its address as its name.
	servers, err := os.ReadDir(filepath.Join(dir, "discovery"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, server := range servers {
		held = append(held, filepath.Join(dir, "discovery", server.Name()))
	}
	for _, path := range held {
		if err := trusted(path); err != nil {
			return err
		}
	}
	return nil
}

// trusted says why a folder, or that to which a link leads, is not only the
// user's; nil where it is, and where there is none.
func trusted(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A link that leads nowhere would be made a folder of, there.
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is a link that leads nowhere", path)
		}
		return nil
	case err != nil:
		return err
	}
	return ownedAlone(path, info)
}
