package cmd

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
)

// The end of the time ends the informers, too, and with them the queue: which of
// both a wait sees first must not decide whether the condition is met.
func TestTheEndOfTheTimeIsTakenForTheConditionMet(t *testing.T) {
	everything, err := match.DefaultCostLimit.Compile(match.ObjectOnly)
	if err != nil {
		t.Fatal(err)
	}
	condition, err := match.DefaultCostLimit.ParseFor([]string{"create"}, false)
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{
		question: withDependencies(&question.Question{ResourceOptions: &question.ResourceOptions{Connection: &question.Connection{}, Where: everything}}),
		queue:    informer.NewQueue(0),
		tally:    match.NewTally(condition, match.All(), nil, time.Now),
	}
	w.queue.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.until(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A type that may be listed and not watched leaves the question open for ever. What the
// others have is said, which may not have been listed when that one is refused.
func TestAWaitEndsWithTheServersWordsWhenATargetEnds(t *testing.T) {
	fine, refused := target("pods"), target("configmaps")
	fine.Kind, refused.Kind, refused.Name = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "settings"
	row := &cache.Row{Body: cache.MapBody(map[string]any{"apiVersion": "v1", "kind": "Pod"})}
	row.APIVersion, row.Kind, row.Name = "v1", "Pod", "a"
	denied := &cache.SyncError{Target: refused, Op: cache.OpWatch, Err: forbidden(), Fault: cache.Denied}
	ended := cache.Event{Type: cache.Ended, Target: refused, Err: denied}
	pod := cache.Event{Type: cache.Added, Target: fine, Row: row}
	synced := cache.Event{Type: cache.Synced, Target: fine}
	const said = `Error from server (Forbidden): pods is forbidden: User "dev" cannot list
hint: this needs a ClusterRole with the rule {apiGroups: [""], resources: ["configmaps"], verbs: [list, watch], resourceNames: ["settings"]} for the whole cluster
`
	for name, test := range map[string]struct {
		targets []cache.Target
		events  []cache.Event
		want    string
	}{
		"while the others are listed": {[]cache.Target{fine, refused}, []cache.Event{ended, pod, synced}, said + "what the others have: 0 of 1: a no condition Ready\n"},
		"after they were":             {[]cache.Target{fine, refused}, []cache.Event{synced, ended}, said + "what the others have: no matching resources found\n"},
		"nor are they":                {[]cache.Target{fine, refused}, []cache.Event{ended, {Type: cache.Ended, Target: fine, Err: denied}}, said},
		"alone":                       {[]cache.Target{refused}, []cache.Event{ended}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr strings.Builder
			streams := process.Streams{Console: consoleTo(&stderr)}
			everything, err := match.DefaultCostLimit.Compile(match.ObjectOnly)
			if err != nil {
				t.Fatal(err)
			}
			condition, err := match.DefaultCostLimit.ParseFor([]string{"condition=Ready"}, false)
			if err != nil {
				t.Fatal(err)
			}
			q := withDependencies(&question.Question{ResourceOptions: &question.ResourceOptions{Connection: &question.Connection{}, Where: everything, Streams: streams}})
			for _, target := range test.targets {
				q.Subjects = append(q.Subjects, question.Subject{Target: target})
			}
			w := &waiting{
				question:    q,
				queue:       informer.NewQueue(0),
				connections: question.NewConnections(streams.Console, false, test.targets),
				tally:       match.NewTally(condition, match.All(), nil, time.Now),
			}
			for _, event := range test.events {
				w.queue.Push(event)
			}
			err = w.until(t.Context())
			if !apierrors.IsForbidden(err) || stderr.String() != test.want {
				t.Errorf("got %v, said:\n%s", err, stderr.String())
			}
		})
	}
}

func TestWhatIsNoConditionMayBeMeantForOne(t *testing.T) {
	for text, want := range map[string]string{
		"Ready":                   "hint: did you mean condition=Ready or ready?",
		"Available":               "hint: did you mean condition=Available?",
		"Condition=Ready":         "hint: did you mean condition=Ready?",
		"conditiom=Ready":         "hint: did you mean condition=Ready?",
		"cond=Ready":              "hint: did you mean condition=Ready?",
		"condition:Ready=False":   "hint: did you mean condition=Ready=False?",
		"condition!=Ready":        "hint: did you mean condition=Ready!=True?",
		"Ready=True":              "hint: did you mean condition=Ready=True?",
		"condition":               "hint: did you mean condition=…?",
		"json=x":                  "",
		"jsonpth={.status.phase}": "hint: did you mean jsonpath={.status.phase}?",
		"{.status.phase}=Running": "hint: did you mean jsonpath={.status.phase}=Running?",
		"delet":                   "hint: did you mean delete?",
		"rollouts":                "hint: did you mean rollout?",
		"":                        "",
		"a b":                     "",
	} {
		_, err := match.DefaultCostLimit.ParseFor([]string{text}, false)
		if got := process.Hint(withMeantCondition(err), process.Asked{Command: "wait"}); err == nil || got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAMisspeltConditionIsHintedAtOnce(t *testing.T) {
	for text, want := range map[string]string{
		"condition=Redy":       "hint: no object has a condition \"Redy\"; did you mean condition=Ready?\n",
		"condition=Redy!=True": "hint: no object has a condition \"Redy\"; did you mean condition=Ready?\n",
		"condition=ready":      "",
		"condition=Broken":     "",
	} {
		condition, err := match.DefaultCostLimit.ParseFor([]string{text}, false)
		if err != nil {
			t.Fatal(err)
		}
		tally := match.NewTally(condition, match.All(), nil, time.Now)
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "status": map[string]any{}}}
		row := &cache.Row{Body: cache.MapBody(object.Object)}
		row.Kind, row.APIVersion, row.Name = "Pod", "v1", "web"
		if err := tally.Upsert(t.Context(), row, nil); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		var hints conditionHints
		for range 2 {
			hints.give(consoleTo(&stderr), tally)
		}
		if stderr.String() != want {
			t.Errorf("%s: got %q", text, stderr.String())
		}
	}
}
