package question

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/related"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// allWorkloads stands for pods and all types that hold a template of pods.
const allWorkloads = "all-workloads"

// workloads are what allWorkloads stands for, where a server has it.
func workloads() []string {
	return []string{
		"pods.v1.", "podtemplates.v1.", "replicationcontrollers.v1.",
		"daemonsets.v1.apps", "deployments.v1.apps", "replicasets.v1.apps", "statefulsets.v1.apps",
		"cronjobs.v1.batch", "jobs.v1.batch",
	}
}

// Uses are --used-by and --unused-by: the types one of whose objects has to name an
// object, and those none of whose objects may.
type Uses struct{ by, notBy []string }

// AddFlags adds --used-by and --unused-by.
func (u *Uses) AddFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&u.by, "used-by", nil,
		"Narrow ConfigMaps, Secrets, PersistentVolumeClaims, ServiceAccounts and Nodes to those that an object of one of these types names, in the right namespace. \"all-workloads\" is pods and all that have a template of pods.")
	flags.StringSliceVar(&u.notBy, "unused-by", nil,
		"Narrow ConfigMaps, Secrets, PersistentVolumeClaims, ServiceAccounts and Nodes to those that no object of these types names. (e.g. list pvc -A --unused-by pods)")
}

// Empty says whether neither is given.
func (u *Uses) Empty() bool { return len(u.by) == 0 && len(u.notBy) == 0 }

// CanBeAskedOf says why it cannot be asked who uses objects of a Target.
func (u *Uses) CanBeAskedOf(t cache.Target) error {
	if u.Empty() || index.IsUsed(t.Kind.GroupKind()) {
		return nil
	}
	return &index.NotUsedError{Type: t.Resource.GroupResource()}
}

// use is what is known of one type that may use objects of a subject.
type use struct {
	target     cache.Target
	definition index.Definition
}

// NarrowToUses narrows what is bound to a subject to the objects that are used, and not
// used, as asked. It starts the informers that know it, and returns which.
func (q *Question) NarrowToUses(ctx context.Context, u *Uses, t cache.Target, bound *index.Bound) (all []related.Spec, err error) {
	for _, asked := range []struct {
		flag  string
		types []string
		used  bool
	}{{"--used-by", u.by, true}, {"--unused-by", u.notBy, false}} {
		if len(asked.types) == 0 {
			continue
		}
		users, err := q.usesOf(ctx, t, asked.types)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", asked.flag, err)
		}
		specs := specsOf(users)
		if err := q.Dependencies.Users.Know(ctx, specs); err != nil {
			return nil, err
		}
		all = append(all, specs...)
		bound.And(func(row *cache.Row) bool {
			return asked.used == slices.ContainsFunc(users, func(use use) bool {
				return q.Dependencies.Users.Use(use.target, use.definition, row)
			})
		})
	}
	return all, nil
}

func specsOf(users []use) []related.Spec {
	specs := make([]related.Spec, len(users))
	for n, use := range users {
		specs[n] = related.Spec{Target: use.target, Indexes: []index.Definition{use.definition}}
	}
	return specs
}

// usesOf finds the types that may use objects of a subject, where the subject is. A
// node is used from all namespaces.
func (q *Question) usesOf(ctx context.Context, t cache.Target, types []string) (users []use, err error) {
	for _, resource := range types {
		targets, err := q.usersNamed(ctx, strings.TrimSpace(resource), t.Namespace)
		if err != nil {
			return nil, err
		}
		for _, target := range targets {
			definition, err := index.Uses(target, t)
			if err != nil {
				return nil, err
			}
			users = append(users, use{target, definition})
		}
	}
	return users, nil
}

func (q *Question) usersNamed(ctx context.Context, resource, namespace string) ([]cache.Target, error) {
	if resource == "" {
		return nil, errors.New("a type is needed, such as pods")
	}
	if resource != allWorkloads {
		return q.Dependencies.Find(ctx, resource, namespace)
	}
	var all []cache.Target
	var missing error
	for _, workload := range workloads() {
		targets, err := q.Dependencies.Find(ctx, workload, namespace)
		switch {
		case resolve.IsUnknownType(err):
			missing = err
		case err != nil:
			return nil, err
		}
		all = append(all, targets...)
	}
	if len(all) == 0 {
		return nil, missing
	}
	return all, nil
}
