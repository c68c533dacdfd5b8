package resolve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// apiServer serves discovery, and nothing else, as a current API server does:
// aggregated, with the versions of an unavailable API marked as stale. It is
// reached without a network.
type apiServer struct {
	cacheDir string
	// lists are the types, stale the group/versions that are unavailable.
	lists []*metav1.APIResourceList
	stale []string
	// down refuses connections; hang leaves requests for an unavailable version
	// without an answer.
	down, hang bool
	mu         sync.Mutex
	requests   []string
}

func startAPIServer(t *testing.T, lists []*metav1.APIResourceList) *apiServer {
	t.Helper()
	return &apiServer{lists: lists, cacheDir: t.TempDir()}
}

// connect returns kubectl's own getter, with its cache on disk: each call is a
// new invocation of the command.
func (s *apiServer) connect() genericclioptions.RESTClientGetter {
	flags := genericclioptions.NewConfigFlags(true)
	none, address := "/dev/null", "http://api.invalid"
	flags.KubeConfig, flags.APIServer, flags.CacheDir = &none, &address, &s.cacheDir
	flags.WrapConfigFn = func(config *rest.Config) *rest.Config {
		config.Transport = s
		return config
	}
	return flags
}

func (s *apiServer) serve(lists []*metav1.APIResourceList, stale ...string) {
	s.lists, s.stale = lists, stale
}

// asked returns the paths of the requests since the last call.
func (s *apiServer) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.requests
	s.requests = nil
	return asked
}

func (s *apiServer) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, req.URL.Path)
	s.mu.Unlock()
	if s.down {
		return nil, syscall.ECONNREFUSED
	}
	answer := httptest.NewRecorder()
	switch req.URL.Path {
	case "/api":
		writeGroups(answer, s.lists, s.stale, func(group string) bool { return group == "" })
	case "/apis":
		writeGroups(answer, s.lists, s.stale, func(group string) bool { return group != "" })
	default:
		if s.hang {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}
		http.Error(answer, "service unavailable", http.StatusServiceUnavailable)
	}
	return answer.Result(), nil
}

func writeGroups(w http.ResponseWriter, lists []*metav1.APIResourceList, stale []string, wanted func(group string) bool) {
	var out apidiscovery.APIGroupDiscoveryList
	all := slices.Clone(lists)
	for _, groupVersion := range stale {
		all = append(all, list(groupVersion))
	}
	for _, group := range groupsOf(all) {
		if !wanted(group.Name) {
			continue
		}
		item := apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: group.Name}}
		for _, version := range group.Versions {
			item.Versions = append(item.Versions, versionDiscovery(version, lists, stale))
		}
		out.Items = append(out.Items, item)
	}
	w.Header().Set("Content-Type", discovery.AcceptV2)
	if err := json.NewEncoder(w).Encode(out); err != nil {
		panic(err)
	}
}

func versionDiscovery(version metav1.GroupVersionForDiscovery, lists []*metav1.APIResourceList, stale []string) apidiscovery.APIVersionDiscovery {
	out := apidiscovery.APIVersionDiscovery{Version: version.Version, Freshness: apidiscovery.DiscoveryFreshnessCurrent}
	if slices.Contains(stale, version.GroupVersion) {
		out.Freshness = apidiscovery.DiscoveryFreshnessStale
		return out
	}
	i := slices.IndexFunc(lists, func(l *metav1.APIResourceList) bool { return l.GroupVersion == version.GroupVersion })
	for _, resource := range lists[i].APIResources {
		if strings.Contains(resource.Name, "/") {
			continue
		}
		scope := apidiscovery.ScopeCluster
		if resource.Namespaced {
			scope = apidiscovery.ScopeNamespace
		}
		out.Resources = append(out.Resources, apidiscovery.APIResourceDiscovery{
			Resource: resource.Name, SingularResource: resource.SingularName, Scope: scope, Verbs: resource.Verbs,
			ShortNames: resource.ShortNames, Categories: resource.Categories,
			ResponseKind: &metav1.GroupVersionKind{Version: version.Version, Kind: resource.Kind},
		})
	}
	return out
}
