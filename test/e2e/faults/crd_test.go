package faults

import (
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

const gearDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.garage.example.com}
spec:
  group: garage.example.com
  scope: Namespaced
  names: {kind: Gear, plural: gears}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// gears is a type that comes and goes.
type gears struct {
	t           *testing.T
	definitions dynamic.ResourceInterface
	objects     dynamic.ResourceInterface
}

func newGears(t *testing.T, namespace string) gears {
	group := schema.GroupVersion{Group: "garage.example.com", Version: "v1"}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	client := stage.server.dynamic
	return gears{t, client.Resource(definitions), client.Resource(group.WithResource("gears")).Namespace(namespace)}
}

// define defines the type and waits until it is served.
func (g gears) define() {
	g.t.Helper()
	if _, err := g.definitions.Create(g.t.Context(), object(g.t, gearDefinition), metav1.CreateOptions{}); err != nil {
		g.t.Fatal(err)
	}
	eventually(g.t, func() error {
		_, err := g.objects.List(g.t.Context(), metav1.ListOptions{})
		return err
	})
}

// remove removes the type and waits until it is gone.
func (g gears) remove() {
	g.t.Helper()
	if err := g.definitions.Delete(g.t.Context(), "gears.garage.example.com", metav1.DeleteOptions{}); err != nil {
		g.t.Fatal(err)
	}
	eventually(g.t, func() error {
		_, err := g.objects.List(g.t.Context(), metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the type is still there: %v", err)
	})
}

func (g gears) create(name string) {
	g.t.Helper()
	gear := object(g.t, "{apiVersion: garage.example.com/v1, kind: Gear, metadata: {name: "+name+"}}")
	if _, err := g.objects.Create(g.t.Context(), gear, metav1.CreateOptions{}); err != nil {
		g.t.Fatal(err)
	}
}

// kubernetes/kubernetes#84494: when a type was removed whose objects were
// watched, the watcher repeated one message for ever, and never saw it return.
func TestRemovedTypeIsPickedUpWhenItReturns(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	gears, cms := newGears(t, namespace), stage.server.configMaps(t, namespace)
	gears.define()
	gears.create("a")
	gears.create("b")
	user := stage.server.user(t, cluster.Admin, in(namespace))
	tail := user.tail("gears,configmaps", "-o", "json", "--stats=json")
	tail.untilTold("ADDED b initial")

	gears.remove()
	tail.untilTold("DELETED a")
	tail.untilTold("DELETED b")
	tail.untilSays("the server no longer has the resource type", 1)
	cms.create("meanwhile")
	tail.untilTold("ADDED meanwhile")

	gears.define()
	gears.create("c")
	tail.untilTold("ADDED c")
	got := story(t, tail.Lines())
	slices.Sort(got)
	if want := []string{"ADDED a initial", "ADDED b initial", "ADDED c", "ADDED meanwhile", "DELETED a", "DELETED b"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	tail.untilSays("the server has the resource type", 1)
	tail.says(`the server no longer has the resource type "gears.garage.example.com"`, `the server has the resource type "gears.garage.example.com" again`)
	tail.listedAgain(map[string]relists{"gears": {"TypeGone": 1, "TypeReturned": 1}, "configmaps": {}})
}
