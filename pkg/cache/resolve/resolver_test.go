package resolve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// words writes a target as it would be asked for, with what narrows it.
func words(target cache.Target) string {
	out := asArgument(target.Resource)
	if target.Name != "" {
		out += "/" + target.Name
	}
	switch {
	case target.AllNamespaces():
		out += " -A"
	case target.Namespaced:
		out += " -n " + target.Namespace
	}
	if target.LabelSelector != "" {
		out += " -l " + target.LabelSelector
	}
	if target.FieldSelector != "" {
		out += " --field-selector " + target.FieldSelector
	}
	return out
}

func allWords(targets []cache.Target) []string {
	var out []string
	for _, target := range targets {
		out = append(out, words(target))
	}
	return out
}

// args splits at blanks, as a shell would.
func args(line string) Request { return Request{Args: strings.Fields(line)} }

func resolve(t *testing.T, client *fakeDiscovery, req Request) Result {
	t.Helper()
	result, err := New(connect(client)).Resolve(context.Background(), req)
	if err != nil {
		t.Fatalf("Resolve(%q): %v", req.Args, err)
	}
	return result
}

func TestEveryFormOfATypeFindsIt(t *testing.T) {
	forms := map[string][]string{
		"pods.v1.":            {"pods", "pod", "po", "Pod", "PODS", "pods.v1.", "pods.", "po.v1.", "Pod.v1."},
		"deployments.v1.apps": {"deployments", "deploy", "Deployment", "deployments.apps", "deployments.v1.apps", "Deployment.v1.apps", "deploy.apps"},
		"events.v1.":          {"events", "ev", "Event"},
		"events.v1.events.k8s.io": {
			"events.events.k8s.io", "events.v1.events.k8s.io", "ev.events.k8s.io", "Event.v1.events.k8s.io", "events.events",
		},
		"horizontalpodautoscalers.v2.autoscaling": {"hpa", "horizontalpodautoscalers", "hpa.v2.autoscaling"},
		"horizontalpodautoscalers.v1.autoscaling": {"horizontalpodautoscalers.v1.autoscaling"},
		"storageclasses.v1.storage.k8s.io":        {"sc", "storageclass.storage", "storageclasses.storage.k8s.io"},
		"widgets.v1.example.com":                  {"widgets", "widget", "wg", "Widget", "widgets.example.com", "widgets.v1.example.com", "Widget.v1.example.com", "Gadget.example.com"},
	}
	served := with(list("example.com/v1", kind("widgets", "widget", "Gadget", "wg")))
	for want, spellings := range forms {
		for _, spelling := range spellings {
			result := resolve(t, &fakeDiscovery{served: served}, args(spelling))
			if len(result.Targets) != 1 || asArgument(result.Targets[0].Resource) != want {
				t.Errorf("%s: got %q, want %s", spelling, allWords(result.Targets), want)
			}
			if len(result.Warnings) > 0 && spelling != "ev" { // of which kubectl warns, too
				t.Errorf("%s: warns %q", spelling, result.Warnings)
			}
		}
	}
}

