package match_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

const (
	readyStatus    = `status: {conditions: [{type: Ready, status: "True"}]}`
	notReadyStatus = `status: {conditions: [{type: Ready, status: "False", reason: ContainersNotReady}]}`
)

// story is a tally and what happens to its objects.
type story struct {
	t testing.TB
	*match.Tally
}

func begin(t testing.TB, quantifier match.Quantifier, texts ...string) story {
	t.Helper()
	return story{t, match.NewTally(mustParseFor(t, texts...), quantifier, nil, time.Now)}
}

func (s story) expect(names ...string) story {
	for _, name := range names {
		s.Expect(podNamed(name), false)
	}
	return s
}

func podNamed(name string) cache.Target {
	return cache.Target{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		Kind:     schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespace: "shop", Name: name,
	}
}

func (s story) is(status string, names ...string) story {
	s.t.Helper()
	for _, name := range names {
		if err := s.Upsert(s.t.Context(), pod(s.t, name, status), nil); err != nil {
			s.t.Fatal(err)
		}
	}
	return s
}

func (s story) ready(names ...string) story    { s.t.Helper(); return s.is(readyStatus, names...) }
func (s story) notReady(names ...string) story { s.t.Helper(); return s.is(notReadyStatus, names...) }

func (s story) deleted(names ...string) story {
	s.t.Helper()
	for _, name := range names {
		if err := s.Delete(s.t.Context(), pod(s.t, name, readyStatus)); err != nil {
			s.t.Fatal(err)
		}
	}
	return s
}

func count(t testing.TB, text string) match.Quantifier {
	t.Helper()
	quantifier, err := match.ParseCount(text)
	if err != nil {
		t.Fatal(err)
	}
	return quantifier
}

func TestHowManyHaveToMeetIt(t *testing.T) {
	for name, test := range map[string]struct {
		story   story
		met     bool
		summary string
	}{
		"all of nothing": {begin(t, match.All(), "condition=Ready"), false, "no matching resources found"},
		"all":            {begin(t, match.All(), "condition=Ready").ready("a", "b"), true, "2 of 2"},
		"all but one": {begin(t, match.All(), "condition=Ready").ready("a", "c", "d").notReady("web-2"), false,
			"3 of 4: web-2 Ready=False (ContainersNotReady)"},
		"all, one appears later": {begin(t, match.All(), "condition=Ready").ready("a").notReady("b"), false,
			"1 of 2: b Ready=False (ContainersNotReady)"},
		"all, the one that was not leaves": {begin(t, match.All(), "condition=Ready").ready("a").notReady("b").deleted("b"), true, "1 of 1"},
		"all, one is no longer":            {begin(t, match.All(), "condition=Ready").ready("a", "b").is(``, "a"), false, "1 of 2: a no condition Ready"},
		"all, they are many": {begin(t, match.All(), "condition=Ready").notReady("e", "d", "c", "b", "a"), false,
			"0 of 5: a Ready=False (ContainersNotReady); b Ready=False (ContainersNotReady); c Ready=False (ContainersNotReady); and 2 more"},
		"any of nothing": {begin(t, match.Any(), "condition=Ready"), false, "no matching resources found"},
		"any":            {begin(t, match.Any(), "condition=Ready").ready("a").notReady("b"), true, "1 of 2, want at least 1"},
		"any, there is none": {begin(t, match.Any(), "condition=Ready").notReady("b"), false,
			"0 of 1, want at least 1: b Ready=False (ContainersNotReady)"},
		"none of nothing": {begin(t, match.None(), "condition=Ready"), true, "0 of 0, want none"},
		"none":            {begin(t, match.None(), "condition=Ready").notReady("a"), true, "0 of 1, want none"},
		"none, there are some": {begin(t, match.None(), "condition=Ready").ready("b", "a").notReady("c"), false,
			"2 of 3, want none: a; b"},
		"exactly two":                   {begin(t, count(t, "2"), "condition=Ready").ready("a", "b").notReady("c"), true, "2 of 3, want 2"},
		"exactly two, there is one":     {begin(t, count(t, "=2"), "condition=Ready").ready("a").notReady("c"), false, "1 of 2, want 2: c Ready=False (ContainersNotReady)"},
		"exactly two, there are three":  {begin(t, count(t, "2"), "condition=Ready").ready("a", "b", "c"), false, "3 of 3, want 2: a; b; c"},
		"at least two, there are three": {begin(t, count(t, ">=2"), "condition=Ready").ready("a", "b", "c"), true, "3 of 3, want at least 2"},
		"at least two, there is one":    {begin(t, count(t, ">=2"), "create").ready("a"), false, "1 of 1, want at least 2"},
		"exactly none of nothing":       {begin(t, count(t, "0"), "create"), true, "0 of 0, want none"},
		"one of nothing":                {begin(t, count(t, "1"), "create"), false, "no matching resources found"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.story.Met(); got != test.met {
				t.Errorf("met is %v", got)
			}
			if got := test.story.Summary(); got != test.summary {
				t.Errorf("got  %q\nwant %q", got, test.summary)
			}
		})
	}
}

