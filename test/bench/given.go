package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// given measures on a cluster of someone else, which is only read from.
func given(ctx context.Context, kubeconfig, dir string, runs int) (*bench, *rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	raw, err := rules.Load()
	if err != nil {
		return nil, nil, err
	}
	// What is of no context has no place in the copy.
	if err := clientcmdapi.MinifyConfig(raw); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", kubeconfig, err)
	}
	config, err := clientcmd.NewDefaultClientConfig(*raw, nil).ClientConfig()
	if err != nil {
		return nil, nil, err
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	b, err := build(ctx, dir, runs)
	if err != nil {
		return nil, nil, err
	}
	if server := tappable(raw); server != nil {
		if b.wire, err = tap(ctx, server.Server); err != nil {
			return nil, nil, err
		}
		through(server, b.wire.url())
	}
	path := filepath.Join(dir, "kubeconfig")
	// Plugins for credentials look for theirs in the home folder: it stays.
	b.env = append(os.Environ(), "KUBECONFIG="+path, "KUBECACHEDIR="+filepath.Join(dir, "cache"), "PATH="+b.path())
	return b, config, clientcmd.WriteToFile(*raw, path)
}

// tappable is the cluster of the only context, if what it sends can be counted: it is
// asked directly, over TLS.
func tappable(config *clientcmdapi.Config) *clientcmdapi.Cluster {
	for _, c := range config.Clusters {
		server, err := url.Parse(c.Server)
		if err != nil || server.Scheme != "https" || c.ProxyURL != "" {
			return nil
		}
		proxy, err := http.ProxyFromEnvironment(&http.Request{URL: server})
		if err != nil || proxy != nil {
			return nil
		}
		return c
	}
	return nil
}

// through has a cluster be asked through a tap, and its certificate still be that of
// the server.
func through(c *clientcmdapi.Cluster, tapped string) {
	server, err := url.Parse(c.Server)
	if err != nil {
		return
	}
	if !c.InsecureSkipTLSVerify {
		c.TLSServerName = cmp.Or(c.TLSServerName, server.Hostname())
	}
	c.Server = tapped + server.Path
}

// sample is how many pods of a cluster the values are taken from.
const sample = 500

// valuesOf looks what there is to ask for in a cluster.
func valuesOf(ctx context.Context, config *rest.Config) (values, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: sample})
	if err != nil {
		return nil, fmt.Errorf("looking for pods to ask for: %w", err)
	}
	v := pick(pods.Items)
	custom, err := customResource(ctx, config)
	if custom != "" {
		v["custom"] = []string{custom}
	}
	return v, err
}

// pick takes the values that most pods have; of namespaces and names one that goes
// with the other.
func pick(pods []corev1.Pod) values {
	counts := map[string]map[string]int{"node": {}, "namespace": {}, "label": {}, "phase": {}, "image": {}}
	for _, pod := range pods {
		counts["namespace"][pod.Namespace]++
		counts["phase"][string(pod.Status.Phase)]++
		if pod.Spec.NodeName != "" {
			counts["node"][pod.Spec.NodeName]++
		}
		for key, value := range pod.Labels {
			counts["label"][key+"="+value]++
		}
		for _, container := range pod.Spec.Containers {
			counts["image"][container.Image]++
		}
	}
	v := values{}
	for kind, of := range counts {
		v[kind] = slices.SortedFunc(maps.Keys(of), func(a, b string) int {
			return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
		})
	}
	for _, pod := range pods {
		if pod.Namespace == v["namespace"][0] {
			v["name"] = []string{pod.Name}
			break
		}
	}
	return v
}

// customResource is the type of custom resources of which there are most; empty if
// there are none, or nobody may know.
func customResource(ctx context.Context, config *rest.Config) (string, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return "", err
	}
	definitions, err := client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")).List(ctx, metav1.ListOptions{})
	if apierrors.IsForbidden(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("looking for custom resources to ask for: %w", err)
	}
	most, found := int64(0), ""
	for _, definition := range definitions.Items {
		page, err := client.Resource(served(definition)).List(ctx, metav1.ListOptions{Limit: 1})
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			continue // a type that may not be listed is not asked for
		}
		count := int64(len(page.Items))
		if remaining := page.GetRemainingItemCount(); remaining != nil {
			count += *remaining
		}
		if count > most {
			most, found = count, definition.GetName()
		}
	}
	return found, nil
}

// served is the first version in which a type is served.
func served(definition unstructured.Unstructured) schema.GroupVersionResource {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	resource := schema.GroupVersionResource{Group: group, Resource: plural}
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, version := range versions {
		if version, ok := version.(map[string]any); ok && version["served"] == true {
			resource.Version, _ = version["name"].(string)
			break
		}
	}
	return resource
}
