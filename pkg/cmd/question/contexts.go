package question

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// everyContext asks for all contexts of the kubeconfig.
const everyContext = "all"

// AddContextsFlag adds the flag of the commands that can ask several clusters at once.
func (f *ResourceFlags) AddContextsFlag(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.contexts, "contexts", nil,
		"Ask the clusters of several contexts of the kubeconfig at once: their names, with * and ? for any characters, or all. May be given several times, or hold several separated by commas. Tables have the column CONTEXT, data the member \"context\", and --by and --count-by the index context. A cluster that cannot be asked is an error, and does not keep the others from being answered for. Without -n, each context has its own namespace.")
}

// AsksContexts says whether several clusters are asked.
func (f *ResourceFlags) AsksContexts() bool { return len(f.Connection.contexts) > 0 }

// enterContexts has the connection lead to the contexts that --contexts names.
func (f *ResourceFlags) enterContexts(cmd *cobra.Command) error {
	if flag := cmd.Flags().Lookup("contexts"); flag == nil || !flag.Changed {
		return nil
	}
	if err := f.validateContexts(cmd); err != nil {
		return err
	}
	there, err := f.Connection.contextNames()
	if err != nil {
		return err
	}
	names, err := chooseContexts(f.contexts, there)
	if err != nil {
		return fmt.Errorf("--contexts: %w", err)
	}
	f.Connection.contexts = nil
	for _, name := range names {
		f.Connection.contexts = append(f.Connection.contexts, f.Connection.to(name))
	}
	return nil
}

// validateContexts says which flags cannot be meant for several clusters.
func (f *ResourceFlags) validateContexts(cmd *cobra.Command) error {
	for _, refused := range []struct{ why, flags string }{
		{"it names the contexts itself", "context"},
		{"it would have all contexts lead to one cluster", "cluster server tls-server-name certificate-authority"},
		{"the credentials of one cluster would be sent to all", "user token username password client-certificate client-key"},
		{"a dump is no cluster", "from replay"},
	} {
		for _, name := range strings.Fields(refused.flags) {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s cannot be used with --contexts: %s", name, refused.why)
			}
		}
	}
	if slices.Contains(f.Request.Files.Filenames, "-") {
		return errors.New("--filename - cannot be used with --contexts: stdin can be read only once")
	}
	return nil
}

// chooseContexts returns the contexts that are asked for, of those that are there: each
// once, in the order in which they are asked for.
func chooseContexts(asked, there []string) ([]string, error) {
	var chosen []string
	for _, pattern := range asked {
		found, err := contextsLike(strings.TrimSpace(pattern), there)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if !slices.Contains(chosen, name) {
				chosen = append(chosen, name)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("names of contexts are needed, or all")
	}
	return chosen, nil
}

// contextsLike are the contexts that one name or pattern means. A name that is there is
// that context, whatever else it could mean.
func contextsLike(pattern string, there []string) ([]string, error) {
	var found []string
	switch {
	case len(there) == 0:
		return nil, errors.New("the kubeconfig has no contexts")
	case slices.Contains(there, pattern):
		return []string{pattern}, nil
	case pattern == everyContext:
		return there, nil
	}
	for _, name := range there {
		matches, err := path.Match(withoutSlashes(pattern), withoutSlashes(name))
		if err != nil {
			return nil, fmt.Errorf("%q is not a pattern: %w", pattern, err)
		}
		if matches {
			found = append(found, name)
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case len(there) > mostShown:
		return nil, fmt.Errorf("context %q does not exist; the kubeconfig has %s and others", pattern, listed(there, ", "))
	}
	return nil, fmt.Errorf("context %q does not exist; the kubeconfig has %s", pattern, listed(there, ", "))
}

// withoutSlashes lets * stand for slashes, too, which names of clouds' contexts hold.
func withoutSlashes(text string) string { return strings.ReplaceAll(text, "/", "\x1f") }

// to returns the connection to the cluster of a context, for which the flags of this one
// count.
func (c *Connection) to(name string) *Connection {
	out := NewConnection(c.Console)
	given, flags := c.Flags, out.Flags
	flags.CacheDir, flags.KubeConfig = given.CacheDir, given.KubeConfig
	flags.Impersonate, flags.ImpersonateUID = given.Impersonate, given.ImpersonateUID
	flags.ImpersonateGroup, flags.ImpersonateUserExtra = given.ImpersonateGroup, given.ImpersonateUserExtra
	flags.Insecure, flags.ProxyURL, flags.DisableCompression = given.Insecure, given.ProxyURL, given.DisableCompression
	flags.Timeout, flags.Context = given.Timeout, &name
	// Without these nobody is asked for a password, on a terminal that several would share.
	flags.Username, flags.Password = nil, nil
	out.context = name
	return out
}

// Stats is what all clusters have been asked, and what was received.
func (c *Connection) Stats() client.Stats {
	sum := c.Connection.Stats()
	for _, one := range c.contexts {
		sum = sum.Plus(one.Stats())
	}
	return sum
}

// serverWarnings is what handles the warnings of the cluster.
func (c *Connection) serverWarnings() rest.WarningHandler {
	if c.context == "" {
		return c.Console.Server
	}
	return warningsIn{c.context, c.Console.Server}
}

// warningsIn has warnings say in which context they were given.
type warningsIn struct {
	context string
	rest.WarningHandler
}

// HandleWarningHeader passes on one warning.
func (w warningsIn) HandleWarningHeader(code int, agent, text string) {
	if code == warnMiscellaneous && text != "" {
		text = fmt.Sprintf("context %q: %s", w.context, text)
	}
	w.WarningHandler.HandleWarningHeader(code, agent, text)
}

// warnMiscellaneous is the code of the warnings that servers give; others mean nothing to
// client-go's handlers.
const warnMiscellaneous = 299

// inContext has the Targets of a resolver know in which context they are.
type inContext struct {
	resolver
	context string
}

// Resolve resolves a request.
func (r inContext) Resolve(ctx context.Context, request resolve.Request) (resolve.Result, error) {
	resolved, err := r.resolver.Resolve(ctx, request)
	for _, targets := range [][]cache.Target{resolved.Targets, resolved.Visits, resolved.FromCategory} {
		for n := range targets {
			targets[n].Context = r.context
		}
	}
	return resolved, err
}
