package resolve

import (
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/resource"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// fromCategory returns the targets that are not there without the categories
// among the arguments. What the other arguments mean is the builder's business
// here, too.
func (r *run) fromCategory(targets []cache.Target) []cache.Target {
	types, err := r.types()
	if err != nil || len(r.request.Args) == 0 {
		return nil
	}
	words := resource.SplitResourceArgument(r.request.Args[0])
	named := slices.DeleteFunc(slices.Clone(words), types.isCategory)
	if len(named) == len(words) {
		return nil
	}
	var explicit []cache.Target
	if len(named) > 0 {
		// What is wrong with them has been found with the others. Names do not go with
		// categories.
		infos, _ := r.build([]string{strings.Join(named, ",")}).Infos()
		explicit, _ = r.visits(infos)
	}
	return slices.DeleteFunc(slices.Clone(targets), func(t cache.Target) bool { return slices.Contains(explicit, t) })
}