// Waiting for what does not exist yet is waiting, no failure: kubernetes/kubectl#1516.
func TestANameThatDoesNotExistYetIsWaitedFor(t *testing.T) {
	for _, text := range []string{"create", "condition=Ready"} {
		s := begin(t, match.All(), text).expect("a", "b", "").ready("a")
		if s.Met() || s.Lost() != nil || s.Summary() != `1 of 2: pods "b" was never there` {
			t.Errorf("%s: got %v, %v, %q", text, s.Met(), s.Lost(), s.Summary())
		}
		if s.ready("b"); !s.Met() {
			t.Errorf("%s: got %q", text, s.Summary())
		}
	}
}

// To wait for the rest of an object's life after it ended makes no sense: kubernetes/kubectl#1482.
func TestANamedObjectThatVanishesEndsTheWait(t *testing.T) {
	for name, test := range map[string]struct {
		story story
		lost  bool
	}{
		"named":                  {begin(t, match.All(), "condition=Ready").expect("a").notReady("a").deleted("a"), true},
		"one of several":         {begin(t, match.All(), "cel=false").expect("a", "b").ready("a", "b").deleted("b"), true},
		"it had met it":          {begin(t, match.All(), "condition=Ready").expect("a", "b").ready("a").deleted("a"), true},
		"it comes back":          {begin(t, match.All(), "condition=Ready").expect("a").notReady("a").deleted("a").ready("a"), true},
		"its deletion ends all":  {begin(t, match.All(), "condition=Ready", "delete").expect("a").notReady("a").deleted("a"), false},
		"one of a set":           {begin(t, match.All(), "condition=Ready").notReady("a", "b").deleted("a"), false},
		"another may still":      {begin(t, match.Any(), "condition=Ready").expect("a", "b").notReady("a", "b").deleted("a"), false},
		"only to exist":          {begin(t, match.All(), "create").expect("a", "b").ready("a").deleted("a"), false},
		"its deletion is wanted": {begin(t, match.All(), "delete").expect("a", "b").ready("a", "b").deleted("a"), false},
		"never seen":             {begin(t, match.All(), "condition=Ready").expect("a").deleted("a"), false},
		"an unknown object":      {begin(t, match.All(), "condition=Ready").expect("a").notReady("a").deleted("b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.story.Lost(); (got != nil) != test.lost {
				t.Errorf("got %v", got)
			}
		})
	}
	s := begin(t, match.All(), "condition=Ready").expect("a").notReady("a").deleted("a")
	if got := s.Lost(); got.Name != "a" || s.Summary() != "0 of 1: a deleted" {
		t.Errorf("got %v, %q", got, s.Summary())
	}
}

func TestDeletionIsWaitedFor(t *testing.T) {
	for name, test := range map[string]struct {
		story   story
		met     bool
		summary string
	}{
		"of nothing":                {begin(t, match.All(), "delete"), true, "0 of 0"},
		"of a name without object":  {begin(t, match.All(), "delete").expect("a"), true, "1 of 1"},
		"of an object":              {begin(t, match.All(), "delete").expect("a").ready("a"), false, "0 of 1: a still exists"},
		"of an object, it went":     {begin(t, match.All(), "delete").expect("a").ready("a").deleted("a"), true, "1 of 1"},
		"of a set":                  {begin(t, match.All(), "delete").ready("a", "b").deleted("a"), false, "1 of 2: b still exists"},
		"of a set, it went":         {begin(t, match.All(), "delete").ready("a", "b").deleted("a", "b"), true, "2 of 2"},
		"of a set that grows":       {begin(t, match.All(), "delete").ready("a").deleted("a").ready("a"), false, "1 of 2: a still exists"},
		"of any":                    {begin(t, match.Any(), "delete").ready("a", "b").deleted("b"), true, "1 of 2, want at least 1"},
		"of two":                    {begin(t, count(t, "2"), "delete").ready("a", "b", "c").deleted("b", "c"), true, "2 of 3, want 2"},
		"of a name, a new one came": {begin(t, match.All(), "delete").expect("a").ready("a").deleted("a").ready("a"), true, "1 of 1"},
		"after it was ready":        {begin(t, match.All(), "condition=Ready", "delete").ready("a").notReady("a").deleted("a"), true, "1 of 1"},
		"after it was ready, it is not": {begin(t, match.All(), "condition=Ready", "delete").notReady("a"), false,
			"0 of 1: a Ready=False (ContainersNotReady), still exists"},
		"after it was ready, it lives": {begin(t, match.All(), "condition=Ready", "delete").ready("a"), false, "0 of 1: a still exists"},
		"before it was ready":          {begin(t, match.All(), "condition=Ready", "delete").expect("a").notReady("a").deleted("a"), true, "1 of 1"},
		"of any, before it was ready":  {begin(t, match.Any(), "condition=Ready", "delete").ready("b").notReady("a").deleted("a"), true, "1 of 2, want at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.story.Met(); got != test.met {
				t.Errorf("met is %v", got)
			}
			if got := test.story.Summary(); got != test.summary {
				t.Errorf("got  %q\nwant %q", got, test.summary)
			}
		})
	}
}

