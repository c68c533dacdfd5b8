package resolve

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/restmapper"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Guesser is a RESTClientGetter some of whose types are guesses: nothing but objects
// says that they exist. A name means them only where no known type has it.
type Guesser interface {
	IsGuess(schema.GroupVersionKind) bool
}

// partGuesses parts what is guessed from what is known, in the order of the lists.
func partGuesses(lists []*metav1.APIResourceList, isGuess func(schema.GroupVersionKind) bool) (known, guessed []*metav1.APIResourceList) {
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		surely, perhaps := *list, *list
		surely.APIResources, perhaps.APIResources = nil, nil
		for _, resource := range list.APIResources {
			if err == nil && isGuess(version.WithKind(resource.Kind)) {
				perhaps.APIResources = append(perhaps.APIResources, resource)
			} else {
				surely.APIResources = append(surely.APIResources, resource)
			}
		}
		known = append(known, &surely)
		if len(perhaps.APIResources) > 0 {
			guessed = append(guessed, &perhaps)
		}
	}
	return known, guessed
}

// mapperOf is kubectl's mapper of what is known, with guesses behind it.
func mapperOf(known frozenDiscovery, guessed []*metav1.APIResourceList) (meta.RESTMapper, error) {
	groupResources, err := restmapper.GetAPIGroupResources(known)
	if err != nil || len(guessed) == 0 {
		return restmapper.NewDiscoveryRESTMapper(groupResources), err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groupResources)
	known.lists = guessed
	groupResources, err = restmapper.GetAPIGroupResources(known)
	return knownFirst{mapper, restmapper.NewDiscoveryRESTMapper(groupResources)}, err
}

// knownFirst is a mapper of what is known; guesses are asked where it knows nothing,
// and for a guess that is named with its version.
type knownFirst struct {
	meta.RESTMapper
	guesses meta.RESTMapper
}

// KindFor is where the builder's search for an argument begins. kubectl's mapper
// takes the core group, which has no name, for any group.
func (m knownFirst) KindFor(resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	asked := resource.GroupVersion()
	kind, err := m.RESTMapper.KindFor(resource)
	if err == nil && (asked.Version == "" || kind.GroupVersion() == asked) {
		return kind, nil
	}
	if guess, guessErr := m.guesses.KindFor(resource); guessErr == nil && (meta.IsNoMatchError(err) || guess.GroupVersion() == asked) {
		return guess, nil
	}
	return kind, err
}

// RESTMapping is where it ends, and where that for an object in a file does.
func (m knownFirst) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	mapping, err := m.RESTMapper.RESTMapping(kind, versions...)
	if meta.IsNoMatchError(err) {
		return m.guesses.RESTMapping(kind, versions...)
	}
	return mapping, err
}

// strays has a line for each guess whose kind is that of a type which an argument
// means: objects that somebody may have given a wrong apiVersion.
func (t *types) strays(name string, targets []cache.Target) []string {
	var lines []string
	for _, target := range targets {
		resource, ok := t.find(target.Resource)
		if !ok || !answersTo(resource, name) && !slices.Contains(resource.Categories, name) {
			continue
		}
		for _, guess := range t.guessesOf(target.Kind.Kind) {
			if asked := func(t cache.Target) bool { return t.Resource == guess }; !slices.ContainsFunc(targets, asked) {
				lines = append(lines, fmt.Sprintf("%q leaves out objects of kind %s with apiVersion %s, which is no known type; %q asks for them",
					name, target.Kind.Kind, guess.GroupVersion(), asArgument(guess)))
			}
		}
	}
	return lines
}

func (t *types) guessesOf(kind string) []schema.GroupVersionResource {
	var found []schema.GroupVersionResource
	for _, list := range t.guessed {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		for _, resource := range list.APIResources {
			if err == nil && resource.Kind == kind {
				found = append(found, version.WithResource(resource.Name))
			}
		}
	}
	return found
}

// isGuess says whether a type is among the guesses.
func (t *types) isGuess(gvr schema.GroupVersionResource) bool {
	return slices.ContainsFunc(t.guessed, func(list *metav1.APIResourceList) bool {
		return list.GroupVersion == gvr.GroupVersion().String() &&
			slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == gvr.Resource })
	})
}
