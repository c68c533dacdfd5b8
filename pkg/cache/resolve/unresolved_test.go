package resolve

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestATypeOfABrokenGroupDoesNotKeepTheOthersFromBeingAnswered(t *testing.T) {
	server := startAPIServer(t, stock())
	server.serve(stock(), "metrics.k8s.io/v1beta1")
	for _, test := range []struct {
		args       []string
		targets    []string
		unresolved []string
		single     bool
	}{
		{[]string{"nodemetrics,pods"}, []string{"pods"}, []string{"nodemetrics"}, false},
		{[]string{"pods,nodemetrics,no,podmetrics"}, []string{"pods", "nodes"}, []string{"nodemetrics", "podmetrics"}, false},
		{[]string{"nodemetrics.metrics.k8s.io/n", "po/a"}, []string{"pods"}, []string{"nodemetrics.metrics.k8s.io"}, false},
		{[]string{"po/a"}, []string{"pods"}, nil, true},
	} {
		result, err := New(server.connect()).Resolve(t.Context(), Request{Args: test.args})
		var targets, unresolved []string
		for _, target := range result.Targets {
			targets = append(targets, target.Resource.Resource)
		}
		for _, err := range result.Unresolved {
			var failed *DiscoveryError
			if !errors.As(err, &failed) {
				t.Fatalf("%v: %v", test.args, err)
			}
			unresolved = append(unresolved, failed.Type.String())
		}
		if err != nil || !slices.Equal(targets, test.targets) || !slices.Equal(unresolved, test.unresolved) || result.SingleItem != test.single {
			t.Errorf("%v: got %q and %q, single %v, %v", test.args, targets, unresolved, result.SingleItem, err)
		}
	}
}

func TestWhatIsUnknownBesideABrokenGroupIsAnError(t *testing.T) {
	server := startAPIServer(t, stock())
	server.serve(stock(), "metrics.k8s.io/v1beta1")
	for _, words := range []string{"nope.apps,pods", "nope.apps,nodemetrics,pods", "nodemetrics,podmetrics"} {
		result, err := New(server.connect()).Resolve(t.Context(), args(words))
		if err == nil || len(result.Targets) > 0 {
			t.Errorf("%s: got %q", words, allWords(result.Targets))
		}
	}
}

func TestAFileOfABrokenGroupDoesNotKeepTheOthersFromBeingAnswered(t *testing.T) {
	server := startAPIServer(t, stock())
	server.serve(stock(), "example.com/v1")
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
	result, err := New(server.connect()).Resolve(t.Context(), Request{Files: filesOf(t, unknown+"\n---\n"+pod)})
	if err != nil || len(result.Targets) != 1 || len(result.Unresolved) != 1 || !strings.Contains(result.Unresolved[0].Error(), "Widget.example.com") {
		t.Errorf("got %q and %v, %v", allWords(result.Targets), result.Unresolved, err)
	}
}
