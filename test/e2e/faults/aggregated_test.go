package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// aggregated is an API that an API server passes on to a server of ours. Its types
// can be listed and not watched, and have no resourceVersions: samples, of which two
// objects are there, and offers, of which three have one name, as packagemanifests
// of several catalogs do.
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
			}, {
				Name: "offers", SingularName: "offer", Kind: "Offer", Namespaced: true, Verbs: metav1.Verbs{"get", "list"},
			}},
		})
	case strings.HasPrefix(r.URL.Path, root+"/namespaces/default/offers"):
		offer := func(name, catalog string) map[string]any {
			return map[string]any{"apiVersion": a.version.String(), "kind": "Offer", "metadata": map[string]any{
				"name": name, "namespace": "default", "labels": map[string]any{"catalog": catalog},
			}}
		}
		answer(w, map[string]any{
			"apiVersion": a.version.String(), "kind": "OfferList", "metadata": map[string]any{},
			"items": []any{offer("db", "community"), offer("web", "community"), offer("db", "certified"), offer("db", "market")},
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
	t.Run("objects of one name are all there", func(t *testing.T) { namesakes(t, old.during(t)) })

	aggregate(t, s, "closed.example.com", unavailable)
	aggregate(t, s, "stuck.example.com", hanging)
	s.configMaps(t, "default").create("a")
	for name, user := range map[string]*user{"with old discovery": old, "with new discovery": s.user(t, cluster.Admin)} {
		t.Run("an unavailable API breaks the others, "+name, func(t *testing.T) { othersAnswer(t, user.during(t)) })
		t.Run("others are answered beside its types, "+name, func(t *testing.T) { othersAreAnswered(t, user.during(t)) })
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
	checkSays(t, lines(all.Stderr), "Warning: left out, since the server only lists them: samples.lab.example.com")
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

// Of three objects of one name, one was kept.
func namesakes(t *testing.T, user *user) {
	for _, args := range [][]string{{}, {"-L", "catalog"}, {"-o", "name"}, {"-o", "json"}, {"-o", "jsonpath={.items[*].metadata.labels}"}} {
		ours := user.run(atOnce, "kubectl-informer", append([]string{"list", "offers"}, args...)...)
		theirs := user.kubectl(append([]string{"get", "offers"}, args...)...)
		if ours != theirs {
			t.Errorf("list offers %v: got %+v, want kubectl's %+v", args, ours, theirs)
		}
	}
	saved := filepath.Join(t.TempDir(), "offers.json")
	if err := os.WriteFile(saved, []byte(user.kubectl("get", "offers", "-o", "json").Stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range [][]string{nil, {"--from", saved}} {
		for want, args := range map[string][]string{
			"db 3 web 1": {"--count-by", "name", "--no-headers"},
			"offer.lab.example.com/db\noffer.lab.example.com/web\n": {"--by", "label=catalog=community", "-o", "name"},
			"offer.lab.example.com/db\n":                            {"--by", "label=catalog=market", "-o", "name"},
		} {
			got := user.informer(append(append([]string{"list", "offers"}, args...), from...)...)
			if strings.Join(strings.Fields(got.Stdout), " ") != strings.Join(strings.Fields(want), " ") || got.Code != 0 {
				t.Errorf("list offers %v %v: got %+v, want %q", args, from, got, want)
			}
		}
	}
}

// A type that may be in an API that is down kept the types of others from being answered.
func othersAreAnswered(t *testing.T, user *user) {
	const types, problem = "samples.closed.example.com,configmaps", `error: unable to look up resource type "samples.closed.example.com"`
	for _, args := range [][]string{
		{"list", types, "-o", "name"},
		{"list", "samples.closed.example.com/a", "configmap/a", "-o", "name"},
		{"tail", types, "-o", "name", "--max-events", "1"},
	} {
		got := user.informer(args...)
		if got.Code != 1 || got.Stdout != "configmap/a\n" || len(lines(got.Stderr)) != 1 {
			t.Errorf("%v: got %+v", args, got)
		}
		checkSays(t, lines(got.Stderr), problem)
	}
	if counted := user.informer("list", types, "--count-by", "name", "--no-headers"); counted.Code != 1 || !strings.Contains(counted.Stdout, "a") {
		t.Errorf("counted: got %+v", counted)
	}
	// To wait for some of what is asked for would be to wait for something else.
	checkSays(t, user.refused("wait", types, "--for=create"), problem, "what the others have: ")
	asked := user.informer("query", types)
	if asked.Code != 1 {
		t.Errorf("query: got %+v", asked)
	}
	checkSays(t, lines(asked.Stderr), problem)
}
