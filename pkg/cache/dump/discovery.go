package dump

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// AnyNamespace is the namespace of the Getter's context: a dump has no context,
// and who names no namespace means all of them. It cannot be the name of one.
const AnyNamespace = "*"

// Getter returns what a cluster's connection flags would: discovery, and a
// context whose namespace is AnyNamespace. No file of the user's is read for it.
func (d *Dump) Getter() genericclioptions.RESTClientGetter { return getter{d} }

type getter struct{ dump *Dump }

// IsGuess says of a kind that nothing but objects says that it exists.
func (g getter) IsGuess(kind schema.GroupVersionKind) bool {
	return slices.Contains(g.dump.guesses, kind)
}

// ToRESTConfig is always an error.
func (g getter) ToRESTConfig() (*rest.Config, error) {
	return nil, errors.New("there is no server behind a dump")
}

// ToDiscoveryClient returns client-go's own client, over a server in memory.
func (g getter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	client, err := discovery.NewDiscoveryClientForConfig(&rest.Config{
		Host:      "http://dump.invalid",
		QPS:       -1,
		Transport: discoveryServer{types: g.dump.types},
	})
	if err != nil {
		return nil, err
	}
	return memory.NewMemCacheClient(client), nil
}

// ToRESTMapper returns kubectl's mapper over the discovery client.
func (g getter) ToRESTMapper() (meta.RESTMapper, error) {
	client, err := g.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(client)
	return restmapper.NewShortcutExpander(mapper, client, nil), nil
}

// ToRawKubeConfigLoader returns an empty kubeconfig with the one context.
func (g getter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), &clientcmd.ConfigOverrides{
		Context: clientcmdapi.Context{Namespace: AnyNamespace},
	})
}

// discoveryServer answers the two requests of aggregated discovery.
type discoveryServer struct {
	types apidiscovery.APIGroupDiscoveryList
}

// RoundTrip answers /api with the types of the core group, /apis with all
// others, and all else with 404.
func (s discoveryServer) RoundTrip(request *http.Request) (*http.Response, error) {
	var groups apidiscovery.APIGroupDiscoveryList
	status := http.StatusOK
	switch path := request.URL.Path; path {
	case "/api", "/apis":
		for _, group := range s.types.Items {
			if core := group.Name == ""; core == (path == "/api") {
				groups.Items = append(groups.Items, group)
			}
		}
	default:
		status = http.StatusNotFound
	}
	body, err := json.Marshal(groups)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: status,
		Status:     http.StatusText(status),
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{"Content-Type": {discovery.AcceptV2}},
		Body:       io.NopCloser(bytes.NewReader(body)),
		Request:    request,
	}, nil
}
