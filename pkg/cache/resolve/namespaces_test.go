package resolve

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// kubernetes/kubernetes#52326: a user with rights in some namespaces had to
// ask for one after the other. pulumi/kubespy#99: a namespace was put into the
// path of cluster-scoped types.
func TestNamespacesMultiplyOnlyWhatHasOne(t *testing.T) {
	for _, test := range []struct {
		name, args string
		namespaces []string
		all        bool
		want       []string
		effective  []string
	}{
		{"none given", "pods,no", nil, false, []string{"pods.v1. -n home", "nodes.v1."}, []string{"home"}},
		{"one", "pods,no", []string{"a"}, false, []string{"pods.v1. -n a", "nodes.v1."}, []string{"a"}},
		{"commas", "pods,svc", []string{"a,b"}, false, []string{
			"pods.v1. -n a", "pods.v1. -n b", "services.v1. -n a", "services.v1. -n b",
		}, []string{"a", "b"}},
		{"repeated", "no,pods", []string{"b", "a, b", "b"}, false, []string{"nodes.v1.", "pods.v1. -n b", "pods.v1. -n a"}, []string{"b", "a"}},
		{"name", "pod/web no/n1", []string{"a,b"}, false, []string{
			"pods.v1./web -n a", "pods.v1./web -n b", "nodes.v1./n1",
		}, []string{"a", "b"}},
		{"all", "pods,no", nil, true, []string{"pods.v1. -A", "nodes.v1."}, nil},
		{"all beats -n", "pods", []string{"a"}, true, []string{"pods.v1. -A"}, nil},
		{"all, and a name without namespace", "no n1", nil, true, []string{"nodes.v1./n1"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := args(test.args)
			req.Namespaces, req.AllNamespaces = test.namespaces, test.all
			result := resolve(t, &fakeDiscovery{served: stock()}, req)
			if diff := cmp.Diff(test.want, allWords(result.Targets)); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.effective, result.Namespaces); diff != "" {
				t.Errorf("namespaces (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNamespaceThatCannotBeIsAnError(t *testing.T) {
	for _, test := range []struct {
		namespaces []string
		want       string
	}{
		{[]string{""}, `invalid namespace "": [may not be empty]`},
		{[]string{"a,"}, `invalid namespace "": [may not be empty]`},
		{[]string{"a", "b/c"}, `invalid namespace "b/c": [may not contain '/']`},
		{[]string{".."}, `invalid namespace "..": [may not be '..']`},
	} {
		req := args("pods")
		req.Namespaces = test.namespaces
		_, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), req)
		if err == nil || err.Error() != test.want {
			t.Errorf("-n %q: error %v, want %s", test.namespaces, err, test.want)
		}
	}
}

const kubeconfigs = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://nowhere.invalid"}}]
users: [{name: u, user: {}}]
contexts:
- {name: with, context: {cluster: c, user: u, namespace: team}}
- {name: without, context: {cluster: c, user: u}}
current-context: with
`

// openebs/mayastor#1575: the namespace of the context was ignored.
func TestNamespaceOfTheContextIsTheDefault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfigs), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		context string
		given   []string
		want    string
	}{
		{"", nil, "team"}, {"with", nil, "team"}, {"without", nil, "default"}, {"with", []string{"mine"}, "mine"},
	} {
		flags := genericclioptions.NewConfigFlags(true)
		flags.KubeConfig, flags.Context, flags.Namespace = &file, &test.context, nil
		scope, err := New(flags).scope(Request{Namespaces: test.given})
		if err != nil || len(scope.namespaces) != 1 || scope.namespaces[0] != test.want {
			t.Errorf("context %q, -n %q: %+v, %v, want %s", test.context, test.given, scope, err, test.want)
		}
	}
}
