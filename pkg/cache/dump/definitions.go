package dump

import (
	"slices"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/version"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump/tables"
)

// definition is a CustomResourceDefinition of the dump.
type definition = apiextensionsv1.CustomResourceDefinition

// DefinitionOf is the CustomResourceDefinition that a server has of a Target's type, if
// it is a custom one; ok is false for a type whose columns are known.
func DefinitionOf(t cache.Target) (definition cache.Target, ok bool) {
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	return cache.Target{
		Context:  t.Context,
		Resource: kind.GroupVersion().WithResource("customresourcedefinitions"), Kind: kind,
		Name:  t.Resource.GroupResource().String(),
		Verbs: cache.Verbs{Get: true, List: true, Watch: true},
	}, tables.For(t.Kind) == nil
}

// definitionsIn reads the definitions among the objects. An object that cannot be
// read as a definition defines nothing.
func definitionsIn(objects map[schema.GroupVersionKind][]*object) []*definition {
	var definitions []*definition
	for _, object := range objects[apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")] {
		d := &definition{}
		if err := kubejson.Unmarshal(object.raw, d); err == nil {
			definitions = append(definitions, d)
		}
	}
	return definitions
}

// definedTypes are the types that a definition makes a server serve, the
// preferred version first.
func definedTypes(d *definition) []apiType {
	names := d.Spec.Names
	resource := apidiscovery.APIResourceDiscovery{
		Resource:         names.Plural,
		SingularResource: names.Singular,
		ResponseKind:     &metav1.GroupVersionKind{Kind: names.Kind},
		Scope:            apidiscovery.ScopeCluster,
		Verbs:            verbs(),
		ShortNames:       names.ShortNames,
		Categories:       names.Categories,
	}
	if d.Spec.Scope == apiextensionsv1.NamespaceScoped {
		resource.Scope = apidiscovery.ScopeNamespace
	}
	var types []apiType
	for _, v := range d.Spec.Versions {
		if v.Served {
			types = append(types, apiType{schema.GroupVersion{Group: d.Spec.Group, Version: v.Name}, resource})
		}
	}
	slices.SortFunc(types, func(a, b apiType) int { return version.CompareKubeAwareVersionStrings(b.Version, a.Version) })
	return types
}

// versionOf is what the definitions say of one version of a kind; the zero
// value if they do not know it.
func versionOf(definitions []*definition, gvk schema.GroupVersionKind) apiextensionsv1.CustomResourceDefinitionVersion {
	for _, d := range definitions {
		if d.Spec.Group != gvk.Group || d.Spec.Names.Kind != gvk.Kind {
			continue
		}
		for _, v := range d.Spec.Versions {
			if v.Name == gvk.Version {
				return v
			}
		}
	}
	return apiextensionsv1.CustomResourceDefinitionVersion{}
}
