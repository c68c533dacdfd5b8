package dump

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
