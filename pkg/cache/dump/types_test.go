package dump

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump/tables"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// definitionYAML is a definition of gadgets: v1 has columns, v2beta1 is preferred
// to none, and v1alpha1 is no longer served.
const definitionYAML = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget, shortNames: [gd], categories: [all, toys]}
  versions:
  - name: v1alpha1
    served: false
    storage: false
  - name: v2beta1
    served: true
    storage: false
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Size, type: integer, jsonPath: .spec.size, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    selectableFields:
    - {jsonPath: .spec.color}
`

// resolved are the resources that an argument stands for, with their scope.
func resolved(t *testing.T, d *Dump, arguments ...string) []string {
	t.Helper()
	result, err := resolve.New(d.Getter()).Resolve(t.Context(), resolve.Request{Args: arguments})
	if err != nil {
		return []string{err.Error()}
	}
	var all []string
	for _, target := range result.Targets {
		scope := "cluster"
		if target.Namespaced {
			scope = target.Namespace
		}
		all = append(all, target.Resource.GroupVersion().String()+" "+target.Resource.Resource+" "+target.Kind.Kind+" "+scope)
	}
	return all
}

func TestResourceArgumentsResolveAsOnACluster(t *testing.T) {
	gadget := func(version, name string) string {
		return "---\napiVersion: example.com/" + version + "\nkind: Gadget\nmetadata: {name: " + name + ", namespace: shop}\n"
	}
	const pods, nodes, v1, v2beta1 = "v1 pods Pod *", "v1 nodes Node cluster", "example.com/v1 gadgets Gadget *", "example.com/v2beta1 gadgets Gadget *"
	for name, test := range map[string]struct {
		dump      string
		arguments []string
		want      []string
	}{
		"plural":                            {"", []string{"pods"}, []string{pods}},
		"singular":                          {"", []string{"pod"}, []string{pods}},
		"short name":                        {"", []string{"po"}, []string{pods}},
		"kind":                              {"", []string{"Pod"}, []string{pods}},
		"with version":                      {"", []string{"pods.v1."}, []string{pods}},
		"with group":                        {"", []string{"deployments.apps"}, []string{"apps/v1 deployments Deployment *"}},
		"a list":                            {"", []string{"po,no"}, []string{pods, nodes}},
		"names":                             {"", []string{"pod/a", "node/b"}, []string{pods, nodes}},
		"the server's preferred version":    {"", []string{"hpa"}, []string{"autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler *"}},
		"a type that nobody knows":          {"", []string{"gadgets"}, []string{`the server doesn't have a resource type "gadgets"`}},
		"a defined type, by its short name": {definitionYAML, []string{"gd"}, []string{v1}},
		"a defined type, by its category":   {definitionYAML, []string{"toys"}, []string{v1}},
		"a version that is not served":      {definitionYAML, []string{"gadgets.v1alpha1.example.com"}, []string{`the server doesn't have a resource type "gadgets" in group "v1alpha1.example.com"`}},
		"the version that there is":         {definitionYAML + gadget("v2beta1", "a"), []string{"gadgets"}, []string{v2beta1}},
		"of two versions the preferred":     {definitionYAML + gadget("v2beta1", "a") + gadget("v1", "b"), []string{"gd"}, []string{v1}},
		"of two versions the other":         {definitionYAML + gadget("v2beta1", "a") + gadget("v1", "b"), []string{"gadgets.v2beta1.example.com"}, []string{v2beta1}},
		"a version that the definition has no more": {
			definitionYAML + gadget("v1beta3", "a"), []string{"gd"}, []string{"example.com/v1beta3 gadgets Gadget *"},
		},
		"an old version of a built-in type": {
			"apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a, namespace: shop}\n", []string{"cj"},
			[]string{"batch/v1beta1 cronjobs CronJob *"},
		},
		"a kind without definition": {gadget("v1", "a"), []string{"gadgets,Gadget,gadget.example.com"}, []string{v1}},
		"a kind without namespaces": {
			"apiVersion: example.com/v1\nkind: Policy\nmetadata: {name: a}\n", []string{"policies"}, []string{"example.com/v1 policies Policy cluster"},
		},
		"a definition of a built-in kind": {
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec: {group: apps, scope: Cluster, names: {kind: Deployment, plural: x}, versions: [{name: v1, served: true}]}\n",
			[]string{"deploy"}, []string{"apps/v1 deployments Deployment *"},
		},
		"what is no definition": {
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec: {versions: 7}\n",
			[]string{"crd"}, []string{"apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition cluster"},
		},
	} {
		if got := resolved(t, mustRead(t, test.dump), test.arguments...); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// A mistaken apiVersion makes a type of its own, which is a guess: it never outranks
// what is known, and is named.
func TestAGuessNeverOutranksWhatIsKnown(t *testing.T) {
	const namedGadget = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: a, namespace: shop}\n"
	for _, test := range []struct {
		version, kind, known string
		names                []string
		guess                string
	}{
		{"v1", "Deployment", "apps/v1 deployments Deployment *", []string{"deployments", "deployment", "deploy", "Deployment", "deploy/a"}, "deployments.v1."},
		{"aaa.example.com/v1", "Deployment", "apps/v1 deployments Deployment *", []string{"deployments", "deploy"}, "deployments.v1.aaa.example.com"},
		{"extensions/v1beta1", "Deployment", "apps/v1 deployments Deployment *", []string{"deployments", "deploy"}, "deployments.v1beta1.extensions"},
		{"v1", "StatefulSet", "apps/v1 statefulsets StatefulSet *", []string{"statefulsets", "sts"}, "statefulsets.v1."},
		{"v1", "Ingress", "networking.k8s.io/v1 ingresses Ingress *", []string{"ingresses", "Ingress", "ing"}, "ingresses.v1."},
		{"apps/v1", "Job", "batch/v1 jobs Job *", []string{"jobs", "job"}, "jobs.v1.apps"},
		{"v1", "Gadget", "example.com/v1 gadgets Gadget *", []string{"gadgets", "gd"}, "gadgets.v1."},
	} {
		d := mustRead(t, definitionYAML+"---\n"+namedGadget+"---\napiVersion: "+test.version+"\nkind: "+test.kind+"\nmetadata: {name: a, namespace: shop}\n")
		for _, name := range test.names {
			if got := resolved(t, d, name); !slices.Equal(got, []string{test.known}) {
				t.Errorf("%s with a %s of %s: got %q", name, test.kind, test.version, got)
			}
			typed, _, _ := strings.Cut(name, "/")
			want := fmt.Sprintf("%q leaves out objects of kind %s with apiVersion %s, which is no known type; %q asks for them", typed, test.kind, test.version, test.guess)
			if got := warningsOf(t, d, name); !slices.Equal(got, []string{want}) {
				t.Errorf("%s: got %q\nwant %q", name, got, want)
			}
		}
		plural, _, _ := strings.Cut(test.guess, ".")
		if got := resolved(t, d, test.guess); !slices.Equal(got, []string{test.version + " " + plural + " " + test.kind + " *"}) {
			t.Errorf("%s: got %q", test.guess, got)
		}
		if got := warningsOf(t, d, test.guess); len(got) > 0 {
			t.Errorf("%s: got %q", test.guess, got)
		}
		if got := warningsOf(t, d, plural+","+test.guess); len(got) > 0 {
			t.Errorf("both asked for: got %q", got)
		}
	}
	d := mustRead(t, "apiVersion: v1\nkind: Deployment\nmetadata: {name: a, namespace: shop}\n")
	if got := warningsOf(t, d, "all"); len(got) != 1 || !strings.Contains(got[0], `"deployments.v1." asks for them`) {
		t.Errorf("all: got %q", got)
	}
	if got := warningsOf(t, d, "pods"); len(got) > 0 {
		t.Errorf("pods: got %q", got)
	}
}

