package resolve

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// fakeDiscovery is a cached discovery client in memory. What it serves counts
// from the first Invalidate on; until then it answers with what is cached, if
// anything is.
type fakeDiscovery struct {
	discovery.CachedDiscoveryInterface
	served, cached []*metav1.APIResourceList
	failed         map[schema.GroupVersion]error
	reads          int
	invalidations  int
}

func (f *fakeDiscovery) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	f.reads++
	lists := f.served
	if !f.Fresh() {
		lists = f.cached
	}
	var err error
	if len(f.failed) > 0 {
		err = &discovery.ErrGroupDiscoveryFailed{Groups: f.failed}
	}
	return groupsOf(lists), lists, err
}

func (f *fakeDiscovery) Fresh() bool                { return f.cached == nil || f.invalidations > 0 }
func (f *fakeDiscovery) Invalidate()                { f.invalidations++ }
func (f *fakeDiscovery) RESTClient() rest.Interface { return nil }

// groupsOf lists the groups in the order of their first version, which is the
// preferred one.
func groupsOf(lists []*metav1.APIResourceList) []*metav1.APIGroup {
	var groups []*metav1.APIGroup
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			panic(err)
		}
		version := metav1.GroupVersionForDiscovery{GroupVersion: list.GroupVersion, Version: gv.Version}
		i := slices.IndexFunc(groups, func(g *metav1.APIGroup) bool { return g.Name == gv.Group })
		if i < 0 {
			groups = append(groups, &metav1.APIGroup{Name: gv.Group, PreferredVersion: version})
			i = len(groups) - 1
		}
		groups[i].Versions = append(groups[i].Versions, version)
	}
	return groups
}

// connect returns a getter for the fake, with a context whose namespace is "home".
func connect(client discovery.CachedDiscoveryInterface) genericclioptions.RESTClientGetter {
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: "http://nowhere.invalid"}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", Namespace: "home"}
	config.CurrentContext = "c"
	return genericclioptions.NewTestConfigFlags().WithDiscoveryClient(client).
		WithClientConfig(clientcmd.NewDefaultClientConfig(*config, &clientcmd.ConfigOverrides{}))
}

func list(groupVersion string, resources ...metav1.APIResource) *metav1.APIResourceList {
	return &metav1.APIResourceList{GroupVersion: groupVersion, APIResources: resources}
}

// kind is a namespaced type with every verb, in the category "all".
func kind(plural, singular, kind string, shortNames ...string) metav1.APIResource {
	return metav1.APIResource{
		Name: plural, SingularName: singular, Kind: kind, ShortNames: shortNames, Namespaced: true,
		Verbs: metav1.Verbs{"create", "delete", "get", "list", "watch"}, Categories: []string{"all"},
	}
}

func clusterScoped(resource metav1.APIResource) metav1.APIResource {
	resource.Namespaced, resource.Categories = false, nil
	return resource
}

func withVerbs(resource metav1.APIResource, verbs ...string) metav1.APIResource {
	resource.Verbs = verbs
	return resource
}

func inCategories(resource metav1.APIResource, categories ...string) metav1.APIResource {
	resource.Categories = categories
	return resource
}

// stock is a small server without custom resources.
func stock() []*metav1.APIResourceList {
	return []*metav1.APIResourceList{
		list("v1",
			kind("pods", "pod", "Pod", "po"),
			withVerbs(kind("pods/status", "", "Pod"), "get", "patch", "update"),
			kind("services", "service", "Service", "svc"),
			inCategories(kind("configmaps", "configmap", "ConfigMap", "cm")),
			inCategories(kind("events", "event", "Event", "ev")),
			withVerbs(kind("bindings", "binding", "Binding"), "create"),
			clusterScoped(kind("nodes", "node", "Node", "no")),
			clusterScoped(kind("namespaces", "namespace", "Namespace", "ns")),
			clusterScoped(withVerbs(kind("componentstatuses", "componentstatus", "ComponentStatus", "cs"), "get", "list")),
		),
		list("apps/v1", kind("deployments", "deployment", "Deployment", "deploy")),
		list("events.k8s.io/v1", inCategories(kind("events", "event", "Event", "ev"))),
		list("autoscaling/v2", kind("horizontalpodautoscalers", "horizontalpodautoscaler", "HorizontalPodAutoscaler", "hpa")),
		list("autoscaling/v1", kind("horizontalpodautoscalers", "horizontalpodautoscaler", "HorizontalPodAutoscaler", "hpa")),
		list("storage.k8s.io/v1", clusterScoped(kind("storageclasses", "storageclass", "StorageClass", "sc"))),
	}
}

// with adds custom resources to the stock.
func with(more ...*metav1.APIResourceList) []*metav1.APIResourceList {
	return append(stock(), more...)
}
