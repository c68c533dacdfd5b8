package printers

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd/get"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// testCluster is a cluster small enough to be read: an API server over it
// answers kubectl, and rows over it are what a cache would hold of it.
type testCluster []*testType

type testType struct {
	schema.GroupVersionKind
	resource   string
	namespaced bool
	// columns are nil for a type that the server cannot print.
	columns *cache.Columns
	objects []testObject
}

type testObject struct {
	body  map[string]any
	cells []any
}

func (o testObject) metadata() map[string]any { return o.body["metadata"].(map[string]any) }

func (o testObject) name() string { return o.metadata()["name"].(string) }

func (o testObject) namespace() string {
	namespace, _ := o.metadata()["namespace"].(string)
	return namespace
}

// question is what is asked, of kubectl and of us.
type question struct {
	types []string
	// names are TYPE/NAME arguments; types is empty then.
	names      []string
	namespaces []string
	all        bool
	ignore     bool
	flags      []string
}

func (q question) String() string {
	return strings.Join(slices.Concat([]string{strings.Join(q.types, ",")}, q.names, q.namespaces,
		[]string{fmt.Sprintf("-A=%t --ignore-not-found=%t", q.all, q.ignore)}, q.flags), " ")
}

// served is a cluster that kubectl can ask.
type served struct {
	testCluster
	url, dir, kubeconfig string
}

func serve(t *testing.T, cluster testCluster) served {
	t.Helper()
	server := httptest.NewServer(cluster)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return served{testCluster: cluster, url: server.URL, dir: dir, kubeconfig: kubeconfig}
}

// kubectl asks the real `kubectl get`.
func (c served) kubectl(t *testing.T, q question) (stdout, stderr string, err error) {
	t.Helper()
	config, namespace := genericclioptions.NewConfigFlags(false), strings.Join(q.namespaces, "")
	config.APIServer, config.CacheDir, config.KubeConfig, config.Namespace = &c.url, &c.dir, &c.kubeconfig, &namespace

	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	options := get.NewGetOptions("kubectl", streams)
	options.AllNamespaces, options.IgnoreNotFound = q.all, q.ignore
	cmd := &cobra.Command{}
	options.PrintFlags.AddFlags(cmd)
	if err := cmd.ParseFlags(q.flags); err != nil {
		t.Fatal(err)
	}
	factory := cmdutil.NewFactory(config)
	args := q.names
	if len(q.types) > 0 {
		args = []string{strings.Join(q.types, ",")}
	}
	if err := options.Complete(factory, cmd, args); err != nil {
		t.Fatal(err)
	}
	if err := options.Validate(); err != nil {
		return "", "", err
	}
	err = options.Run(factory, args)
	return out.String(), errOut.String(), err
}

// ours asks PrintList for the same.
func (c testCluster) ours(t *testing.T, q question) (stdout, stderr string, err error) {
	t.Helper()
	flags, err := parsed(q.flags...)
	if err != nil {
		return "", "", err
	}
	groups, failed := c.groups(q)
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	err = flags.PrintList(streams, groups, ListOptions{
		Scope:          Scope{AllNamespaces: q.all, Namespaces: q.namespaces},
		SingleItem:     len(q.names) == 1,
		IgnoreNotFound: q.ignore,
		Failed:         failed,
	})
	return out.String(), errOut.String(), err
}

// parsed are the flags of a command line, validated.
func parsed(args ...string) (*Flags, error) {
	flags, cmd := NewFlags(), &cobra.Command{}
	flags.AddFlags(cmd)
	flags.AddListFlags(cmd)
	flags.AddEventFlags(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return nil, err
	}
	return flags, flags.Validate()
}

func mustParse(t *testing.T, args ...string) *Flags {
	t.Helper()
	flags, err := parsed(args...)
	if err != nil {
		t.Fatalf("flags %q: %v", args, err)
	}
	return flags
}

func (c testCluster) groups(q question) (groups []Group, failed bool) {
	for _, resource := range q.types {
		typ := c.typed(resource)
		for _, namespace := range q.requests(typ) {
			group := Group{Target: typ.target(namespace)}
			for _, object := range typ.objects {
				if namespace == "" || object.namespace() == namespace {
					group.Rows = append(group.Rows, typ.row(object))
				}
			}
			groups = append(groups, group)
		}
	}
	for _, argument := range q.names {
		resource, name, _ := strings.Cut(argument, "/")
		typ := c.typed(resource)
		found := slices.IndexFunc(typ.objects, func(o testObject) bool { return o.name() == name })
		if found < 0 {
			failed = failed || !q.ignore
			continue
		}
		groups = append(groups, Group{
			Target: typ.target(typ.objects[found].namespace()),
			Rows:   []*cache.Row{typ.row(typ.objects[found])},
		})
	}
	return groups, failed
}

func (q question) requests(typ *testType) []string {
	if q.all || !typ.namespaced {
		return []string{""}
	}
	return q.namespaces
}

func (c testCluster) typed(resource string) *testType {
	for _, typ := range c {
		if typ.resource == resource {
			return typ
		}
	}
	panic("no type " + resource)
}

func (t *testType) target(namespace string) cache.Target {
	return cache.Target{
		Resource:   t.GroupVersion().WithResource(t.resource),
		Kind:       t.GroupVersionKind,
		Namespaced: t.namespaced,
		Namespace:  namespace,
	}
}

// row is the object as a cache with every part holds it.
func (t *testType) row(object testObject) *cache.Row {
	row := &cache.Row{Columns: t.columns, Cells: object.cells, Body: cache.MapBody(object.body)}
	if t.columns == nil {
		row.Cells = nil
	}
	data, err := json.Marshal(object.body["metadata"])
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(data, &row.ObjectMeta); err != nil {
		panic(err)
	}
	row.APIVersion, row.Kind = t.ToAPIVersionAndKind()
	return row
}

func (t *testType) rows() []*cache.Row {
	var rows []*cache.Row
	for _, object := range t.objects {
		rows = append(rows, t.row(object))
	}
	return rows
}
