package index

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestWhichIndexesATypeCanHave(t *testing.T) {
	always := []string{"annotation", "controller", "finalizer", "label", "manager", "name", "owner", "root", "uid"}
	pod := []string{"configmap", "image", "node", "pvc", "secret", "serviceaccount"}
	for _, tc := range []struct {
		kind    schema.GroupVersionKind
		cluster bool
		more    []string
	}{
		{kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, more: append([]string{"phase", "condition"}, pod...)},
		{kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, more: append([]string{"condition"}, pod...)},
		{kind: schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}, more: pod},
		{kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, more: []string{"configmap"}},
		{kind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, more: []string{"secret", "serviceaccount"}},
		{kind: schema.GroupVersionKind{Version: "v1", Kind: "Node"}, cluster: true, more: []string{"node", "condition"}},
		{kind: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, cluster: true, more: []string{"phase", "condition"}},
		{kind: schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolume"}, cluster: true, more: []string{"phase", "pvc", "secret"}},
		{kind: schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}},
		{kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}, more: append([]string{"phase", "condition"}, pod...)},
		{kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Cluster"}, cluster: true, more: append([]string{"phase", "condition"}, pod...)},
	} {
		target := targetOf(tc.kind)
		target.Namespaced = !tc.cluster
		want := append(slices.Clone(always), tc.more...)
		if !tc.cluster {
			want = append(want, "namespace")
		}
		slices.Sort(want)
		definitions := mustRegistry(t).For(target)
		if got := indexNames(definitions); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", tc.kind.Kind, got, want)
		}
		for _, d := range definitions {
			if name, _, ok := strings.Cut(d.Example, "="); !ok || name != d.Name || d.Reads == "" || !slices.Contains(builtinNames(), d.Name) {
				t.Errorf("%s: %+v is not fit to be shown", tc.kind.Kind, d)
			}
		}
	}
}

func TestMetadataIsEnoughForWhatReadsNoMore(t *testing.T) {
	whole := []string{"condition", "configmap", "image", "node", "phase", "pvc", "secret", "serviceaccount"}
	for kind := range servedKinds() {
		for _, d := range mustRegistry(t).For(targetOf(kind)) {
			want := cache.Metadata
			switch {
			case d.Name == "manager":
				want = cache.ManagedFields
			case d.Reads == ".metadata.name":
			case strings.HasPrefix(d.Reads, ".metadata.annotations.kubernetes"):
			case slices.Contains(whole, d.Name):
				want = cache.Whole
			}
			if d.Needs != want {
				t.Errorf("%s: index %q, which reads %s, needs %s", kind.Kind, d.Name, d.Reads, d.Needs)
			}
		}
	}
}

func TestAnIndexThatATypeDoesNotHave(t *testing.T) {
	r := mustRegistry(t, "zone=.metadata.labels.zone")
	for _, tc := range []struct {
		kind schema.GroupVersionKind
		name string
		want string
	}{
		{schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "node",
			`configmaps has no index "node": it has annotation, configmap, controller, finalizer, label, manager, name, namespace, owner, root, uid, zone; or give a field path such as .data.key`},
		{schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}, "nodes",
			`controllerrevisions.apps has no index "nodes": it has annotation, configmap, controller, finalizer, image, label, manager, name, namespace, node, owner, pvc, root, secret, serviceaccount, uid, zone; or give a field path such as .metadata.generation`},
	} {
		_, err := r.Lookup(targetOf(tc.kind), tc.name)
		if err == nil || err.Error() != tc.want {
			t.Errorf("got  %v\nwant %s", err, tc.want)
		}
	}
	if _, err := r.Lookup(targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}), ""); err == nil {
		t.Error("an empty name is an index")
	}
	if _, err := r.Lookup(targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}), ".spec["); err == nil {
		t.Error("a broken path is an index")
	}
}

func TestIndexesThatUsersDefine(t *testing.T) {
	row := rowOf(t, `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {topology.kubernetes.io/zone: eu-1}}, spec: {podCIDRs: [a, b]}, status: {capacity: {cpu: 2000m}}}`)
	r := mustRegistry(t,
		`zone={.metadata.labels.topology\.kubernetes\.io/zone}`,
		`zone2=metadata.labels['topology.kubernetes.io/zone']`,
		"cidr=.spec.podCIDRs[*]", "kind_of={kind}", "cpu=status.capacity.cpu")
	for name, want := range map[string]struct {
		values []string
		needs  cache.Representation
	}{
		"zone":    {[]string{"eu-1"}, cache.Metadata},
		"zone2":   {[]string{"eu-1"}, cache.Metadata},
		"cidr":    {[]string{"a", "b"}, cache.Whole},
		"kind_of": {[]string{"Node"}, cache.Metadata},
		"cpu":     {[]string{"2"}, cache.Whole},
	} {
		d, err := r.Lookup(targetFor(row), name)
		if err != nil {
			t.Fatal(err)
		}
		wantValues(t, d, row, want.values)
		if d.Needs != want.needs || d.Name != name {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestDefinitionsThatCannotBe(t *testing.T) {
	for definition, reason := range map[string]string{
		"zone":              "expected NAME=JSONPATH",
		"zone=":             "expected NAME=JSONPATH",
		"=.a":               "an index name is made of letters",
		"a.b=.a":            "an index name is made of letters",
		"{x}=.a":            "an index name is made of letters",
		"zone!=.a":          "an index name is made of letters",
		"zöne=.a":           "an index name is made of letters",
		"node=.spec.x":      `"node" is a built-in index; the built-in ones are annotation, condition, configmap, context, controller`,
		"zone={.a":          "the closing } is missing",
		"zone={.a}{.b}":     "it is a template, not one path",
		"zone={range .a}x":  "the closing } is missing",
		"zone=.a[?(@.b==c)": "unclosed array",
	} {
		_, err := NewRegistry([]string{definition})
		if err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), `--index "`+definition+`"`) {
			t.Errorf("%s: %v", definition, err)
		}
	}
	if _, err := NewRegistry([]string{"zone=.a", "zone=.b"}); err == nil || !strings.Contains(err.Error(), `"zone" is defined twice`) {
		t.Errorf("two definitions: %v", err)
	}
}

func TestOnePathHasOneNameHoweverItIsSpelled(t *testing.T) {
	pods := targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	for _, spelling := range []string{"metadata.labels['a.b/c']", `.metadata.labels.a\.b/c`, `{.metadata.labels['a\.b/c']}`, `{metadata['labels']["a.b/c"]}`} {
		if d := mustLookup(t, pods, spelling); d.Name != `.metadata.labels.a\.b/c` || d.Reads != d.Name {
			t.Errorf("%s is named %s", spelling, d.Name)
		}
	}
}

// A name that is missing in builtinNames could be redefined; one too many is
// refused for nothing.
func TestEveryBuiltinNameIsTakenAndNoOther(t *testing.T) {
	names := map[string]bool{}
	for _, d := range everyDefinition(t) {
		names[d.Name] = true
	}
	delete(names, "user")
	if got := slices.Sorted(maps.Keys(names)); !slices.Equal(got, builtinNames()) {
		t.Errorf("the built-in indexes are %q, the names %q", got, builtinNames())
	}
}