func TestReadyOrDeletedEitherWillDo(t *testing.T) {
	condition, err := match.DefaultCostLimit.ParseFor([]string{"condition=Ready", "delete"}, true)
	if err != nil {
		t.Fatal(err)
	}
	s := story{t, match.NewTally(condition, match.All(), nil, time.Now)}.notReady("a", "b", "c").ready("b", "d")
	if s.Met() {
		t.Errorf("too early: %q", s.Summary())
	}
	// d was ready, a was not: both are done with.
	if s.deleted("a", "c", "d"); !s.Met() || s.Summary() != "4 of 4" {
		t.Errorf("got %q", s.Summary())
	}
}

func TestObjectsThatShareANameAreToldApart(t *testing.T) {
	for want, manifests := range map[string][]string{
		"0 of 2: shop/a no condition Ready; test/a no condition Ready": {
			`{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}}`,
			`{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: test}}`,
		},
		"0 of 2: deployment.apps/a no condition Ready; pod/a no condition Ready": {
			`{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}}`,
			`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}}`,
		},
		"0 of 2: node/a no condition Ready; shop/pod/a no condition Ready": {
			`{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}}`,
			`{apiVersion: v1, kind: Node, metadata: {name: a}}`,
		},
		// One object in two versions is one object.
		"0 of 1: a no condition Ready": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}}`,
			`{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: a, namespace: shop}}`,
		},
	} {
		tally := match.NewTally(mustParseFor(t, "condition=Ready"), match.All(), nil, time.Now)
		for _, manifest := range manifests {
			if err := tally.Upsert(t.Context(), rowOf(t, manifest), nil); err != nil {
				t.Fatal(err)
			}
		}
		if got := tally.Summary(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestATallyStopsAtWhatCannotBeAsked(t *testing.T) {
	s := begin(t, match.All(), "jsonpath=.status=x")
	if err := s.Upsert(t.Context(), pod(t, "a", readyStatus), nil); err == nil {
		t.Error("an object is no value")
	}
	if err := s.Upsert(ended(), pod(t, "a", ``), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if s.Summary() != "no matching resources found" {
		t.Errorf("an object that could not be asked was counted: %q", s.Summary())
	}
}

func TestACountIsANumber(t *testing.T) {
	for text, want := range map[string]string{"3": "3", "=3": "3", ">=3": "at least 3", "0": "none", ">=0": "at least 0"} {
		if got := count(t, text).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "=", ">=", "-1", "+1", ">3", "<3", "3 ", "==3", "many", "1e3", "9223372036854775808"} {
		if _, err := match.ParseCount(text); err == nil || err.Error() != fmt.Sprintf("--count must be N, =N or >=N, not %q", text) {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if match.All().String() != "all" {
		t.Errorf("got %s", match.All())
	}
}

func TestObjectsThatShareANameAreCountedEach(t *testing.T) {
	condition, err := match.DefaultCostLimit.ParseFor([]string{"delete"}, false)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]*cache.Row, 3)
	for i := range rows {
		rows[i] = &cache.Row{}
		rows[i].Namespace, rows[i].Name, rows[i].Kind, rows[i].Namesake = "ns", "a", "Pod", i
	}
	target := cache.Target{Namespace: "ns", Name: "a"}
	target.Kind.Kind = "Pod"
	for name, expected := range map[string]bool{"a type": false, "a name": true} {
		tally := match.NewTally(condition, match.All(), nil, time.Now)
		if expected {
			tally.Expect(target, false)
		}
		for _, row := range rows {
			if err := tally.Upsert(t.Context(), row, nil); err != nil {
				t.Fatal(err)
			}
		}
		for i, row := range rows {
			if said := tally.Summary(); !strings.HasPrefix(said, fmt.Sprintf("%d of 3", i)) || tally.Met() {
				t.Errorf("%s: %q after %d", name, said, i)
			}
			if err := tally.Delete(t.Context(), row); err != nil {
				t.Fatal(err)
			}
		}
		if !tally.Met() {
			t.Errorf("%s: %s", name, tally.Summary())
		}
	}
}