// kubectl prints an object as often as it is named, and a type once.
func TestAnObjectIsVisitedAsOftenAsItIsNamed(t *testing.T) {
	for line, want := range map[string][]string{
		"pods a b a":       {"pods.v1./a -n home", "pods.v1./b -n home", "pods.v1./a -n home"},
		"pod/a no/b pod/a": {"pods.v1./a -n home", "nodes.v1./b", "pods.v1./a -n home"},
		"pods,po,pod":      {"pods.v1. -n home"},
	} {
		result := resolve(t, &fakeDiscovery{served: stock()}, args(line))
		if diff := cmp.Diff(want, allWords(result.Visits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

func TestArgumentsBecomeTargets(t *testing.T) {
	for _, test := range []struct {
		args string
		want []string
	}{
		{"pods,svc,nodes", []string{"pods.v1. -n home", "services.v1. -n home", "nodes.v1."}},
		{"pods,po,pod", []string{"pods.v1. -n home"}},
		{"pods web-1 web-2 web-1", []string{"pods.v1./web-1 -n home", "pods.v1./web-2 -n home"}},
		{"pod/web-1 deploy/web no/n1", []string{"pods.v1./web-1 -n home", "deployments.v1.apps/web -n home", "nodes.v1./n1"}},
		{"po,svc web db", []string{
			"pods.v1./web -n home", "pods.v1./db -n home", "services.v1./web -n home", "services.v1./db -n home",
		}},
		{"all", []string{
			"pods.v1. -n home", "services.v1. -n home", "deployments.v1.apps -n home", "horizontalpodautoscalers.v2.autoscaling -n home",
		}},
		{"ns,all,pods", []string{
			"namespaces.v1.", "pods.v1. -n home", "services.v1. -n home", "deployments.v1.apps -n home", "horizontalpodautoscalers.v2.autoscaling -n home",
		}},
	} {
		result := resolve(t, &fakeDiscovery{served: stock()}, args(test.args))
		if diff := cmp.Diff(test.want, allWords(result.Targets)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.args, diff)
		}
	}
}

// The List in which kubectl wraps several objects, and the one object that it
// does not wrap, are told apart here.
func TestOneNamedObjectIsASingleItem(t *testing.T) {
	for line, want := range map[string]bool{
		"pod web": true, "pod/web": true, "node n1": true,
		"pods": false, "pod web db": false, "pod/web pod/db": false, "pods,svc web": false, "pod web web": false,
	} {
		if got := resolve(t, &fakeDiscovery{served: stock()}, args(line)).SingleItem; got != want {
			t.Errorf("%s: SingleItem %v, want %v", line, got, want)
		}
	}
	both := args("pod web")
	both.Namespaces = []string{"a,b"}
	if resolve(t, &fakeDiscovery{served: stock()}, both).SingleItem {
		t.Error("a name in two namespaces is not a single item")
	}
}

func TestSelectorsGoToTheServer(t *testing.T) {
	req := args("pods,nodes")
	req.LabelSelectors = []string{"app=web", "  ", " tier in (a,b) "}
	req.FieldSelector = "spec.nodeName=n1"
	want := []string{
		"pods.v1. -n home -l app=web,tier in (a,b) --field-selector spec.nodeName=n1",
		"nodes.v1. -l app=web,tier in (a,b) --field-selector spec.nodeName=n1",
	}
	if diff := cmp.Diff(want, allWords(resolve(t, &fakeDiscovery{served: stock()}, req).Targets)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestVerbsComeFromDiscovery(t *testing.T) {
	served := with(list("old.example.com/v1", withVerbs(kind("mutes", "mute", "Mute"))))
	for name, want := range map[string]cache.Verbs{
		"pods":     {Get: true, List: true, Watch: true},
		"cs":       {Get: true, List: true},
		"bindings": {},
		// A server that lists no verbs at all is not one that has none.
		"mutes": {Get: true, List: true, Watch: true},
	} {
		result := resolve(t, &fakeDiscovery{served: served}, args(name))
		if got := result.Targets[0].Verbs; got != want {
			t.Errorf("%s: verbs %+v, want %+v", name, got, want)
		}
	}
}

func TestKindIsThatOfDiscoveryWhateverCaseWasTyped(t *testing.T) {
	served := with(list("example.com/v1", kind("widgets", "wdgt", "FineWidget")))
	for _, typed := range []string{"finewidget.example.com", "FineWidget.example.com", "widgets"} {
		result := resolve(t, &fakeDiscovery{served: served}, args(typed))
		if got := result.Targets[0].Kind.String(); got != "example.com/v1, Kind=FineWidget" {
			t.Errorf("%s: kind %s", typed, got)
		}
	}
}

func TestCategoryLeavesOutWhatCannotBeListed(t *testing.T) {
	served := with(list("example.com/v1",
		withVerbs(kind("reviews", "review", "Review"), "create"),
		withVerbs(kind("samples", "sample", "Sample"), "get", "list"),
	))
	got := allWords(resolve(t, &fakeDiscovery{served: served}, args("all")).Targets)
	if line := fmt.Sprint(got); strings.Contains(line, "reviews") || !strings.Contains(line, "samples") {
		t.Errorf("all: %s, want samples and no reviews", line)
	}
	if got := allWords(resolve(t, &fakeDiscovery{served: served}, args("reviews")).Targets); len(got) != 1 {
		t.Errorf("reviews by name: %q", got)
	}
}

// A request is kept for another try after Refresh, and must still say "all".
func TestRequestIsLeftAsItIs(t *testing.T) {
	req := args("all")
	resolve(t, &fakeDiscovery{served: stock()}, req)
	if req.Args[0] != "all" {
		t.Errorf("the argument became %q", req.Args[0])
	}
}

func TestErrorsAreKubectlsWordForWord(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"nope", `the server doesn't have a resource type "nope"`},
		{"pods,nope", `the server doesn't have a resource type "nope"`},
		{"nope/web", `the server doesn't have a resource type "nope"`},
		{"nope.apps", `the server doesn't have a resource type "nope" in group "apps"`},
		{"deployments.v9.apps", `the server doesn't have a resource type "deployments" in group "v9.apps"`},
		{"pods.v1", `the server doesn't have a resource type "pods" in group "v1"`},
		{"podlist", `the server doesn't have a resource type "podlists"`},
		{"deploymentlist", `the server doesn't have a resource type "deploymentlists" in group "apps"`},
		{"po/a/b", "arguments in resource/name form may not have more than one slash"},
		{"po/", "arguments in resource/name form must have a single resource and name"},
		{"/web", "arguments in resource/name form must have a single resource and name"},
		{"po a%b", `invalid resource name "a%b": [may not contain '%']`},
		{"po ..", `invalid resource name "..": [may not be '..']`},
	} {
		result, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), args(test.args))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", test.args, err, test.want)
		}
		if len(result.Targets) > 0 {
			t.Errorf("%s: targets %q beside the error", test.args, allWords(result.Targets))
		}
	}
}

