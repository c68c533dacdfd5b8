package question

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

func TestContextsAreChosenByNameByPatternAndAll(t *testing.T) {
	there := []string{"all-prod", "arn:aws:eks:us:1:cluster/shop", "kind", "prod-east", "prod-west"}
	for _, test := range []struct {
		asked []string
		there []string
		want  []string
		fails string
	}{
		{asked: []string{"prod-west", "kind"}, want: []string{"prod-west", "kind"}},
		{asked: []string{"all"}, want: there},
		{asked: []string{"all"}, there: []string{"all", "kind"}, want: []string{"all"}},
		{asked: []string{"prod-*", "kind", "prod-east"}, want: []string{"prod-east", "prod-west", "kind"}},
		{asked: []string{" arn:*shop "}, want: []string{"arn:aws:eks:us:1:cluster/shop"}},
		{asked: []string{"a*", "b*"}, there: []string{"a*", "ab", "b"}, want: []string{"a*", "b"}},
		{asked: []string{"kind", "nope"}, there: []string{"kind", "prod"}, fails: `context "nope" does not exist; the kubeconfig has "kind", "prod"`},
		{asked: []string{"nope"}, there: []string{"1", "2", "3", "4", "5", "6"}, fails: `"5" and others`},
		{asked: []string{"[a"}, fails: "not a pattern"},
		{asked: []string{""}, fails: `context "" does not exist`},
		{asked: nil, fails: "names of contexts are needed, or all"},
		{asked: []string{"all"}, there: []string{}, fails: "the kubeconfig has no contexts"},
	} {
		if test.there == nil {
			test.there = there
		}
		got, err := chooseContexts(test.asked, test.there)
		switch {
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
			t.Errorf("%q: %v, want %q", test.asked, err, test.fails)
		case test.fails == "" && (err != nil || !slices.Equal(got, test.want)):
			t.Errorf("%q: %q, %v, want %q", test.asked, got, err, test.want)
		}
	}
}

// A question to three clusters of which one cannot be asked, and one lacks a type.
func TestTheAnswersOfClustersArePutTogetherTypeByType(t *testing.T) {
	part := func(context string, namespace string, resources ...string) *Question {
		q := &Question{context: context}
		q.Resolved.Namespaces, q.Resolved.SingleItem = []string{namespace}, true
		for _, resource := range resources {
			target := in(context, target(resource))
			q.Resolved.Targets, q.Resolved.Visits = append(q.Resolved.Targets, target), append(q.Resolved.Visits, target)
			q.Subjects = append(q.Subjects, Subject{Target: target})
		}
		return q
	}
	q := &Question{parts: []*Question{part("a", "shop", "pods", "widgets"), part("b", "shop"), part("c", "test", "pods", "nodes")}}
	down := errors.New("down")
	if err := q.answerWithout(t.Context(), []error{nil, down, nil}); err != nil {
		t.Fatal(err)
	}
	var subjects []string
	for _, s := range q.Subjects {
		subjects = append(subjects, s.Target.Type())
	}
	want := []string{`pods in context "a"`, `pods in context "c"`, `widgets in context "a"`, `nodes in context "c"`}
	if diff := cmp.Diff(want, subjects); diff != "" {
		t.Errorf("subjects (-want +got):\n%s", diff)
	}
	if len(q.Resolved.Visits) != 4 || q.Resolved.Visits[1].Context != "c" || q.Resolved.SingleItem {
		t.Errorf("resolved %+v", q.Resolved)
	}
	if diff := cmp.Diff([]string{"shop", "test"}, q.Resolved.Namespaces); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
	if len(q.Resolved.Unresolved) != 1 || !errors.Is(q.Resolved.Unresolved[0], down) || !strings.Contains(q.Resolved.Unresolved[0].Error(), `context "b"`) {
		t.Errorf("unresolved: %v", q.Resolved.Unresolved)
	}
	if got := q.In(q.Subjects[1].Target); got.context != "c" {
		t.Errorf("pods of c are asked in %q", got.context)
	}
	if scope := q.Scope(); !scope.Contexts {
		t.Errorf("scope is %+v", scope)
	}
}

func TestAMistakeOfTheQuestionIsSaidOnce(t *testing.T) {
	question := func() *Question { return &Question{parts: []*Question{{context: "a"}, {context: "b"}}} }
	err := question().answerWithout(t.Context(), []error{&resolve.NoResourceError{}, &resolve.NoResourceError{}})
	if errors.As(err, new(*cache.ContextError)) || !errors.As(err, new(*resolve.NoResourceError)) {
		t.Errorf("the same in all: %v", err)
	}
	err = question().answerWithout(t.Context(), []error{errors.New("down"), &resolve.NoResourceError{}})
	if err == nil || !strings.Contains(err.Error(), `context "a"`) || !strings.Contains(err.Error(), `context "b"`) {
		t.Errorf("another in each: %v", err)
	}
}

func TestServersOfOtherVersionsAnswerForOneType(t *testing.T) {
	old := cache.Target{Context: "old", Resource: schema.GroupVersionResource{Group: "batch", Version: "v1beta1", Resource: "cronjobs"}}
	current := cache.Target{Context: "new", Resource: schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}}
	all := []cache.Target{old, in("old", target("pods")), current, in("new", target("pods"))}
	byType(all, func(t cache.Target) cache.Target { return t })
	if all[1] != current || all[2].Context != "old" || all[3].Context != "new" {
		t.Errorf("in order: %v", all)
	}
}

func TestWarningsOfAServerNameItsContext(t *testing.T) {
	var stderr bytes.Buffer
	console := process.NewConsole(process.Streams{IOStreams: genericiooptions.IOStreams{ErrOut: &stderr}})
	one := NewConnection(console)
	one.serverWarnings().HandleWarningHeader(299, "-", "this is old")
	one.to("west").serverWarnings().HandleWarningHeader(299, "-", "this is old")
	one.to("west").serverWarnings().HandleWarningHeader(299, "-", "")
	if want := "Warning: this is old\nWarning: context \"west\": this is old\n"; stderr.String() != want {
		t.Errorf("got %q, want %q", stderr.String(), want)
	}
}
