package resolve

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// visits makes Targets of what the builder visited. An Info at fault leaves
// those of the others.
func (r *run) visits(infos []*resource.Info) (visits []cache.Target, faults []error) {
	for _, info := range infos {
		found, err := r.targetsOf(info)
		if err != nil {
			faults = append(faults, err)
		}
		visits = append(visits, found...)
	}
	return visits, faults
}

// once leaves out repetitions.
func once(visits []cache.Target) []cache.Target {
	var targets []cache.Target
	seen := map[cache.Target]bool{}
	for _, target := range visits {
		if !seen[target] {
			targets = append(targets, target)
		}
		seen[target] = true
	}
	return targets
}

func (r *run) targetsOf(info *resource.Info) ([]cache.Target, error) {
	types, err := r.types()
	if err != nil {
		return nil, err
	}
	gvr := info.Mapping.Resource
	known, ok := types.find(gvr)
	if !ok {
		// The mapper guesses list kinds, such as PodList, that are no type of their own.
		return nil, unknownType(gvr)
	}
	target := cache.Target{
		Resource:      gvr,
		Kind:          info.Mapping.GroupVersionKind.GroupVersion().WithKind(known.Kind),
		Namespaced:    info.Namespaced(),
		Name:          info.Name,
		Subresource:   r.request.Subresource,
		LabelSelector: r.selector,
		Shard:         r.request.Shard,
		Verbs:         verbsOf(known),
	}
	if info.Source != "" {
		return r.objectTargets(target, info)
	}
	target.FieldSelector = r.request.FieldSelector
	return spread(target, r.scope.of(info)), nil
}

// objectTargets are the Targets of an object from a file. kubectl reads the
// object from the server and selects by the labels it has there: so do we, by
// leaving the selector to the server. It pays no heed to --field-selector here.
func (r *run) objectTargets(target cache.Target, info *resource.Info) ([]cache.Target, error) {
	if info.Name == "" {
		return nil, fmt.Errorf("%s: resource name may not be empty", info.Source)
	}
	if _, err := labels.Parse(r.selector); err != nil {
		return nil, fmt.Errorf("the provided selector %q is not valid: %v", r.selector, err)
	}
	namespaces, err := r.scope.ofObject(info)
	if err != nil {
		return nil, err
	}
	for _, namespace := range namespaces {
		request := *info
		request.Namespace = namespace
		if err := resource.RetrieveLatest(&request, nil); err != nil {
			return nil, err
		}
	}
	return spread(target, namespaces), nil
}

func spread(target cache.Target, namespaces []string) []cache.Target {
	targets := make([]cache.Target, len(namespaces))
	for i, namespace := range namespaces {
		target.Namespace = namespace
		targets[i] = target
	}
	return targets
}

// verbsOf returns the verbs that discovery lists. Where it lists none at all,
// the server was asked too little or says too little: a request will show.
func verbsOf(known metav1.APIResource) cache.Verbs {
	if len(known.Verbs) == 0 {
		return cache.Verbs{Get: true, List: true, Watch: true}
	}
	return cache.Verbs{
		Get:   slices.Contains(known.Verbs, "get"),
		List:  slices.Contains(known.Verbs, "list"),
		Watch: slices.Contains(known.Verbs, "watch"),
	}
}
