package state

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Cluster tells clusters apart.
type Cluster struct {
	// UID is that of the namespace kube-system; empty where it cannot be read.
	UID string `json:"uid,omitempty"`
	// Server is the address, and Authority a hash of the certificates that it is
	// trusted by: they decide where a UID is not known.
	Server    string `json:"server,omitempty"`
	Authority string `json:"authority,omitempty"`
}

// differs says how a cluster differs from that of a state; nothing where it is the same.
func (c Cluster) differs(now Cluster) string {
	switch {
	case c.UID != "" && now.UID != "":
		if c.UID == now.UID {
			return ""
		}
		if c.Server == now.Server {
			return fmt.Sprintf("the cluster at %s is another one: its namespace kube-system has the uid %s, not %s", now.Server, now.UID, c.UID)
		}
		return fmt.Sprintf("it is of the cluster at %s, not of that at %s", c.Server, now.Server)
	case c.Server != now.Server:
		return fmt.Sprintf("it is of the cluster at %s, not of that at %s", c.Server, now.Server)
	case c.Authority != now.Authority:
		return fmt.Sprintf("the cluster at %s has another certificate authority than then, and may not be read its namespace kube-system", now.Server)
	}
	return ""
}

// known is the cluster with all that either run knows of it.
func (c Cluster) known(now Cluster) Cluster {
	now.UID = cmp.Or(now.UID, c.UID)
	return now
}

// Question is what a run asks: which objects can be in its answer.
type Question struct {
	Cluster Cluster
	Targets []cache.Target
	// FromCategory are those Targets that only a category names: which types it has
	// changes with the cluster.
	FromCategory []cache.Target
	// Unresolved says that some Targets may be missing, since a server of theirs is down.
	Unresolved bool
	// Narrowed are the flags that narrow the objects in the cache, as they are written.
	Narrowed []string
}

// about is what a file says of its question.
type about struct {
	Cluster  Cluster  `json:"cluster"`
	Narrowed []string `json:"narrowed,omitempty"`
	Types    []stored `json:"types"`
}

// stored is a Target as far as it decides which objects are in it.
type stored struct {
	Group         string `json:"group,omitempty"`
	Version       string `json:"version"`
	Resource      string `json:"resource"`
	Namespace     string `json:"namespace,omitempty"`
	Name          string `json:"name,omitempty"`
	LabelSelector string `json:"labelSelector,omitempty"`
	FieldSelector string `json:"fieldSelector,omitempty"`
	Shard         string `json:"shard,omitempty"`
	// FromCategory says that it need not be among the types of the next run.
	FromCategory bool `json:"fromCategory,omitempty"`
}

func storedOf(t cache.Target) stored {
	return stored{
		Group: t.Resource.Group, Version: t.Resource.Version, Resource: t.Resource.Resource, Namespace: t.Namespace, Name: t.Name,
		LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector, Shard: t.Shard.Selector(),
	}
}

// key names the bucket of the Target.
func (s stored) key() []byte {
	s.FromCategory = false
	key, _ := json.Marshal(s) // strings alone: it cannot fail
	return key
}

// String names the Target as flags would.
func (s stored) String() string {
	name := s.Resource + "." + s.Version
	if s.Group != "" {
		name += "." + s.Group
	}
	if s.Name != "" {
		name += "/" + s.Name
	}
	if s.Namespace != "" {
		name += " -n " + s.Namespace
	}
	if s.LabelSelector != "" {
		name += " -l " + s.LabelSelector
	}
	if s.FieldSelector != "" {
		name += " --field-selector " + s.FieldSelector
	}
	if s.Shard != "" {
		name += " of the shard " + s.Shard
	}
	return name
}

func (q Question) about() about {
	types := make([]stored, len(q.Targets))
	for i, target := range q.Targets {
		types[i] = storedOf(target)
		types[i].FromCategory = slices.Contains(q.FromCategory, target)
	}
	return about{Cluster: q.Cluster, Narrowed: slices.Sorted(slices.Values(q.Narrowed)), Types: types}
}

// differs says how a question differs from that of a state; nothing where it is the same.
func (a about) differs(now about, unresolved bool) string {
	if difference := a.Cluster.differs(now.Cluster); difference != "" {
		return difference
	}
	if !slices.Equal(a.Narrowed, now.Narrowed) {
		return fmt.Sprintf("it is of another question: %s, not %s", orNone(a.Narrowed, "nothing narrows it"), orNone(now.Narrowed, "nothing"))
	}
	gone := without(a.Types, now.Types, unresolved)
	fresh := without(now.Types, a.Types, false)
	switch {
	case len(gone) > 0 && len(fresh) > 0:
		return fmt.Sprintf("it is of other objects: %s, not %s", joined(gone), joined(fresh))
	case len(gone) > 0:
		return fmt.Sprintf("it is also of %s, which is not asked for now", joined(gone))
	case len(fresh) > 0:
		return fmt.Sprintf("it is not of %s, which is asked for now", joined(fresh))
	}
	return ""
}

// merged is the question with the types of both runs.
func (a about) merged(now about) about {
	now.Cluster = a.Cluster.known(now.Cluster)
	for _, one := range a.Types {
		if !slices.ContainsFunc(now.Types, one.is) {
			now.Types = append(now.Types, one)
		}
	}
	return now
}

func (s stored) is(other stored) bool {
	s.FromCategory, other.FromCategory = false, false
	return s == other
}

// without are the types that others lack and should not.
func without(types, others []stored, excused bool) (lacking []stored) {
	for _, one := range types {
		if !excused && !one.FromCategory && !slices.ContainsFunc(others, one.is) {
			lacking = append(lacking, one)
		}
	}
	return lacking
}

func joined(types []stored) string {
	names := make([]string, len(types))
	for i, one := range types {
		names[i] = one.String()
	}
	return strings.Join(names, ", ")
}

func orNone(flags []string, none string) string {
	if len(flags) == 0 {
		return none
	}
	return strings.Join(flags, " ")
}
