package cmd

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

func TestWhatIsNoConditionMayBeMeantForOne(t *testing.T) {
	for text, want := range map[string]string{
		"Ready":                   "hint: did you mean condition=Ready or ready?",
		"Available":               "hint: did you mean condition=Available?",
		"Condition=Ready":         "hint: did you mean condition=Ready?",
		"conditon=Ready":          "hint: did you mean condition=Ready?",
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
		_, err := match.ParseFor([]string{text}, false)
		if got := hint(err, asked{command: "wait"}); err == nil || got != want {
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
		condition, err := match.ParseFor([]string{text}, false)
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
