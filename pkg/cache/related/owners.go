package related

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/lru"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// remembered is how many owners are known when they have been deleted.
const remembered = 1 << 16

// Owners knows the controllers above objects: it has an informer for each type that
// a chain of owner references leads to. What was looked up once stays known for
// some time after its deletion: objects outlive their owners by a moment, in which
// they belong to whom they belonged to.
//
// It is used by one goroutine.
type Owners struct {
	pool
	// ended is called with each type at which chains end, and why.
	ended func(kind schema.GroupVersionKind, err error)
	types map[ownerType][]*informer.Informer
	past  *lru.Cache
}

var _ index.Owners = (*Owners)(nil)

// ownerType is a type that owner references name, as seen from a namespace; from an
// empty one all namespaces are seen.
type ownerType struct {
	schema.GroupVersionKind
	namespace string
}

// NewOwners knows no owner yet. ended is called, once for each type, with why owners of
// that type are not known; chains end there.
func NewOwners(cluster Cluster, ended func(kind schema.GroupVersionKind, err error)) *Owners {
	return &Owners{
		pool: pool{cluster: cluster}, ended: ended,
		types: map[ownerType][]*informer.Informer{}, past: lru.New(remembered),
	}
}

// Follow starts informers of all types that the chains of the rows lead to. All rows
// are in the namespace, or anywhere where it is empty. The error is the context's.
func (o *Owners) Follow(ctx context.Context, namespace string, rows ...*cache.Row) error {
	for _, row := range rows {
		next := metav1.GetControllerOfNoCopy(row)
		for range index.MaxOwners {
			if next == nil {
				break
			}
			if err := o.follow(ctx, namespace, *next); err != nil {
				return err
			}
			next = o.controllerOf(namespace, row.Namespace, *next)
		}
	}
	return nil
}

// follow starts the informers of a type, once.
func (o *Owners) follow(ctx context.Context, namespace string, owner metav1.OwnerReference) error {
	of := ownerType{schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind), namespace}
	if _, followed := o.types[of]; followed {
		return nil
	}
	targets, err := o.cluster.Find(ctx, resourceOf(of.GroupVersionKind), namespace)
	var informers []*informer.Informer
	if err == nil {
		specs := make([]Spec, len(targets))
		for i, target := range targets {
			specs[i] = Spec{Target: target}
		}
		informers, err = o.start(ctx, specs, changesController)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	o.types[of] = informers
	for _, i := range informers {
		if failure := i.Failure(); failure != nil {
			err = failure
		}
	}
	if err != nil {
		o.ended(of.GroupVersionKind, err)
	}
	return nil
}

// resourceOf spells a kind as a resource argument: the last dot ends the name of the
// group, which for the core group is empty.
func resourceOf(kind schema.GroupVersionKind) string {
	return strings.Join([]string{kind.Kind, kind.Version, kind.Group}, ".")
}

// changesController says whether an event can change who is above others. A deletion
// does not: see Owners.
func changesController(event cache.Event) bool {
	switch {
	case event.Initial || event.Type == cache.Deleted:
		return false
	case event.Type == cache.Added:
		return true
	}
	before, now := metav1.GetControllerOfNoCopy(event.Old), metav1.GetControllerOfNoCopy(event.Row)
	return (before == nil) != (now == nil) || now != nil && before.UID != now.UID
}

// ControllerOf implements index.Owners: of what Follow has followed.
func (o *Owners) ControllerOf(namespace string, owner metav1.OwnerReference) *metav1.OwnerReference {
	if controller := o.controllerOf(namespace, namespace, owner); controller != nil {
		return controller
	}
	return o.controllerOf("", namespace, owner)
}

func (o *Owners) controllerOf(seenFrom, namespace string, owner metav1.OwnerReference) *metav1.OwnerReference {
	of := ownerType{schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind), seenFrom}
	for _, i := range o.types[of] {
		if row := find(i, namespace, owner); row != nil {
			controller := metav1.GetControllerOf(row)
			if owner.UID != "" {
				o.past.Add(owner.UID, controller)
			}
			return controller
		}
	}
	if past, ok := o.past.Get(owner.UID); ok {
		return past.(*metav1.OwnerReference)
	}
	return nil
}

// find returns an owner from an informer's cache; nil where it is not there. Objects
// in files may have no uid; where an object has one, it has to be the reference's.
func find(i *informer.Informer, namespace string, owner metav1.OwnerReference) *cache.Row {
	if !i.Target.Namespaced {
		namespace = ""
	}
	for _, uid := range []types.UID{owner.UID, ""} {
		named := &cache.Row{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: owner.Name, UID: uid}}
		key, err := toolscache.MetaNamespaceKeyFunc(named)
		if err != nil {
			return nil
		}
		if object, there, err := i.Indexer().GetByKey(key); err == nil && there {
			if row, ok := object.(*cache.Row); ok {
				return row
			}
		}
	}
	return nil
}
