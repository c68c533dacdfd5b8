package cmd

import (
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/source"
)

// connection is how the cluster is reached: kubectl's connection flags, and
// what the requests of this invocation share.
type connection struct {
	flags *genericclioptions.ConfigFlags
	// console gets the server's warnings.
	console *console
	// defaultCacheDir is where discovery is cached without --cache-dir.
	defaultCacheDir string
	source.Connection
	// dump, where set, is what --from names: it is asked instead of a cluster.
	dump *savedDump
}

// newConnection returns the connection to the cluster that the flags will name.
func newConnection(console *console) *connection {
	c := &connection{
		// As many requests at a time as kubectl makes when discovery is not cached.
		flags:   genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag().WithDiscoveryBurst(300).WithDiscoveryQPS(50),
		console: console,
	}
	c.defaultCacheDir = *c.flags.CacheDir
	c.flags.WrapConfigFn = func(config *rest.Config) *rest.Config {
		config.WarningHandler = c.console.server
		return c.Configure(config)
	}
	// Ours names several namespaces, and belongs to the commands that take resources.
	c.flags.Namespace = nil
	return c
}

// addFlags adds kubectl's connection flags, but for --namespace.
func (c *connection) addFlags(flags *pflag.FlagSet) { c.flags.AddFlags(flags) }

// resolver returns what turns resource arguments into Targets.
func (c *connection) resolver() resolver {
	if c.dump != nil {
		return c.dump
	}
	return resolve.New(c.getter())
}

// getter connects to the cluster that the flags name.
func (c *connection) getter() genericclioptions.RESTClientGetter { return cluster{c.flags, c} }

// warn prints a warning of our own once. It does not count for
// --warnings-as-errors, which is about the server's.
func (c *connection) warn(text string) {
	if c.console != nil {
		c.console.warnOnce(text)
	}
}

// client returns what makes ListerWatchers.
func (c *connection) client() (lister, error) {
	if c.dump != nil {
		return c.dump, nil
	}
	config, err := c.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	return c.NewClient(config)
}
