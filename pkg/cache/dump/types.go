package dump

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// builtin is what a Kubernetes 1.37 API server says of its own types in
// aggregated discovery, as far as they can be listed. A test of test/e2e/dump
// compares it with a server; `make renew` writes it anew.
//
//go:embed types.json
var builtin []byte

// verbs are what can be done with a dump.
func verbs() []string { return []string{"get", "list"} }

// apiType is one type in one version.
type apiType struct {
	schema.GroupVersion
	apidiscovery.APIResourceDiscovery
}

func (t apiType) kind() schema.GroupVersionKind {
	return t.WithKind(t.ResponseKind.Kind)
}

// typesOf says which types there are, as a server's aggregated discovery would:
// the built-in ones, those of the definitions, those that are named, and the kinds of
// objects that none of them has. A type of which there are objects is there only in the versions
// that they have: without a server nothing converts them to another.
// The second result are the kinds that it knows of by their objects alone.
func typesOf(objects map[schema.GroupVersionKind][]*object, definitions []*definition, named ...apiType) (apidiscovery.APIGroupDiscoveryList, []schema.GroupVersionKind, error) {
	var list apidiscovery.APIGroupDiscoveryList
	if err := json.Unmarshal(builtin, &list); err != nil {
		return list, nil, err
	}
	types := flatten(list)
	for _, d := range definitions {
		for _, t := range definedTypes(d) {
			if !known(types, t.kind()) {
				types = append(types, t)
			}
		}
	}
	for _, t := range named {
		if !known(types, t.kind()) {
			types = append(types, t)
		}
	}
	unknown, guesses := unknownTypes(objects, types)
	types = append(types, unknown...)
	return nest(heldVersions(types, objects)), guesses, nil
}

func flatten(list apidiscovery.APIGroupDiscoveryList) []apiType {
	var types []apiType
	for _, group := range list.Items {
		for _, version := range group.Versions {
			for _, resource := range version.Resources {
				types = append(types, apiType{schema.GroupVersion{Group: group.Name, Version: version.Version}, resource})
			}
		}
	}
	return types
}

// nest puts types into their groups and versions, in the order in which they come.
func nest(types []apiType) apidiscovery.APIGroupDiscoveryList {
	var list apidiscovery.APIGroupDiscoveryList
	for _, t := range types {
		g := slices.IndexFunc(list.Items, func(g apidiscovery.APIGroupDiscovery) bool { return g.Name == t.Group })
		if g < 0 {
			g = len(list.Items)
			list.Items = append(list.Items, apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: t.Group}})
		}
		versions := &list.Items[g].Versions
		v := slices.IndexFunc(*versions, func(v apidiscovery.APIVersionDiscovery) bool { return v.Version == t.Version })
		if v < 0 {
			v = len(*versions)
			*versions = append(*versions, apidiscovery.APIVersionDiscovery{Version: t.Version})
		}
		(*versions)[v].Resources = append((*versions)[v].Resources, t.APIResourceDiscovery)
	}
	return list
}

func known(types []apiType, gvk schema.GroupVersionKind) bool {
	return slices.ContainsFunc(types, func(t apiType) bool { return t.kind() == gvk })
}

// unknownTypes are types for the kinds of objects that types lacks: a kind that
// is there in another version keeps its names, the names of others are guessed.
func unknownTypes(objects map[schema.GroupVersionKind][]*object, types []apiType) (unknown []apiType, guesses []schema.GroupVersionKind) {
	for _, gvk := range sortedKinds(objects) {
		if known(types, gvk) {
			continue
		}
		t := apiType{gvk.GroupVersion(), guess(gvk, objects[gvk])}
		same := slices.IndexFunc(types, func(t apiType) bool { return t.kind().GroupKind() == gvk.GroupKind() })
		if same >= 0 {
			t.APIResourceDiscovery = types[same].APIResourceDiscovery
		} else {
			guesses = append(guesses, gvk)
		}
		unknown = append(unknown, t)
	}
	return unknown, guesses
}

// guess takes a type for namespaced if one of its objects has a namespace.
func guess(gvk schema.GroupVersionKind, objects []*object) apidiscovery.APIResourceDiscovery {
	plural, singular := meta.UnsafeGuessKindToResource(gvk)
	scope := apidiscovery.ScopeCluster
	if slices.ContainsFunc(objects, func(o *object) bool { return o.namespace != "" }) {
		scope = apidiscovery.ScopeNamespace
	}
	return apidiscovery.APIResourceDiscovery{
		Resource:         plural.Resource,
		SingularResource: singular.Resource,
		ResponseKind:     &metav1.GroupVersionKind{Kind: gvk.Kind},
		Scope:            scope,
		Verbs:            verbs(),
	}
}

// heldVersions leaves out the versions of a type that have no objects, if
// another has.
func heldVersions(types []apiType, objects map[schema.GroupVersionKind][]*object) []apiType {
	held := map[schema.GroupKind]bool{}
	for gvk := range objects {
		held[gvk.GroupKind()] = true
	}
	return slices.DeleteFunc(types, func(t apiType) bool {
		return held[t.kind().GroupKind()] && len(objects[t.kind()]) == 0
	})
}

func sortedKinds(objects map[schema.GroupVersionKind][]*object) []schema.GroupVersionKind {
	kinds := make([]schema.GroupVersionKind, 0, len(objects))
	for gvk := range objects {
		kinds = append(kinds, gvk)
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
}
