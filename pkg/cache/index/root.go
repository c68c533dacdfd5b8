package index

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// rootName is the name of the index of the top of the chain of controllers.
const rootName = "root"

// MaxOwners bounds a chain of controllers: references that go round in a circle,
// which nothing forbids, have no top.
const MaxOwners = 64

// Owners knows the objects that owner references name.
type Owners interface {
	// ControllerOf returns the controller's owner reference of the object that owner
	// names. It is nil for an object that has none, and for one that is not known.
	// The namespace is that of the object that holds owner.
	ControllerOf(namespace string, owner metav1.OwnerReference) *metav1.OwnerReference
}

// rootIndex is the index of the top of the chain of controllers. An object that
// no other controls is its own root. A chain that leads to an object that is not
// known ends at the reference to it.
func rootIndex(owners Owners) Definition {
	return define(Definition{
		Name: rootName, Reads: "the top of the chain of controllers, as KIND[.GROUP]/NAME and as uid",
		Example: "root=Deployment/web", alias: isOtherName, FollowsOwners: true,
		compute: func(v *view) []string { return rootOf(v.row, owners) },
	})
}

func rootOf(row *cache.Row, owners Owners) []string {
	top := metav1.OwnerReference{APIVersion: row.APIVersion, Kind: row.Kind, Name: row.Name, UID: row.UID}
	next := metav1.GetControllerOfNoCopy(row)
	for range MaxOwners {
		if next == nil {
			break
		}
		top, next = *next, nil
		if owners != nil {
			next = owners.ControllerOf(row.Namespace, top)
		}
	}
	return ownerValues(top)
}

// ownerValues are the values by which an object is known as an owner.
func ownerValues(owner metav1.OwnerReference) []string {
	values := append([]string{owner.Kind + "/" + owner.Name}, notEmpty(string(owner.UID))...)
	if group, _, grouped := strings.Cut(owner.APIVersion, "/"); grouped {
		values = append(values, owner.Kind+"."+group+"/"+owner.Name)
	}
	return values
}
