package resolve

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// warnings are kubectl's of short names, and lines for each other argument that could
// have meant another type too, for each category that may lack members, and for each
// guess that is left out.
func (r *run) warnings(names []string, targets []cache.Target) []string {
	types, err := r.types()
	if err != nil || len(targets) == 0 {
		return nil
	}
	lines := slices.Clone(r.shortcuts)
	for _, name := range names {
		switch {
		case types.isCategory(name):
			lines = append(lines, incomplete(name, types.brokenGroups())...)
		case !r.isShortcut(name):
			lines = append(lines, types.ambiguous(name, targets)...)
		}
		lines = append(lines, types.strays(name, targets)...)
	}
	return unique(lines)
}

// isShortcut says whether kubectl warns of the name, as a short one of several types.
func (r *run) isShortcut(name string) bool {
	return slices.ContainsFunc(r.shortcuts, func(warning string) bool {
		return strings.HasPrefix(warning, fmt.Sprintf("short name %q ", strings.ToLower(name)))
	})
}

func unique(lines []string) []string {
	var once []string
	for _, line := range lines {
		if !slices.Contains(once, line) {
			once = append(once, line)
		}
	}
	return once
}

func incomplete(category string, groups []string) []string {
	if len(groups) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%q may be incomplete: discovery failed for %s", category, strings.Join(groups, ", "))}
}

// ambiguous has a line for each type that a name which is no short one could have
// meant, in the words that kubectl has for short ones. Those that are asked for
// beside it need none.
func (t *types) ambiguous(name string, targets []cache.Target) []string {
	namesakes := t.namesakes(name)
	wanted := func(gvr schema.GroupVersionResource) bool {
		return slices.ContainsFunc(targets, func(t cache.Target) bool { return t.Resource.GroupResource() == gvr.GroupResource() })
	}
	i := slices.IndexFunc(namesakes, wanted)
	if i < 0 {
		return nil
	}
	chosen := namesakes[i]
	var lines []string
	for _, other := range namesakes {
		known := !t.isGuess(other) || t.isGuess(chosen) // see strays
		if known && !wanted(other) && !expectedNamesake(chosen.GroupResource(), other.GroupResource()) {
			lines = append(lines, fmt.Sprintf("name %q could also match lower priority resource %s", name, other.GroupResource()))
		}
	}
	return lines
}

// expectedNamesake says whether a second type of a name is no surprise. Every
// server has events twice, the same objects in both groups (seen on a 1.37
// server, which has no other pair). Almost every cluster serves the resource
// metrics of pods and nodes under the names of what they measure.
func expectedNamesake(chosen, other schema.GroupResource) bool {
	events := func(gr schema.GroupResource) bool {
		return gr.Resource == "events" && (gr.Group == "" || gr.Group == "events.k8s.io")
	}
	return events(chosen) && events(other) || other.Group == "metrics.k8s.io"
}

// asArgument is the form that names one type only, whatever else there is.
func asArgument(gvr schema.GroupVersionResource) string {
	return fmt.Sprintf("%s.%s.%s", gvr.Resource, gvr.Version, gvr.Group)
}

// namesakes returns the types that can be listed and that have this name, be it
// plural, singular, kind or short name, at most one of each group and resource.
func (t *types) namesakes(name string) []schema.GroupVersionResource {
	var found []schema.GroupVersionResource
	for _, list := range t.frozen.lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, resource := range list.APIResources {
			gvr := version.WithResource(resource.Name)
			seen := slices.ContainsFunc(found, func(s schema.GroupVersionResource) bool { return s.GroupResource() == gvr.GroupResource() })
			if !seen && verbsOf(resource).List && answersTo(resource, name) {
				found = append(found, gvr)
			}
		}
	}
	return found
}

func answersTo(resource metav1.APIResource, name string) bool {
	return slices.ContainsFunc([]string{resource.Name, resource.SingularName, resource.Kind}, func(own string) bool {
		return strings.EqualFold(own, name)
	}) || slices.Contains(resource.ShortNames, name)
}
