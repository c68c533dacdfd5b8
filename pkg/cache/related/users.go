package related

import (
	"context"
	"slices"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// Users knows which objects others name. It is used by one goroutine.
type Users struct {
	pool
	indexed map[usesIndex]*informer.Informer
}

// usesIndex is one index of index.Uses over the objects of one Target.
type usesIndex struct {
	target cache.Target
	name   string
}

// NewUsers knows of no use yet.
func NewUsers(cluster Cluster) *Users {
	return &Users{pool: pool{cluster: cluster}, indexed: map[usesIndex]*informer.Informer{}}
}

// Know starts informers for what is not known yet. A type that cannot be read is an
// error: whether it uses an object is then not known.
func (u *Users) Know(ctx context.Context, specs []Spec) error {
	missing := u.missing(specs)
	if len(missing) == 0 {
		return u.Failure(specs)
	}
	informers, err := u.start(ctx, missing, changesUses(missing))
	if err != nil {
		return err
	}
	for _, i := range informers {
		if failure := i.Failure(); failure != nil {
			u.stopLast()
			return failure
		}
	}
	for n, spec := range missing {
		for _, d := range spec.Indexes {
			u.indexed[usesIndex{spec.Target, d.Name}] = informers[n]
		}
	}
	return u.Failure(specs)
}

// Failure is why something that was known is known no more; nil if all is.
func (u *Users) Failure(specs []Spec) error {
	for _, spec := range specs {
		for _, d := range spec.Indexes {
			if i := u.indexed[usesIndex{spec.Target, d.Name}]; i != nil {
				if failure := i.Failure(); failure != nil {
					return failure
				}
			}
		}
	}
	return nil
}

// missing joins the specs of one Target, and leaves out what is known.
func (u *Users) missing(specs []Spec) (missing []Spec) {
	for _, spec := range specs {
		at := slices.IndexFunc(missing, func(m Spec) bool { return m.Target == spec.Target })
		for _, d := range spec.Indexes {
			if u.indexed[usesIndex{spec.Target, d.Name}] != nil {
				continue
			}
			if at < 0 {
				at, missing = len(missing), append(missing, Spec{Target: spec.Target})
			}
			if !slices.ContainsFunc(missing[at].Indexes, func(other index.Definition) bool { return other.Name == d.Name }) {
				missing[at].Indexes = append(missing[at].Indexes, d)
			}
		}
	}
	return missing
}

// changesUses says which events change what is used.
func changesUses(specs []Spec) func(cache.Event) bool {
	indexes := map[cache.Target][]index.Definition{}
	for _, spec := range specs {
		indexes[spec.Target] = spec.Indexes
	}
	return func(event cache.Event) bool {
		return slices.ContainsFunc(indexes[event.Target], func(d index.Definition) bool {
			var before []string
			switch {
			case event.Initial:
				return false
			case event.Old != nil:
				before = d.Values(event.Old)
			case event.FinalStateUnknown:
				return true
			}
			return !slices.Equal(before, d.Values(event.Row))
		})
	}
}

// Use says whether an object of a Target that is known names the object.
func (u *Users) Use(target cache.Target, d index.Definition, object *cache.Row) bool {
	i := u.indexed[usesIndex{target, d.Name}]
	if i == nil {
		return false
	}
	users, err := i.Indexer().IndexKeys(d.Name, index.UseKey(object.Namespace, object.Name))
	return err == nil && len(users) > 0
}
