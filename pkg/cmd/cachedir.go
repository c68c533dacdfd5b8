package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

// cluster is kubectl's way to a cluster, but that it does not trust a folder for
// discovery's cache that somebody else can write to: what is written there would
// be written where they want, and what is read there would be what they say.
type cluster struct {
	*genericclioptions.ConfigFlags
	connection *connection
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