func TestNamesDoNotGoWithSelectors(t *testing.T) {
	for line, want := range map[string]string{
		"po web": "name cannot be provided when a selector is specified",
		"po/web": "selectors and the all flag cannot be used when passing resource/name arguments",
	} {
		req := args(line)
		req.LabelSelectors = []string{"app=web"}
		_, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), req)
		if err == nil || err.Error() != want {
			t.Errorf("%s -l app=web: error %v, want %s", line, err, want)
		}
	}
}

func TestNoArgumentsIsAnErrorOfItsOwn(t *testing.T) {
	client := &fakeDiscovery{served: stock()}
	_, err := New(connect(client)).Resolve(context.Background(), Request{LabelSelectors: []string{"app=web"}})
	var missing *NoResourceError
	if !errors.As(err, &missing) || err.Error() != "Required resource not specified." {
		t.Errorf("error %v", err)
	}
	if client.reads > 0 {
		t.Error("the server was asked for nothing's sake")
	}
}

func TestNameInAllNamespacesTellsTheNames(t *testing.T) {
	for line, want := range map[string][]string{
		"po web db web": {"web", "db"},
		"po/web svc/db": {"web", "db"},
		"po,svc web":    {"web"},
	} {
		req := args(line)
		req.AllNamespaces = true
		_, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), req)
		var named *NameInAllNamespacesError
		if !errors.As(err, &named) || err.Error() != "a resource cannot be retrieved by name across all namespaces" {
			t.Fatalf("%s -A: error %v", line, err)
		}
		if diff := cmp.Diff(want, named.Names); diff != "" {
			t.Errorf("%s -A: names (-want +got):\n%s", line, diff)
		}
	}
}