func warningsOf(t *testing.T, d *Dump, arguments ...string) []string {
	t.Helper()
	result, err := resolve.New(d.Getter()).Resolve(t.Context(), resolve.Request{Args: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result.Warnings
}

func TestACategoryHasTheDefinedTypesToo(t *testing.T) {
	all := resolved(t, mustRead(t, definitionYAML), "all")
	for _, want := range []string{"v1 pods Pod *", "apps/v1 deployments Deployment *", "example.com/v1 gadgets Gadget *"} {
		if !slices.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
}

func TestVersionsThatAListDoesNotShowAreNamed(t *testing.T) {
	d := mustRead(t, "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n---\n"+
		"apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: b}\n")
	kind := schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}
	if got := d.OtherVersions(kind); !slices.Equal(got, []string{"v1"}) {
		t.Errorf("got %q", got)
	}
	if got := d.OtherVersions(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestNothingOfTheUsersConfigurationIsRead(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()) // a directory: who reads it gets an error
	getter := mustRead(t, "").Getter()
	namespace, _, err := getter.ToRawKubeConfigLoader().Namespace()
	if namespace != AnyNamespace || err != nil {
		t.Errorf("got %q, %v", namespace, err)
	}
	if _, err := getter.ToRESTConfig(); err == nil {
		t.Error("a dump leads to a server")
	}
	mapper, err := getter.ToRESTMapper()
	if err != nil {
		t.Fatal(err)
	}
	if gvr, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: "po"}); err != nil || gvr.Resource != "pods" {
		t.Errorf("got %v, %v", gvr, err)
	}
}

func TestEveryBuiltInTypeHasATableOfItsOwn(t *testing.T) {
	types, _, err := typesOf(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, builtin := range flatten(types) {
		if tables.For(builtin.kind()) == nil {
			t.Errorf("%v has no table in pkg/cache/dump/tables", builtin.kind())
		}
	}
}
