package plan_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
)

func kindOf(group, kind string, namespaced bool) cache.Target {
	return cache.Target{Kind: schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}, Namespaced: namespaced}
}

// What is left to the server: all objects that are selected have to be among those
// that it answers with.
func TestWhatIsFixedIsLeftToTheServer(t *testing.T) {
	pods, nodes, widgets := kindOf("", "Pod", true), kindOf("", "Node", false), kindOf("example.com", "Widget", true)
	inShop, labelled := pods, pods
	inShop.Namespace, labelled.LabelSelector, labelled.FieldSelector = "shop", "tier=web", "status.phase!=Failed"
	for _, test := range []struct {
		target                   cache.Target
		by                       []string
		namespace, label, fields string
	}{
		{pods, []string{"node=n1"}, "", "", "spec.nodeName=n1"},
		{pods, []string{"node="}, "", "", "spec.nodeName="},
		{pods, []string{"node!="}, "", "", "spec.nodeName!="},
		{pods, []string{"node!=n1", "node!=n2"}, "", "", "spec.nodeName!=n1,spec.nodeName!=n2"},
		{pods, []string{"node=n1", "node=n2"}, "", "", ""},
		{pods, []string{"node=n1", "node="}, "", "", ""},
		{pods, []string{"phase=Running", "node=n1"}, "", "", "spec.nodeName=n1,status.phase=Running"},
		{pods, []string{"spec.nodeName=n,1"}, "", "", `spec.nodeName=n\,1`},
		{pods, []string{"spec.schedulerName=mine"}, "", "", "spec.schedulerName=mine"},
		{pods, []string{"spec.nodeName=10"}, "", "", "spec.nodeName=10"},
		{pods, []string{"node=10"}, "", "", "spec.nodeName=10"},
		{pods, []string{"spec.hostNetwork=true"}, "", "", "spec.hostNetwork=true"},
		{pods, []string{"spec.hostNetwork!=false"}, "", "", ""}, // it need not be there
		{pods, []string{"spec.hostNetwork="}, "", "", ""},
		{pods, []string{"status.podIPs=x"}, "", "", ""},
		{pods, []string{"spec.priorityClassName=high"}, "", "", ""},
		{pods, []string{"namespace=shop"}, "shop", "", ""},
		{pods, []string{"namespace=shop", "namespace=dev"}, "", "", ""},
		{pods, []string{"namespace!=shop"}, "", "", ""},
		{pods, []string{"namespace=no/name"}, "", "", ""},
		{inShop, []string{"namespace=dev", "name=web"}, "shop", "", "metadata.name=web"},
		{nodes, []string{"name=n1"}, "", "", "metadata.name=n1"},
		{nodes, []string{"spec.unschedulable=false"}, "", "", "spec.unschedulable=false"},
		{widgets, []string{"name=a", "spec.color=red"}, "", "", "metadata.name=a"},
		{pods, []string{"label=app=web"}, "", "app in (web)", ""},
		{pods, []string{"label=app=web", "label=app=db"}, "", "app in (db,web)", ""},
		{pods, []string{"label=app"}, "", "app", ""},
		{pods, []string{"label=app=web", "label=tier"}, "", "", ""},
		{pods, []string{"label!=app=web", "label!=tier"}, "", "app notin (web),!tier", ""},
		{pods, []string{"label=app:web"}, "", "", ""},
		{pods, []string{"label=app=two words"}, "", "", ""},
		{pods, []string{"label="}, "", "", ""},
		{labelled, []string{"label=app=web", "node=n1"}, "", "tier=web,app in (web)", "status.phase!=Failed,spec.nodeName=n1"},
	} {
		query, err := index.ParseQuery(test.by)
		if err != nil {
			t.Fatal(err)
		}
		registry, err := index.NewRegistry(nil)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := query.Bind(registry, test.target)
		if err != nil {
			t.Fatal(err)
		}
		asked, reasons := plan.PushDown(test.target, bound.Fixed())
		if asked.Namespace != test.namespace || asked.LabelSelector != test.label || asked.FieldSelector != test.fields {
			t.Errorf("%s %q: asked for %q, %q, %q; want %q, %q, %q", test.target.Kind.Kind, test.by,
				asked.Namespace, asked.LabelSelector, asked.FieldSelector, test.namespace, test.label, test.fields)
		}
		if (len(reasons) > 0) != (asked != test.target) {
			t.Errorf("%q: reasons %q", test.by, reasons)
		}
	}
}

func TestOneObjectIsNotNarrowed(t *testing.T) {
	one := kindOf("", "Pod", true)
	one.Name = "web"
	query, err := index.ParseQuery([]string{"node=n1"})
	if err != nil {
		t.Fatal(err)
	}
	registry, err := index.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := query.Bind(registry, one)
	if err != nil {
		t.Fatal(err)
	}
	if asked, _ := plan.PushDown(one, bound.Fixed()); asked != one {
		t.Errorf("asked for %+v", asked)
	}
}
