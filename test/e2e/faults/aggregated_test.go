package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// condition is how the server of an aggregated API is.
type condition int32

const (
	healthy condition = iota
	unavailable
	hanging
)

// aggregated is an API that an API server passes on to a server of ours. Its one
// type, samples, can be listed and not watched, and has no resourceVersions; two
// objects are there.
type aggregated struct {
	version schema.GroupVersion
	is      condition
}

// aggregate registers an API, and waits until discovery has seen in what
// condition it is.
func aggregate(t *testing.T, s *server, group string, is condition) {
	t.Helper()
	a := &aggregated{schema.GroupVersion{Group: group, Version: "v1"}, is}
	backend := httptest.NewUnstartedServer(a)
	backend.Config.ErrorLog = log.New(io.Discard, "", 0)
	backend.StartTLS()
	t.Cleanup(backend.Close)
	port := backend.Listener.Addr().(*net.TCPAddr).Port
	name, _, _ := strings.Cut(group, ".")
	for resource, manifest := range map[schema.GroupVersionResource]string{
		{Version: "v1", Resource: "services"}: `
apiVersion: v1
kind: Service
metadata: {name: ` + name + `, namespace: default}
spec: {type: ExternalName, externalName: localhost}`,
		{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}: `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.` + group + `}
spec:
  group: ` + group + `
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: ` + name + `, namespace: default, port: ` + strconv.Itoa(port) + `}`,
	} {
		created := object(t, manifest)
		_, err := s.dynamic.Resource(resource).Namespace(created.GetNamespace()).Create(t.Context(), created, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() error { return a.discovered(s) })
}

// discovered returns an error while discovery sees something else.
func (a *aggregated) discovered(s *server) error {
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		return err
	}
	_, resources, failed, err := client.GroupsAndMaybeResources()
	switch {
	case err != nil:
		return err
	case a.is == healthy && (resources[a.version] == nil || len(resources[a.version].APIResources) == 0):
		return fmt.Errorf("%s has not been discovered", a.version)
	case a.is != healthy && failed[a.version] == nil:
		return fmt.Errorf("%s has not been seen to fail", a.version)
	}
	return nil
}

// ServeHTTP is the API's server.
func (a *aggregated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch a.is {
	case unavailable:
		http.Error(w, "the lab is closed", http.StatusServiceUnavailable)
		return
	case hanging:
		<-r.Context().Done()
		return
	}
	root := "/apis/" + a.version.String()
	switch {
	case r.URL.Path == root:
		answer(w, metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"},
			GroupVersion: a.version.String(),
			APIResources: []metav1.APIResource{{
				Name: "samples", SingularName: "sample", Kind: "Sample", Namespaced: true, Verbs: metav1.Verbs{"get", "list"}, Categories: []string{"all"},
			}},
		})
	case strings.HasPrefix(r.URL.Path, root+"/namespaces/default/samples"):
		sample := func(name string) map[string]any {
			return map[string]any{"apiVersion": a.version.String(), "kind": "Sample", "metadata": map[string]any{"name": name, "namespace": "default"}}
		}
		answer(w, map[string]any{
			"apiVersion": a.version.String(), "kind": "SampleList", "metadata": map[string]any{},
			"items": []any{sample("a"), sample("b")},
		})
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // fails when the client has gone
}

func TestAggregatedAPIs(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	aggregate(t, s, "lab.example.com", healthy)
	old := s.user(t, cluster.Admin)
	t.Run("a type without watch is listed over and over", func(t *testing.T) { listOnly(t, old.during(t)) })

	aggregate(t, s, "closed.example.com", unavailable)
	aggregate(t, s, "stuck.example.com", hanging)
	s.configMaps(t, "default").create("a")
	for name, user := range map[string]*user{"with old discovery": old, "with new discovery": s.user(t, cluster.Admin)} {
		t.Run("an unavailable API breaks the others, "+name, func(t *testing.T) { othersAnswer(t, user.during(t)) })
		t.Run("its types are said not to exist, "+name, func(t *testing.T) { typesMayExist(t, user.during(t)) })
	}
}

// kubernetes/kubernetes#75438: an informer failed over and over, or told changes
// that were none, since two empty resourceVersions were not the same.
func listOnly(t *testing.T, user *user) {
	for _, args := range [][]string{{"samples"}, {"samples", "-o", "json"}, {"samples", "a", "-o", "yaml"}, {"samples", "-o", "name"}} {
		ours := user.run(atOnce, "kubectl-informer", append([]string{"list"}, args...)...)
		theirs := user.kubectl(append([]string{"get"}, args...)...)
		if ours != theirs {
			t.Errorf("list %v: got %+v, want kubectl's %+v", args, ours, theirs)
		}
	}
	const cannot = "error: samples.lab.example.com cannot be watched: "
	checkSays(t, user.refused("tail", "samples"), cannot)
	// A category means what of it can be watched; it is no failure that some cannot.
	all := user.informer("tail", "all", "-o", "name", "--max-events", "1")
	if all.Code != 0 || len(lines(all.Stdout)) != 1 {
		t.Errorf("tail all: got %+v", all)
	}
	checkSays(t, lines(all.Stderr), "warning: left out, since the server only lists them: samples.lab.example.com")
	named := user.informer("tail", "all,samples", "-o", "name", "--max-events", "1")
	if named.Code != 1 || len(lines(named.Stdout)) != 1 {
		t.Errorf("tail all,samples: got %+v", named)
	}
	checkSays(t, lines(named.Stderr), cannot)
}

// ahmetb/kubectl-tree PR#67: one aggregated API that was unavailable made
// everything fail.
func othersAnswer(t *testing.T, user *user) {
	list := user.run(atOnce, "kubectl-informer", "list", "configmaps", "-o", "name")
	if list.Code != 0 || list.Stdout != "configmap/a\n" || len(lines(list.Stderr)) > 1 {
		t.Errorf("list: got %+v", list)
	}
	tail := user.run(atOnce, "kubectl-informer", "tail", "configmaps", "-o", "json", "--max-events", "1")
	if tail.Code != 0 || len(lines(tail.Stdout)) != 1 || len(lines(tail.Stderr)) > 1 {
		t.Errorf("tail: got %+v", tail)
	}
}

// A type of a group that cannot be read is not one that does not exist.
func typesMayExist(t *testing.T, user *user) {
	for resource, version := range map[string]string{
		"samples.closed.example.com": "closed.example.com/v1",
		"samples.stuck.example.com":  "stuck.example.com/v1",
		"probes":                     "closed.example.com/v1",
	} {
		said := strings.Join(user.refused("list", resource), "\n")
		if strings.Contains(said, "the server doesn't have a resource type") || !strings.Contains(said, version) {
			t.Errorf("%s: says %q", resource, said)
		}
	}
	checkSays(t, user.refused("tail", "probes.apps"), "error: the server doesn't have a resource type")
}
