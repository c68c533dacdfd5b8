package resolve

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// warnings has one line for each argument that could have meant another type
// too, and one for each category that may lack members.
func (r *run) warnings(names []string, targets []cache.Target) []string {
	types, err := r.types()
	if err != nil || len(targets) == 0 {
		return nil
	}
	var lines []string
	for _, name := range names {
		line := ambiguous(name, types.namesakes(name), targets)
		if types.isCategory(name) {
			line = incomplete(name, types.brokenGroups())
		}
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func incomplete(category string, groups []string) string {
	if len(groups) == 0 {
		return ""
	}
	return fmt.Sprintf("%q may be incomplete: discovery failed for %s", category, strings.Join(groups, ", "))
}

// ambiguous tells which of the namesakes the targets are, and how the others
// are asked for. Others that are asked for beside it need no telling.
func ambiguous(name string, namesakes []schema.GroupVersionResource, targets []cache.Target) string {
	wanted := func(gvr schema.GroupVersionResource) bool {
		return slices.ContainsFunc(targets, func(t cache.Target) bool { return t.Resource.GroupResource() == gvr.GroupResource() })
	}
	i := slices.IndexFunc(namesakes, wanted)
	if i < 0 {
		return ""
	}
	chosen := namesakes[i]
	var others []string
	for _, other := range namesakes {
		if !wanted(other) && !expectedNamesake(chosen.GroupResource(), other.GroupResource()) {
			others = append(others, asArgument(other))
		}
	}
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("%q names several resource types: using %s, not %s", name, asArgument(chosen), strings.Join(others, ", "))
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
