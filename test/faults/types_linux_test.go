package faults

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/test/faults/ledger"
)

// custom is a custom type of a scenario's own.
func custom(resource, kind, version string) ledger.Type {
	group := schema.GroupVersion{Group: resource + ".example.com", Version: version}
	return ledger.Type{Resource: group.WithResource(resource), Kind: kind}
}

// definitionsOfTypes are the faults of types that change while they are watched.
func definitionsOfTypes() []scenario {
	removed, scoped := custom("lamps", "Lamp", "v1"), custom("doors", "Door", "v1")
	shown, dropped := custom("clocks", "Clock", "v1"), custom("pipes", "Pipe", "v2")
	return []scenario{
		{
			name: "a definition is removed, and comes back", commands: []command{tail, handler, query}, broken: &removed, calm: true,
			before: func(l *lab) { l.define(removed, "Namespaced", "v1") },
			fault: func(l *lab) {
				l.remove(removed)
				l.stay(lasts(6*time.Second, 30*time.Second))
				l.define(removed, "Namespaced", "v1")
				l.must(l.writer.Create(l.Context(), removed, goal, nil))
			},
			says: []sight{during(gone, 2*soon), later(returned)},
		},
		{
			name: "a definition comes back with another scope", commands: []command{tail, query}, broken: &scoped, closed: true, calm: true,
			before: func(l *lab) { l.define(scoped, "Namespaced", "v1") },
			fault: func(l *lab) {
				l.remove(scoped)
				l.define(scoped, "Cluster", "v1")
				l.stay(lasts(15*time.Second, 30*time.Second))
			},
			says: append([]sight{during(lostOrGone, 2*soon)}, may(returned, cannot)...),
		},
		{
			name: "a definition's columns change", commands: []command{tail, query}, broken: &shown,
			before: func(l *lab) { l.define(shown, "Namespaced", "v1") },
			fault: func(l *lab) {
				l.patch(shown, `[{"op":"add","path":"/spec/versions/0/additionalPrinterColumns","value":[{"name":"Colour","type":"string","jsonPath":".spec.colour"}]}]`)
				l.stay(lasts(5*time.Second, 30*time.Second))
			},
			says: may(lostOne, back),
		},
		{
			name: "a version is served no longer, and then again", commands: []command{tail, query}, broken: &dropped, calm: true,
			before: func(l *lab) { l.define(dropped, "Namespaced", "v1", "v2") },
			fault: func(l *lab) {
				l.patch(dropped, `[{"op":"replace","path":"/spec/versions/1/served","value":false}]`)
				l.stay(lasts(15*time.Second, 30*time.Second))
				l.patch(dropped, `[{"op":"replace","path":"/spec/versions/1/served","value":true}]`)
				l.served(dropped)
			},
			says: []sight{during(gone, 2*soon), later(returned)},
			// The objects are there all the while, in the other version.
			spare: []invariant{oneDeletion},
		},
	}
}

// define defines a type for the time of the scenario.
func (l *lab) define(one ledger.Type, scope string, versions ...string) {
	l.Helper()
	l.must(l.site.define(l.Context(), definition(one, scope, versions...)))
	l.served(one)
	l.Cleanup(func() {
		// It may have been removed by the scenario.
		_ = l.dynamic.Resource(definitions).Delete(l.afterwards(), one.Resource.GroupResource().String(), metav1.DeleteOptions{})
	})
}

// served waits until a type is served.
func (l *lab) served(one ledger.Type) {
	l.Helper()
	l.must(eventually(l.Context(), patience, func() error {
		_, err := l.dynamic.Resource(one.Resource).List(l.Context(), metav1.ListOptions{})
		return err
	}))
}

// remove removes a type's definition, with all objects, and waits until it is gone.
func (l *lab) remove(one ledger.Type) {
	l.Helper()
	name := one.Resource.GroupResource().String()
	l.must(l.dynamic.Resource(definitions).Delete(l.Context(), name, metav1.DeleteOptions{}))
	l.must(eventually(l.Context(), patience, func() error {
		if _, err := l.dynamic.Resource(definitions).Get(l.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the definition is still there: %v", err)
		}
		if _, err := l.dynamic.Resource(one.Resource).List(l.Context(), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the type is still served: %v", err)
		}
		return nil
	}))
	l.writer.Forget(one)
}

func (l *lab) patch(one ledger.Type, patch string) {
	l.Helper()
	_, err := l.dynamic.Resource(definitions).Patch(l.Context(), one.Resource.GroupResource().String(), types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	l.must(err)
}
